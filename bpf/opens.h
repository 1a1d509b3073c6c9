/* SPDX-License-Identifier: MIT */
/*
 * Libraries and agents that processes bring: user space is told when a file named like a ROCm
 * library is opened and when an agent creates its memory.
 *
 * With stop_on_open a process that opens a library file which is not probed yet is stopped before
 * it is back in user mode, so that the probes are in place before the library is even mapped; user
 * space lets it go on with SIGCONT. A parent that waits for stopped children sees that: so it is
 * not done for files that are known.
 */
#ifndef RTRACE_BPF_OPENS_H
#define RTRACE_BPF_OPENS_H

#include "maps.h"

static __always_inline bool capturing_current(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	return pid != tracer_pid && (!only_listed || listed(pid));
}

static __always_inline bool is_known(__u32 fd)
{
	struct file *file = file_of(bpf_get_current_task_btf(), fd);
	struct rt_place p = {};

	p.ino = BPF_CORE_READ(file, f_inode, i_ino);
	p.dev = BPF_CORE_READ(file, f_inode, i_sb, s_dev);
	return file && bpf_map_lookup_elem(&known_files, &p);
}

static __always_inline void note_opening(__u32 kind, bool long_name)
{
	struct task_state *t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL,
						    BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t) {
		count(RT_COUNT_LOST_NOTE);
		return;
	}
	t->opening = kind;
	t->long_name = long_name;
}

/* The system call that opens or maps a library or creates an agent's memory has succeeded. */
static __always_inline int opened(long ret)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct task_state *t;
	struct rt_rec_open *r;
	bool long_name;
	__u32 kind;

	t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 0);
	if (!t || !t->opening)
		return 0;
	kind = t->opening;
	long_name = t->long_name;
	t->opening = 0;
	t->long_name = 0;
	if (ret < 0 && ret > -4096)
		return 0;
	t->lib_fd1 = kind == RT_REC_LIBRARY ? ret + 1 : 0;
	r = reserve(sizeof(*r));
	if (!r) {
		count(RT_COUNT_LOST_NOTE);
		return 0;
	}
	fill_header(&r->h, kind, sizeof(*r), bpf_ktime_get_boot_ns(), pid_tgid >> 32, pid_tgid);
	r->fd = ret;
	r->_pad = 0;
	if (stop_on_open && kind == RT_REC_LIBRARY && !long_name && !is_known(ret) &&
	    !bpf_send_signal(SIGSTOP))
		r->h.flags = RT_OPEN_STOPPED;
	submit(r);
	return 0;
}

/* The first eight bytes tell these names apart from all others that matter. */
static __always_inline bool is_library_name(__u64 name)
{
	return name == NAME8('l', 'i', 'b', 'a', 'm', 'd', 'h', 'i') || /* libamdhip64 */
	       name == NAME8('l', 'i', 'b', 'h', 's', 'a', '-', 'r') || /* libhsa-runtime64 */
	       name == NAME8('l', 'i', 'b', 'h', 's', 'a', 'k', 'm') || /* libhsakmt */
	       name == NAME8('l', 'i', 'b', 'r', 'o', 'c', 't', 'x') || /* libroctx64 */
	       name == NAME8('l', 'i', 'b', 'r', 'o', 'c', 't', 'r') || /* libroctracer64 */
	       name == NAME8('l', 'i', 'b', 'r', 'o', 'c', 'p', 'r');	/* librocprofiler-sdk */
}

#define PATH_SEEN 256

SEC("tracepoint/syscalls/sys_enter_openat")
int open_enter(struct trace_event_raw_sys_enter *ctx)
{
	char path[PATH_SEEN] = {};
	__u64 name = 0; /* first bytes of the last component */
	__u32 len = 0;
	long n;

	if (!capturing_current())
		return 0;
	n = bpf_probe_read_user_str(path, sizeof(path), (const void *)ctx->args[1]);
	if (n < 0)
		return 0;
	if (n == sizeof(path)) { /* longer than we look: user space sees the whole name */
		note_opening(RT_REC_LIBRARY, true);
		return 0;
	}
	for (int i = 0; i < PATH_SEEN; i++) {
		if (!path[i])
			break;
		if (path[i] == '/') {
			name = 0;
			len = 0;
		} else if (len < sizeof(name)) {
			name |= (__u64)(__u8)path[i] << 8 * len;
			len++;
		}
	}
	if (is_library_name(name))
		note_opening(RT_REC_LIBRARY, false);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_openat")
int open_exit(struct trace_event_raw_sys_exit *ctx)
{
	return opened(ctx->ret);
}

SEC("tracepoint/syscalls/sys_enter_memfd_create")
int memfd_enter(struct trace_event_raw_sys_enter *ctx)
{
	static const char want[] = "rtrace-agent";
	char name[16] = {};

	if (!capturing_current())
		return 0;
	if (bpf_probe_read_user_str(name, sizeof(name), (const void *)ctx->args[0]) < 0)
		return 0;
	for (unsigned int i = 0; i < sizeof(want); i++)
		if (name[i] != want[i])
			return 0;
	note_opening(RT_REC_AGENT, false);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_memfd_create")
int memfd_exit(struct trace_event_raw_sys_exit *ctx)
{
	return opened(ctx->ret);
}

/*
 * Where functions are told by their addresses, user space must know where a library is mapped
 * before the process can be gone. These two run in that mode alone.
 */
SEC("tracepoint/syscalls/sys_enter_mmap")
int mmap_enter(struct trace_event_raw_sys_enter *ctx)
{
	struct task_state *t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 0);

	if (t && t->lib_fd1 && t->lib_fd1 == (__u32)ctx->args[4] + 1 &&
	    ctx->args[2] & 4 /* PROT_EXEC */)
		t->opening = RT_REC_MAPPED;
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_mmap")
int mmap_exit(struct trace_event_raw_sys_exit *ctx)
{
	return opened(ctx->ret);
}

#endif
