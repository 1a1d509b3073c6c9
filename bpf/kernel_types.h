/* SPDX-License-Identifier: MIT */
/*
 * The few kernel types and functions that the programs use, by name: CO-RE relocates the members
 * when the object is loaded, so no vmlinux.h of one kernel is needed to build.
 */
#ifndef RTRACE_BPF_KERNEL_TYPES_H
#define RTRACE_BPF_KERNEL_TYPES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

#define SIGNAL_GROUP_EXIT 0x4 /* in `flags`: the process ends */

struct signal_struct {
	atomic_t live; /* threads of the process that have not begun to exit */
	unsigned int flags;
};

struct upid {
	int nr;
	void *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one a level, the initial namespace first */
};

struct super_block {
	__u32 s_dev;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct qstr {
	const unsigned char *name;
	__u32 len;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct vm_area_struct {
	unsigned long vm_start, vm_pgoff;
	struct file *vm_file;
};

/* Of mm_struct.flags: whether its user may read it. */
#define MMF_DUMPABLE_MASK 0x3
#define SUID_DUMP_USER	  1

struct mm_struct {
	unsigned long arg_start, arg_end;
	unsigned long flags;
	struct file *exe_file;
};

/* Linux 6.18 */
struct mm_flags {
	unsigned long __mm_flags[1];
};

struct mm_struct___bitmap {
	struct mm_flags flags;
};

struct uprobe_task {
	unsigned long vaddr; /* while an event's probe is dispatched: struct uprobe_dispatch_data */
};

struct trace_uprobe {
	char *filename; /* as the event's definition names it */
	unsigned long offset;
};

struct uprobe_dispatch_data {
	struct trace_uprobe *tu;
};

struct thread_struct {
	unsigned long fsbase; /* where the thread pointer leads to */
};

struct task_struct {
	int pid, tgid;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct signal_struct *signal;
	struct files_struct *files;
	struct pid *thread_pid;
	struct uprobe_task *utask;
	unsigned long sas_ss_sp;
	__kernel_size_t sas_ss_size;
	__u64 start_time; /* CLOCK_MONOTONIC */
	int exit_code;	  /* a signal in the lowest bits, the status above */
	__u32 self_exec_id;
	char comm[16];
	struct thread_struct thread;
};

struct trace_entry {
	unsigned short type;
	unsigned char flags, preempt_count;
	int pid;
};

struct trace_event_raw_sys_enter {
	struct trace_entry ent;
	long id;
	unsigned long args[6];
};

struct trace_event_raw_sys_exit {
	struct trace_entry ent;
	long id;
	long ret;
};

struct bpf_map;
struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id, seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

/* Linux 6.13: which half of a session probe is running. */
extern bool bpf_session_is_return(void) __ksym __weak;

/* The file that the task has as that descriptor; NULL: none. To be read by BPF_CORE_READ. */
static __always_inline struct file *file_of(struct task_struct *task, __u32 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **slots, *file = NULL;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	slots = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), slots + fd);
	return file;
}

/* The first eight bytes of the file's name, padded with zeros; see NAME8. */
static __always_inline __u64 file_name(struct file *file)
{
	__u64 name[2] = {};

	bpf_probe_read_kernel_str(name, sizeof(name),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	return name[0];
}

#define SIGCONT 18
#define SIGSTOP 19

/* Names of eight bytes and less are compared as numbers. */
#define NAME8(a, b, c, d, e, f, g, h)                                                            \
	((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24 | (__u64)(e) << 32 | \
	 (__u64)(f) << 40 | (__u64)(g) << 48 | (__u64)(h) << 56)

#endif
