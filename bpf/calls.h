/* SPDX-License-Identifier: MIT */
/*
 * The beginning and the end of a call of any kind: which thread makes it, whether it is captured,
 * and that it has ended.
 */
#ifndef RTRACE_BPF_CALLS_H
#define RTRACE_BPF_CALLS_H

#include "agent_calls.h"
#include "call_stack.h"
#include "filter.h"

/* What the agent's reaper asks of the runtime is not the application's doing. */
static __always_inline bool is_reaper(const char *comm)
{
	__u64 name[2];

	__builtin_memcpy(name, comm, sizeof(name));
	return name[0] == NAME8('r', 't', 'r', 'a', 'c', 'e', '-', 'r') &&
	       name[1] == NAME8('e', 'a', 'p', 'e', 'r', 0, 0, 0);
}

/* The thread's id as it knows itself: in its own pid namespace. */
static __always_inline __u32 ns_tid(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	unsigned int level = BPF_CORE_READ(pid, level);
	__u32 size = bpf_core_type_size(struct upid), nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr),
			      (void *)__builtin_preserve_access_index(&pid->numbers[0]) +
				      level * size);
	return nr;
}

/* False: there was no room, which is counted. */
static __always_inline bool send_task(__u16 kind, struct task_struct *task, const char *comm,
				      __u32 ns_tid)
{
	struct rt_rec_task *r = reserve(sizeof(*r));

	if (!r) {
		count(RT_COUNT_LOST_NOTE);
		return false;
	}
	fill_header(&r->h, kind, sizeof(*r), bpf_ktime_get_boot_ns(), task->tgid, task->pid);
	__builtin_memset(r->comm, 0, sizeof(r->comm));
	bpf_probe_read_kernel_str(r->comm, sizeof(r->comm), comm);
	r->ns_tid = ns_tid;
	r->_pad = 0;
	submit(r);
	return true;
}

/*
 * The process has not ended before this thread has. Its name is sent with each new one from now on,
 * but may have changed since user space read it.
 */
static __always_inline void count_caller(struct task_struct *task, struct task_state *t)
{
	struct task_struct *leader = task->group_leader;
	struct rt_program_state *p = new_storage_of(&programs, leader);

	if (!p)
		return;
	if (!__sync_fetch_and_add(&p->callers, 1))
		send_task(RT_REC_NAME, leader, leader->comm, 0);
	t->counted = 1;
}

static __always_inline void first_call(struct task_struct *task, struct task_state *t)
{
	char comm[RT_COMM_LEN] __attribute__((aligned(8))) = {};

	bpf_get_current_comm(comm, sizeof(comm));
	t->ignored = is_reaper(comm);
	if (t->ignored) {
		t->named = 1;
		return;
	}
	if (!t->counted)
		count_caller(task, t);
	t->ns_tid = ns_tid(task);
	if (send_task(RT_REC_TASK, task, task->comm, t->ns_tid))
		t->named = 1;
}

static __always_inline struct task_state *new_caller(struct task_struct *task)
{
	struct task_state *t;

	t = new_storage_of(&tasks, task);
	if (!t) {
		count_lost(RT_COUNT_LOST_TASK);
		return NULL;
	}
	if (!t->named)
		first_call(task, t);
	return t;
}

/*
 * The state of the calling thread, which is the current one; NULL if its calls are not captured.
 * `off`: at the moment. A process is listed until it ends, so a process that was named still is.
 */
static __always_inline struct task_state *caller(struct task_struct *task, bool *off)
{
	struct task_state *t = state_of(task);
	const struct rt_process_state *p = NULL;
	bool named = t && t->named;
	__u32 pid = task->tgid;

	if (controlled || (only_listed && !named))
		p = bpf_map_lookup_elem(&pids, &pid);
	if ((only_listed && !named && !p) || !passes_filters(task))
		return NULL;
	if (!named)
		t = new_caller(task);
	if (!t || t->ignored)
		return NULL;
	*off = is_off(p, t, pid);
	return t;
}

/*
 * Taken at the return, where the innermost address is the caller's: at the entry, before the
 * function has made its own frame, the walk along frame pointers would leave the caller out.
 */
static __always_inline void take_callers(void *ctx, struct task_state *t)
{
	long size = bpf_get_stack(ctx, t->callers, sizeof(t->callers), BPF_F_USER_STACK);

	t->callers_size = size > 0 ? size : 0;
}

/* The call of that frame has returned; the frames above it were left before. */
static __always_inline void finish(void *ctx, struct task_struct *task, struct task_state *t,
				   __u32 depth, __u64 ret)
{
	struct span_end e = {.ts = bpf_ktime_get_boot_ns(), .pid = task->tgid, .tid = task->pid};
	const struct frame *f = frame_at(t, depth);
	struct rt_plan *plan = plan_of(f->func);

	if (t->depth != depth + 1) {
		e.flags = RT_SPAN_UNWOUND;
		cut_frames(t, depth + 1, &e);
		e.flags = 0;
	}
	e.ret = ret;
	pop_to(t, depth);
	if (is_wanted(plan, f, e.ts, ret)) {
		if (ctx && plan && plan->flags & RT_PLAN_STACK)
			take_callers(ctx, t);
		send_span(t, depth, &e, plan);
	}
	if (plan && plan->control && !switches_off(plan->control))
		control(e.pid, plan->control, f->args[0]);
}

#endif
