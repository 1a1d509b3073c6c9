/* SPDX-License-Identifier: MIT */
/*
 * System calls to the kernel's GPU driver: ioctls on /dev/kfd, for processes that have the thunk
 * linked into the HSA runtime. Where the thunk is a library of its own, its calls are traced, and
 * their ioctls add nothing new.
 *
 * The device is known by the name of the file and the type of the request. Its number is no help:
 * it is given out when the driver is loaded.
 */
#ifndef RTRACE_BPF_IOCTL_H
#define RTRACE_BPF_IOCTL_H

#include "calls.h"
#include "probe_cookies.h"

#define KFD_TYPE 'K'

/* Number of the request -> function id + 1; 0: not wanted. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u32);
} kfd_functions SEC(".maps");

static __always_inline bool is_kfd(struct task_struct *task, __u32 fd)
{
	struct file *file = file_of(task, fd);

	return file && file_name(file) == NAME8('k', 'f', 'd', 0, 0, 0, 0, 0);
}

/* Is the innermost open call one of the thunk library? */
static __always_inline bool in_thunk(struct task_struct *task, struct task_state *t)
{
	const struct rt_plan *plan;
	struct frame *f;

	if (!t->depth)
		return false;
	f = frame_at(t, t->depth - 1);
	plan = plan_of(f->func);
	return plan && plan->flags & RT_PLAN_THUNK;
}

static __always_inline void on_ioctl(__u32 fd, __u32 request, __u64 argument)
{
	__u32 nr = request & 0xff, *func;
	struct task_struct *task;
	struct task_state *t;
	struct pt_regs *regs;
	struct frame *f;
	bool off;

	if ((request >> 8 & 0xff) != KFD_TYPE)
		return;
	task = bpf_get_current_task_btf();
	if (!is_kfd(task, fd))
		return;
	t = caller(task, &off);
	if (!t || off || in_thunk(task, t))
		return;
	func = bpf_map_lookup_elem(&kfd_functions, &nr);
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	if (!func || !*func || !regs)
		return;
	f = push(task, t, PT_REGS_SP(regs));
	if (!f)
		return;
	f->func = *func - 1;
	f->flags = FRAME_SYSCALL;
	f->args[0] = fd;
	f->args[1] = request;
	f->args[2] = argument;
	f->args[3] = f->args[4] = f->args[5] = 0;
	push_done(t, f);
	tell_open(task, t, t->depth - 1);
}

static __always_inline void on_ioctl_end(long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *t;
	__u32 top;

	t = state_of(task);
	if (!t || !t->depth || t->depth > RT_DEPTH)
		return;
	top = t->depth - 1;
	if (frame_at(t, top)->flags & FRAME_SYSCALL)
		finish(NULL, task, t, top, result);
}

/* As for mappings there are two ways, see library_mappings.h. */
SEC("fentry/__x64_sys_ioctl")
int BPF_PROG(ioctl_entered, const struct pt_regs *regs)
{
	on_ioctl(PT_REGS_PARM1(regs), PT_REGS_PARM2(regs), PT_REGS_PARM3(regs));
	return 0;
}

SEC("fexit/__x64_sys_ioctl")
int BPF_PROG(ioctl_left, const struct pt_regs *regs, long ret)
{
	on_ioctl_end(ret);
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_ioctl")
int ioctl_enter(struct trace_event_raw_sys_enter *ctx)
{
	on_ioctl(ctx->args[0], ctx->args[1], ctx->args[2]);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_ioctl")
int ioctl_exit(struct trace_event_raw_sys_exit *ctx)
{
	on_ioctl_end(ctx->ret);
	return 0;
}

#endif
