/* SPDX-License-Identifier: MIT */
/*
 * What is captured: filters that hold for the whole trace, and tracing switched on and off while it
 * runs, by the user for all, by a process for itself or for one of its threads.
 */
#ifndef RTRACE_BPF_FILTER_H
#define RTRACE_BPF_FILTER_H

#include "maps.h"

/*
 * Where there are no values the verifier drops the code after the first check, and with it the
 * loops, which are unrolled, and their loads.
 */
static __always_inline bool uid_passes(void)
{
	__u32 uid;

	if (!uid_count)
		return true;
	uid = bpf_get_current_uid_gid();
	for (int i = 0; i < RT_FILTERS; i++)
		if (i < uid_count && uids[i] == uid)
			return true;
	return false;
}

/* The name of the process, which is that of its first thread. */
static __always_inline bool comm_passes(struct task_struct *task)
{
	__u64 name[2] = {};

	if (!comm_count)
		return true;
	BPF_CORE_READ_STR_INTO((char(*)[16])name, task, group_leader, comm);
	for (int i = 0; i < RT_FILTERS; i++)
		if (i < comm_count && comms[i][0] == name[0] && comms[i][1] == name[1])
			return true;
	return false;
}

static __always_inline bool cgroup_passes(void)
{
	if (!cgroup_count)
		return true;
	for (int i = 0; i < RT_FILTERS; i++)
		if (i < cgroup_count && bpf_current_task_under_cgroup(&cgroups, i) == 1)
			return true;
	return false;
}

static __always_inline bool passes_filters(struct task_struct *task)
{
	return uid_passes() && cgroup_passes() && comm_passes(task);
}

/* ---- on and off ---- */

static __always_inline bool is_off(const struct rt_process_state *p, const struct task_state *t,
				   __u32 pid)
{
	struct thread_key key = {pid, t->ns_tid};
	const struct thread_pause *th;
	__u32 off = p ? p->off : initially_off;

	if (all_off || off & RT_OFF_STOPPED)
		return true;
	if (p && p->threads) {
		th = bpf_map_lookup_elem(&thread_pauses, &key);
		if (th && th->after == p->pauses)
			return th->paused;
	}
	return off & RT_OFF_PAUSED;
}

/* The state of a process that says what is to be traced of it, made if new. */
static __always_inline struct rt_process_state *controlled_process(__u32 pid)
{
	/* No pause of a thread with the same numbers, long ago, is to count: see
	 * thread_pause.after. */
	struct rt_process_state fresh = {.off = initially_off, .pauses = bpf_get_prandom_u32()};

	controlled = true;
	bpf_map_update_elem(&pids, &pid, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&pids, &pid);
}

/* roctxProfilerPause and roctxProfilerResume: of one thread, or with 0 of all. */
static __always_inline void pause_threads(struct rt_process_state *p, __u32 pid, __u32 ns_tid,
					  bool paused)
{
	struct thread_key key = {pid, ns_tid};
	struct thread_pause pause = {p->pauses, paused};

	if (ns_tid) {
		if (bpf_map_update_elem(&thread_pauses, &key, &pause, BPF_ANY))
			count(RT_COUNT_LOST_NOTE);
		p->threads = 1;
		return;
	}
	__sync_fetch_and_add(&p->pauses, 1); /* earlier settings of single threads end */
	if (paused)
		__sync_fetch_and_or(&p->off, RT_OFF_PAUSED);
	else
		__sync_fetch_and_and(&p->off, ~RT_OFF_PAUSED);
}

/* What a call of such a function does; `arg` is its first argument. */
static __always_inline void control(__u32 pid, __u32 what, __u32 arg)
{
	struct rt_process_state *p = controlled_process(pid);

	if (!p) {
		count(RT_COUNT_LOST_NOTE);
		return;
	}
	if (what == RT_CONTROL_STOP)
		__sync_fetch_and_or(&p->off, RT_OFF_STOPPED);
	else if (what == RT_CONTROL_START)
		__sync_fetch_and_and(&p->off, ~RT_OFF_STOPPED);
	else
		pause_threads(p, pid, arg, what == RT_CONTROL_PAUSE);
}

static __always_inline bool switches_off(__u32 what)
{
	return what == RT_CONTROL_STOP || what == RT_CONTROL_PAUSE;
}

/* ---- calls that have ended ---- */

/* `plan` may be NULL. */
static __always_inline bool is_wanted(const struct rt_plan *plan, const struct frame *f, __u64 end,
				      __u64 ret)
{
	if (plan && plan->flags & RT_PLAN_KEEP)
		return true;
	if (min_duration && end - f->begin < min_duration)
		return false;
	return !errors_only || (plan && rt_has_failed(plan->failure, plan->benign, ret));
}

#endif
