/* SPDX-License-Identifier: MIT */
/*
 * The calls that an agent captures in a process (abi/span_ring.h), as far as they enclose the calls
 * that the probes capture.
 *
 * The probes and the agent each keep a call stack: ours is in the kernel, the agent's in memory
 * that a thread-local variable leads to. User space joins both (user/merge/call_nesting.h). For a
 * call in such a process, the probe reports at the entry which call of the agent encloses it.
 *
 * The process can write anything there: it can only falsify its own calls.
 */
#ifndef RTRACE_BPF_AGENT_CALLS_H
#define RTRACE_BPF_AGENT_CALLS_H

#include "call_stack.h"
#include "abi/span_ring.h"

/* Of processes in which an agent captures calls. Filled by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct rt_agent_calls);
} agent_calls SEC(".maps");

volatile bool agents_capture = false; /* the map has entries */

static __always_inline bool read_frame(const char *thread, __u64 depth, struct rt_span_frame *f)
{
	return !bpf_probe_read_user(f, offsetof(struct rt_span_frame, func),
				    thread + offsetof(struct rt_span_thread, open) +
					    depth * sizeof(*f));
}

/*
 * The agent's call around what this thread does at that stack pointer; all 0: none. False: no agent
 * captures calls of this process.
 */
static __always_inline bool around(struct task_struct *task, __u64 sp, struct rt_around *a)
{
	struct stack_area area = {sp, task->sas_ss_sp, task->sas_ss_size};
	__u32 pid = task->tgid;
	struct rt_span_frame inner, outer;
	const struct rt_agent_calls *calls;
	const char *thread = NULL;
	__u64 depth = 0;

	calls = agents_capture ? bpf_map_lookup_elem(&agent_calls, &pid) : NULL;
	if (!calls)
		return false;
	__builtin_memset(a, 0, sizeof(*a));
	bpf_probe_read_user(&thread, sizeof(thread),
			    (const void *)task->thread.fsbase + calls->thread_offset);
	if (!thread ||
	    bpf_probe_read_user(&depth, sizeof(depth),
				thread + offsetof(struct rt_span_thread, depth)) ||
	    !depth || depth > RT_SPANS_DEPTH || !read_frame(thread, depth - 1, &inner) ||
	    !read_frame(thread, 0, &outer))
		return true;
	if (inner.sp <= sp && !on_altstack(&area, sp)) /* it was left */
		return true;
	a->corr = calls->first_corr + inner.corr;
	a->root = calls->first_corr + outer.corr;
	a->begin = inner.begin;
	a->depth = depth;
	return true;
}

__noinline int send_open(struct task_state *t, __u32 depth, __u32 pid, __u32 tid,
			 struct rt_around *a)
{
	const struct frame *f;
	struct rt_rec_open *r;

	if (!t || !a)
		return 0;
	f = frame_at(t, depth);
	r = reserve(sizeof(*r));
	if (!r) {
		count(RT_COUNT_LOST_NOTE);
		return 0;
	}
	fill_header(&r->h, RT_REC_OPEN, sizeof(*r), f->begin, pid, tid);
	r->corr = f->corr;
	r->parent = depth ? frame_at(t, depth - 1)->corr : 0;
	r->root = depth ? t->frames[0].corr : f->corr;
	r->depth = depth;
	r->_pad = 0;
	r->around = *a;
	submit(r);
	return 0;
}

/* User space does not ask for enclosing calls if filters leave calls out by duration or error. */
static __always_inline void tell_open(struct task_struct *task, struct task_state *t, __u32 depth)
{
	struct rt_around a;

	if (!min_duration && !errors_only && around(task, frame_at(t, depth)->sp, &a))
		send_open(t, depth, task->tgid, task->pid, &a);
}

volatile __u32 open_calls_of = 0; /* process */

/*
 * Run once before the agent of a process captures its first call: those that were open before user
 * space asked for them. They come with the times when they began, so before their ends.
 */
SEC("iter/task")
int tell_open_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct rt_around none = {};
	struct task_state *t;

	if (!task || task->tgid != open_calls_of)
		return 0;
	t = state_of(task);
	if (!t)
		return 0;
	for (__u64 i = 0; i < RT_DEPTH; i++) {
		if (i >= t->depth)
			break;
		send_open(t, i, task->tgid, task->pid, &none);
	}
	return 0;
}

#endif
