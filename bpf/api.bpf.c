// SPDX-License-Identifier: MIT
/*
 * The capture: turns API function entries and returns into span records.
 *
 * A function's entry pushes a frame on the call stack of its thread (call_stack.h); its return pops
 * the frame and sends one record with both times, six argument registers, the return value, the
 * correlation ID and that of the enclosing call, followed by what else the function's plan asks for
 * (capture_memory.h). Nothing is sent at entry, so a call costs one record.
 *
 * Loss is counted, never silent: see enum rt_count.
 */
#include "calls.h"
#include "doorbell.h"
#include "ioctl.h"
#include "exit_snapshot.h"
#include "library_mappings.h"
#include "probe_cookies.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* ---- functions ---- */

/* The domain of the innermost open call, if that has just jumped to here. */
static __always_inline bool jumped_from(const struct task_state *t, __u64 sp, __u32 domain)
{
	const struct rt_plan *plan;
	const struct frame *f;

	if (!t->depth)
		return false;
	f = frame_at(t, t->depth - 1);
	plan = f->sp == sp ? plan_of(f->func) : NULL;
	return plan && RT_PLAN_DOMAIN_OF(plan->flags) == domain;
}

/*
 * Does the library call itself, at a probe past a trampoline? Then the call returns into the
 * library, while a call that came through the trampoline returns to the trampoline's caller. If the
 * return address is the kernel's trampoline, a traced function has jumped there: the library's own,
 * or another's.
 */
static __always_inline bool is_internal(const struct task_state *t, const struct rt_behind *b,
					const struct rt_plan *plan, __u64 ip, __u64 sp)
{
	__u64 ret_addr;

	if (!plan || bpf_probe_read_user(&ret_addr, sizeof(ret_addr), (const void *)sp))
		return false;
	if (!(ret_addr & 0xfff) && jumped_from(t, sp, RT_PLAN_DOMAIN_OF(plan->flags)))
		return true;
	return ret_addr - (ip - b->before) < b->before + b->after;
}

static __always_inline const struct rt_behind *behind_of(__u64 cookie)
{
	__u32 number = RT_COOKIE_BEHIND_OF(cookie);

	return number ? bpf_map_lookup_elem(&behinds, &number) : NULL;
}

static __always_inline void fill_frame(struct pt_regs *ctx, struct task_state *t, struct frame *f,
				       const struct rt_plan *plan)
{
	f->args[0] = PT_REGS_PARM1(ctx);
	f->args[1] = PT_REGS_PARM2(ctx);
	f->args[2] = PT_REGS_PARM3(ctx);
	f->args[3] = PT_REGS_PARM4(ctx);
	f->args[4] = PT_REGS_PARM5(ctx);
	f->args[5] = ctx->r9;
	if (plan)
		take_words(t, f, plan);
}

/* The call is not followed: the frame is used for the record alone. */
static __always_inline void send_entry(struct task_struct *task, struct task_state *t,
				       struct frame *f)
{
	struct span_end e = {.flags = RT_SPAN_ENTRY};

	if (min_duration || errors_only)
		return; /* it cannot be known */
	f->begin = e.ts = bpf_ktime_get_boot_ns();
	e.pid = task->tgid;
	e.tid = task->pid;
	tell_open(task, t, t->depth);
	send_span(t, t->depth, &e, NULL);
}

/* The second probe of a function. The function's frame is the innermost. */
static __always_inline void on_spills(__u64 cookie)
{
	__u32 number = RT_COOKIE_SPILLS_OF(cookie), depth;
	const struct rt_spills *s = bpf_map_lookup_elem(&spills, &number);
	struct task_state *t;
	struct frame *f;

	t = state_of(bpf_get_current_task_btf());
	if (!s || !t || !t->depth)
		return;
	depth = t->depth - 1;
	f = frame_at(t, depth);
	if (f->func == RT_COOKIE_ID1(cookie) - 1 && !f->sse)
		take_spills(t, f, s);
}

/* Returns 1 if the return is of no interest (a session then skips its probe). */
static __always_inline int enter(struct pt_regs *ctx, __u64 cookie)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct rt_behind *behind;
	const struct rt_plan *plan;
	struct task_state *t;
	struct frame *f;
	bool off;

	if (!cookie)
		cookie = cookie_of_hit(task);
	if (cookie & RT_COOKIE_SPILLS) {
		on_spills(cookie);
		return 1;
	}
	t = caller(task, &off);
	if (!t)
		return 1;
	if (!RT_COOKIE_ID1(cookie)) {
		count_lost(RT_COUNT_LOST_TASK);
		return 1;
	}
	plan = plan_of(RT_COOKIE_ID1(cookie) - 1);
	if (off && !(plan && plan->flags & RT_PLAN_KEEP))
		return 1;
	behind = behind_of(cookie);
	if (behind && is_internal(t, behind, plan, PT_REGS_IP(ctx), PT_REGS_SP(ctx)))
		return 1;
	if (is_taken_already(t, cookie, PT_REGS_SP(ctx)))
		return 1;
	if (plan && switches_off(plan->control))
		control(task->tgid, plan->control, PT_REGS_PARM1(ctx));
	f = push(task, t, PT_REGS_SP(ctx));
	if (!f)
		return 1;
	f->func = RT_COOKIE_ID1(cookie) - 1;
	f->flags = (off ? FRAME_QUIET : 0) | (cookie & RT_COOKIE_EVERYWHERE ? FRAME_EVERYWHERE : 0);
	fill_frame(ctx, t, f, plan);
	if (plan && plan->flags & RT_PLAN_ENTRY) {
		if (cookie & RT_COOKIE_EVERYWHERE) {
			t->entry_id1 = RT_COOKIE_ID1(cookie);
			t->entry_sp = f->sp;
		}
		send_entry(task, t, f);
		return 1;
	}
	push_done(t, f);
	tell_open(task, t, t->depth - 1);
	return 0;
}

static __always_inline int leave(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *t;
	__u32 found;

	t = state_of(task);
	if (!t)
		return 0;
	found = find_frame(t, PT_REGS_SP(ctx) - 8);
	if (found >= RT_DEPTH) /* entered before the attach, or lost at entry: counted there */
		return 0;
	finish(ctx, task, t, found, PT_REGS_RC(ctx));
	return 0;
}

/* Linux 6.13+: one link for entry and return (the loader sets the attach type). */
SEC("uprobe")
int api_session(struct pt_regs *ctx)
{
	if (bpf_session_is_return())
		return leave(ctx);
	return enter(ctx, bpf_get_attach_cookie(ctx));
}

/* Linux 6.6+: one link for entries, one for returns; older kernels: one tracefs event for each. */
SEC("uprobe")
int api_entry(struct pt_regs *ctx)
{
	enter(ctx, bpf_get_attach_cookie(ctx));
	return 0;
}

SEC("uretprobe")
int api_return(struct pt_regs *ctx)
{
	return leave(ctx);
}

/* ---- calls that will not return ---- */

static __always_inline bool none_lives(struct task_struct *task)
{
	return !BPF_CORE_READ(task, signal, live.counter);
}

/*
 * Whether the process ends with this thread. Threads that exit at the same time may all find that
 * none lives: the last is the last of those that made calls, and only one is. (So it must look
 * whether any lives when it has been taken off the callers.)
 */
static __always_inline bool is_last(struct task_struct *task, const struct task_state *t)
{
	struct rt_program_state *p = bpf_task_storage_get(&programs, task->group_leader, NULL, 0);
	__u32 others;

	if (!p)
		return none_lives(task);
	others = t && t->counted ? __sync_fetch_and_add(&p->callers, -1) - 1 : p->callers;
	return !others && none_lives(task) && !__sync_fetch_and_or(&p->ended, 1);
}

/* Is it the first thread, and does the process not end with it? */
static __always_inline bool goes_on_without(struct task_struct *task)
{
	return task->pid == task->tgid && !none_lives(task) &&
	       !(BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exit, struct task_struct *task)
{
	struct task_state *t = state_of(task);
	bool last = is_last(task, t), known;
	struct span_end e = {};
	__u32 pid = task->tgid, how;
	bool first = goes_on_without(task);

	/* The number may be another process's soon. */
	known = (tell_exec && last) || ((last || first) && listed(pid));
	if (last) {
		bpf_map_delete_elem(&pids, &pid);
		bpf_map_delete_elem(&covered, &pid);
		bpf_map_delete_elem(&held, &pid);
	}
	how = (last ? RT_EXIT_LAST : 0) | (first ? RT_EXIT_FIRST : 0) |
	      (task->exit_code & 0x7f ? RT_EXIT_KILLED : 0);
	if (!t) {
		if (known)
			send_note(RT_REC_EXIT, how, pid, task->pid);
		return 0;
	}
	e.ts = bpf_ktime_get_boot_ns();
	e.flags = RT_SPAN_UNFINISHED;
	e.pid = pid;
	e.tid = task->pid;
	cut_frames(t, 0, &e);
	send_note(RT_REC_EXIT, how, e.pid, e.tid);
	return 0;
}

/* Run once after the probes are removed: calls that were still open when the trace ended. */
SEC("iter/task")
int flush_open_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct span_end e = {};
	struct task_state *t;

	if (!task)
		return 0;
	t = state_of(task);
	if (!t)
		return 0;
	e.ts = bpf_ktime_get_boot_ns();
	e.flags = RT_SPAN_UNFINISHED;
	e.pid = task->tgid;
	e.tid = task->pid;
	cut_frames(t, 0, &e);
	return 0;
}

#define LONG_CALL_NS 400000000ULL
#define LATELY_NS    200000000ULL

/*
 * Reports the processes that have a call open which goes on making others: as long as it does, the
 * kernel lets nobody take uprobes away (user/record/event_lock.h). Ids, one for each such thread.
 */
SEC("iter/task")
int tell_long_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u64 now = bpf_ktime_get_boot_ns();
	struct task_state *t;
	__u32 pid;

	if (!task)
		return 0;
	t = state_of(task);
	if (!t || !t->depth || t->frames[0].begin > now - LONG_CALL_NS)
		return 0;
	pid = task->tgid;
	/* Frames of calls that have returned are as they were. */
	for (__u64 i = 1; i < RT_DEPTH; i++) {
		if (t->frames[i].begin < now - LATELY_NS)
			continue;
		bpf_seq_write(ctx->meta->seq, &pid, sizeof(pid));
		break;
	}
	return 0;
}

/* ---- processes that come, and what they load ---- */

static __always_inline void send_fork(__u16 kind, struct task_struct *parent, __u32 child,
				      __u64 corr, __u64 agent_corr)
{
	struct rt_rec_fork *r = reserve(sizeof(*r));

	if (!r) {
		count(RT_COUNT_LOST_NOTE);
		return;
	}
	fill_header(&r->h, kind, sizeof(*r), bpf_ktime_get_boot_ns(), parent->tgid, parent->pid);
	r->child = child;
	r->_pad = 0;
	r->corr = corr;
	r->agent_corr = agent_corr;
	submit(r);
}

/* A thread that a call has started works for that call's stream, if it is a runtime's. */
static __always_inline void new_thread(struct task_struct *parent, struct task_struct *child)
{
	const struct task_state *t = state_of(parent);
	__u64 corr = t && t->depth ? t->frames[0].corr : 0;
	struct rt_around a = {};

	around(parent, 0, &a);
	if (corr || a.root)
		send_fork(RT_REC_THREAD, parent, child->pid, corr, a.root);
}

/* Without an entry the child is held where it maps a file: that does no harm. */
static __always_inline void cover_child(__u32 parent, __u32 child)
{
	const __u64 *groups = bpf_map_lookup_elem(&covered, &parent);
	__u64 copy;

	if (!groups)
		return;
	copy = *groups;
	bpf_map_update_elem(&covered, &child, &copy, BPF_ANY);
}

/* What a process has switched off stays so in its children. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 child_pid = child->tgid, parent_pid = parent->tgid;
	struct rt_process_state copy, *state;

	if (child_pid == parent_pid) {
		new_thread(parent, child);
		return 0;
	}
	if (!follow_forks && (only_listed || !controlled)) /* a listed process is captured */
		return 0;
	state = bpf_map_lookup_elem(&pids, &parent_pid);
	if (!state)
		return 0;
	copy = *state;
	copy.threads = 0;
	if (bpf_map_update_elem(&pids, &child_pid, &copy, BPF_ANY))
		count(RT_COUNT_LOST_NOTE);
	cover_child(parent_pid, child_pid);
	send_fork(RT_REC_FORK, parent, child_pid, 0, 0);
	return 0;
}

/*
 * The kernel takes the events of a process that executes a program of more rights (setuid), or one
 * that it may not read.
 */
static __always_inline bool is_dumpable(struct task_struct *task)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	const struct mm_struct___bitmap *of_6_18 = (const void *)mm;
	unsigned long flags;

	if (bpf_core_field_exists(of_6_18->flags.__mm_flags))
		flags = BPF_CORE_READ(of_6_18, flags.__mm_flags[0]);
	else
		flags = BPF_CORE_READ(mm, flags);
	return (flags & MMF_DUMPABLE_MASK) == SUID_DUMP_USER;
}

/* Is it of a thread, or by its first thread of a process, that the trace may name? */
static __always_inline bool has_traced_name(struct task_struct *task)
{
	const struct task_state *t = state_of(task);
	const struct rt_program_state *p;
	__u32 pid = task->tgid;

	if (t && t->named)
		return !t->ignored;
	if ((only_listed && listed(pid)) || bpf_map_lookup_elem(&agents, &pid))
		return true;
	p = task->pid == task->tgid ? bpf_task_storage_get(&programs, task, NULL, 0) : NULL;
	return p && p->callers;
}

SEC("tp_btf/task_rename")
int BPF_PROG(task_rename, struct task_struct *task, const char *comm)
{
	if (has_traced_name(task))
		send_task(RT_REC_NAME, task, comm, 0);
	return 0;
}

/* A new program has a new stack: what the old one had open is cut off. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_exec, struct task_struct *task, int old_pid)
{
	struct task_state *t = state_of(task);
	__u32 pid = task->tgid;
	struct rt_process_state *state;
	struct rt_program_state *p;
	struct span_end e = {};

	if (t) {
		e.ts = bpf_ktime_get_boot_ns();
		e.flags = RT_SPAN_UNFINISHED;
		e.pid = task->tgid;
		e.tid = task->pid;
		cut_frames(t, 0, &e);
		t->named = t->counted = 0;
	}
	p = bpf_task_storage_get(&programs, task, NULL, 0);
	if (p) {
		p->callers = 0;
		p->unloader = 0;
		p->unloaded = bpf_ktime_get_boot_ns();
	}
	if (!is_dumpable(task))
		bpf_map_delete_elem(&covered, &pid);
	on_program(BPF_CORE_READ(task, mm, exe_file));
	state = bpf_map_lookup_elem(&pids, &pid);
	if (state) {
		state->off = initially_off;
		state->threads = 0;
		state->pauses++;
	}
	if (!t && !state && !tell_exec)
		return 0;
	send_note(RT_REC_EXEC, (__u32)old_pid != pid ? RT_EXEC_BY_THREAD : 0, task->tgid,
		  task->pid);
	return 0;
}
