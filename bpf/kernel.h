/* SPDX-License-Identifier: MIT */
/*
 * The few kernel types and functions that the programs use, by name: CO-RE relocates the members
 * when the object is loaded, so no vmlinux.h of one kernel is needed to build.
 */
#ifndef RTRACE_BPF_KERNEL_H
#define RTRACE_BPF_KERNEL_H

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

struct signal_struct {
	atomic_t live; /* threads of the process that have not begun to exit */
};

struct task_struct {
	int pid, tgid;
	struct signal_struct *signal;
	unsigned long sas_ss_sp;
	__kernel_size_t sas_ss_size;
	char comm[16];
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

#endif
