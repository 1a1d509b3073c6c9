/* SPDX-License-Identifier: MIT */
/*
 * Libraries and agents that processes bring: reports to user space when the code of a file named
 * like a ROCm library is mapped and when an agent creates its memory.
 *
 * With hold_unknown a process that maps a library which is not probed yet is stopped before it is
 * back in user mode, so that the probes are in place before the library's code can run; user space
 * lets it go on with SIGCONT. A parent that waits for stopped children sees that: so it is not done
 * for files that are known.
 *
 * With by_process a known file is probed in some processes alone: a process has the probes of the
 * one that started it, from the moment of its start.
 *
 * Processes that are kept off (user/probe/kept_off.h) must not find a breakpoint in what they map.
 * The kernel puts them into each private mapping that is not writable, of whatever protection. So
 * such a process is stopped there, too, until user space has put the code back.
 *
 * The programs sit on the functions of the kernel that do it (fexit). The kernel leaves such a
 * program out if it has preempted the same program on that CPU: it counts these runs, and user
 * space then looks for itself (capture__has_missed). Kernels without fexit have tracepoints of
 * system calls, with which each system call of each process on the node takes longer.
 */
#ifndef RTRACE_BPF_LIBRARY_MAPPINGS_H
#define RTRACE_BPF_LIBRARY_MAPPINGS_H

#include "maps.h"

#define PROT_EXEC     0x4
#define MAP_ANONYMOUS 0x20

static __always_inline bool capturing_current(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	return pid != tracer_pid && (!only_listed || listed(pid));
}

/* Is the file probed in the calling process? */
static __always_inline bool is_known(struct file *file)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct rt_file f = {};
	__u64 *groups;
	__u8 *group;

	f.ino = BPF_CORE_READ(file, f_inode, i_ino);
	f.dev = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
	group = bpf_map_lookup_elem(&known_files, &f);
	if (!group || !by_process)
		return group;
	groups = bpf_map_lookup_elem(&covered, &pid);
	return groups && *groups >> (*group & (RT_FILE_GROUPS - 1)) & 1;
}

/* A record of that kind, of the calling thread and of now. NULL: it is lost, and counted. */
static __always_inline void *reserve_note(__u32 kind, __u64 size)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct rt_rec *r = reserve(size);

	if (r)
		fill_header(r, kind, size, bpf_ktime_get_boot_ns(), pid_tgid >> 32, pid_tgid);
	else
		count(RT_COUNT_LOST_NOTE);
	return r;
}

/* ---- libraries ---- */

/* The first eight bytes distinguish these names from all others that matter. */
static __always_inline bool is_library(struct file *file)
{
	__u64 name = file_name(file);

	return name == NAME8('l', 'i', 'b', 'a', 'm', 'd', 'h', 'i') || /* libamdhip64 */
	       name == NAME8('l', 'i', 'b', 'h', 's', 'a', '-', 'r') || /* libhsa-runtime64 */
	       name == NAME8('l', 'i', 'b', 'h', 's', 'a', 'k', 'm') || /* libhsakmt */
	       name == NAME8('l', 'i', 'b', 'r', 'o', 'c', 't', 'x') || /* libroctx64 */
	       name == NAME8('l', 'i', 'b', 'r', 'o', 'c', 't', 'r') || /* libroctracer64 */
	       name == NAME8('l', 'i', 'b', 'r', 'o', 'c', 'p', 'r');	/* librocprofiler-sdk */
}

/* The names of the calling process. */
static __always_inline void fill_names(struct rt_rec_mapped *r)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 start = BPF_CORE_READ(task, mm, arg_start);
	__u64 size = BPF_CORE_READ(task, mm, arg_end) - start;

	BPF_CORE_READ_STR_INTO(&r->comm, task, group_leader, comm);
	if (size > sizeof(r->cmdline))
		size = sizeof(r->cmdline);
	if (bpf_probe_read_user(r->cmdline, size, (const void *)start))
		size = 0;
	r->cmdline_size = size;
	r->_pad = 0;
}

static __always_inline bool has_failed(long ret)
{
	return ret < 0 && ret > -4096;
}

/*
 * Stops the calling process before it is back in user mode. It cannot go on before this program
 * has ended, so user space finds it in the map when it reads the count.
 */
static __always_inline bool hold(bool off)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	if (bpf_send_signal(SIGSTOP))
		return false;
	if (!bpf_map_update_elem(&held, &pid, &off, BPF_ANY))
		return true;
	bpf_send_signal(SIGCONT);
	return false;
}

static __always_inline bool has_name(const volatile struct rt_exe_name *n,
				     const unsigned char *name, __u32 len)
{
	__u64 got[RT_EXE_NAME / 8] = {};

	if (n->at_end > len)
		return false;
	bpf_probe_read_kernel_str(got, sizeof(got), name + (n->at_end ? len - n->at_end : 0));
	for (int i = 0; i < RT_EXE_NAME / 8; i++)
		if ((got[i] & n->mask[i]) != n->text[i])
			return false;
	return true;
}

static __always_inline bool is_kept_off(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct dentry *exe = BPF_CORE_READ(task, mm, exe_file, f_path.dentry);
	const unsigned char *name = BPF_CORE_READ(exe, d_name.name);
	__u32 len = BPF_CORE_READ(exe, d_name.len);

	if (bpf_get_current_pid_tgid() >> 32 == tracer_pid)
		return false;
	for (int i = 0; i < RT_EXE_NAMES && i < kept_off_count; i++)
		if (has_name(&kept_off[i], name, len))
			return true;
	return false;
}

/* In an overlay a file that is known has other numbers: so names count, too. */
static __always_inline void hold_kept_off(struct file *file, bool library)
{
	if ((is_known(file) || (library && (node_wide || capturing_current()))) && hold(true))
		__sync_fetch_and_add(&held_off, 1);
}

static __always_inline void tell_mapping(struct file *file, bool off)
{
	struct rt_rec_mapped *r = reserve_note(RT_REC_MAPPED, sizeof(*r));

	if (!r)
		return;
	bpf_probe_read_kernel_str(r->name, sizeof(r->name),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	fill_names(r);
	if (is_known(file))
		r->h.flags = RT_MAPPED_KNOWN;
	else if (hold_unknown && !off && hold(false))
		r->h.flags = RT_MAPPED_STOPPED;
	submit(r);
}

static __always_inline void on_mapping(struct file *file, bool exec)
{
	bool library = file && is_library(file), off;

	if (!library && !(file && programs_probed && is_known(file)))
		return;
	off = kept_off_count && is_kept_off();
	if (library && (exec || off) && capturing_current())
		tell_mapping(file, off);
	if (off)
		hold_kept_off(file, library);
}

/* The calling process executes that program now, which may have a library linked in. */
static __always_inline void on_program(struct file *file)
{
	if (file && kept_off_count && programs_probed && is_kept_off())
		hold_kept_off(file, false);
}

/* All that processes map passes here, and what exec maps. */
SEC("fexit/vm_mmap_pgoff")
int BPF_PROG(mapped, struct file *file, unsigned long addr, unsigned long len, unsigned long prot,
	     unsigned long flags, unsigned long pgoff, unsigned long ret)
{
	if (!has_failed(ret))
		on_mapping(file, prot & PROT_EXEC);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_mmap")
int mmap_exit(struct trace_event_raw_sys_exit *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);

	if (!(regs->r10 & MAP_ANONYMOUS) && !has_failed(ctx->ret))
		on_mapping(file_of(task, regs->r8), regs->rdx & PROT_EXEC);
	return 0;
}

/* ---- agents ---- */

/* Of the file that memfd_create made with an agent's name, see RT_AGENT_MEMFD. */
static __always_inline bool is_agent(struct file *file)
{
	static const char want[] = "memfd:rtrace-agent";
	char name[24] = {};

	bpf_probe_read_kernel_str(name, sizeof(name),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	for (unsigned int i = 0; i < sizeof(want); i++)
		if (name[i] != want[i])
			return false;
	return true;
}

static __always_inline void on_memfd(long fd)
{
	struct rt_rec_agent *r;

	if (has_failed(fd) || !capturing_current() ||
	    !is_agent(file_of(bpf_get_current_task_btf(), fd)))
		return;
	r = reserve_note(RT_REC_AGENT, sizeof(*r));
	if (!r)
		return;
	r->fd = fd;
	r->_pad = 0;
	submit(r);
}

SEC("fexit/__x64_sys_memfd_create")
int BPF_PROG(memfd_created, const struct pt_regs *regs, long ret)
{
	on_memfd(ret);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_memfd_create")
int memfd_exit(struct trace_event_raw_sys_exit *ctx)
{
	on_memfd(ctx->ret);
	return 0;
}

#endif
