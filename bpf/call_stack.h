/* SPDX-License-Identifier: MIT */
/*
 * The call stack of a thread: what is open on it, and the spans that come of it.
 *
 * Frames are matched by stack pointer, not by count. At a function's first instruction the stack
 * pointer is the address of its return address, S; when its return is probed, the pointer is S + 8.
 * So a return finds its own frame even if calls below it never returned (longjmp, exceptions,
 * pthread_exit): any frame above the frame found was abandoned, and is sent as RT_SPAN_UNWOUND. An
 * entry clears the stack in the same manner: the stack grows down, so frames below the new stack
 * pointer cannot be callers any more, nor can frames with an overwritten return address (see
 * may_be_live). Two cases need care:
 *
 *  - A tail call (`jmp` to another traced function) enters with the very stack pointer of its
 *    caller, which has not returned: its return address still is the trampoline.
 *  - A signal handler may run on an alternate stack. Its addresses cannot be compared with those of
 *    the thread's own stack. Frames there count as below all frames of the thread's own stack.
 *
 * Functions with a loop, and what is called in loops, are global, so that the verifier looks at
 * each by itself and once: inlined, the loops multiply and it gives up. Their counters have 64
 * bits: it loses sight of a smaller one that is kept on the stack.
 */
#ifndef RTRACE_BPF_CALL_STACK_H
#define RTRACE_BPF_CALL_STACK_H

#include "capture_memory.h"

/* ---- out of the stack ---- */

struct span_end {
	__u64 ts;
	__u64 ret;
	__u32 flags;
	__u32 pid, tid;
};

static __always_inline void fill_span(struct rt_rec_span *s, const struct task_state *t,
				      __u32 depth, const struct span_end *e)
{
	const struct frame *f = frame_at(t, depth);

	fill_header(&s->h, RT_REC_SPAN, sizeof(*s), e->ts, e->pid, e->tid);
	s->h.flags = e->flags | (f->flags & FRAME_QUIET ? RT_SPAN_QUIET : 0);
	s->begin = f->begin;
	s->corr = f->corr;
	s->parent = depth ? frame_at(t, depth - 1)->corr : 0;
	s->root = t->frames[0].corr;
	s->func = f->func;
	s->ret = e->ret;
	for (int i = 0; i < RT_ARGS; i++)
		s->args[i] = f->args[i];
	s->depth = depth;
	s->_pad = 0;
}

/* With items: put together in the task's own memory, and copied as long as it came to be. */
static __always_inline void send_with_items(struct task_state *t, __u32 depth,
					    const struct span_end *e, struct rt_plan *plan)
{
	struct rt_rec_span *s = (void *)t->out;
	void *ring = this_ring();
	__u32 size;

	fill_span(s, t, depth, e);
	size = append_words(t, depth);
	size = append_callers(t, size);
	if (plan)
		size = append_reads(t, plan, depth, size);
	if (size < sizeof(*s) || size > sizeof(t->out))
		return;
	s->h.size = size;
	if (!ring || bpf_ringbuf_output(ring, t->out, size, BPF_RB_NO_WAKEUP))
		count_lost(RT_COUNT_LOST_RING);
}

/* `plan`: what to read; NULL for a call that did not return. */
__noinline int send_span(struct task_state *t, __u32 depth, struct span_end *e,
			 struct rt_plan *plan)
{
	struct rt_rec_span *s;
	const struct frame *f;

	if (!t || !e)
		return 0;
	f = frame_at(t, depth);
	if (f->words || f->sse || t->callers_size || (plan && plan->reads)) {
		send_with_items(t, depth, e, plan);
		return 0;
	}
	s = reserve(sizeof(*s));
	if (!s) {
		count_lost(RT_COUNT_LOST_RING);
		return 0;
	}
	fill_span(s, t, depth, e);
	submit(s);
	return 0;
}

static __always_inline void pop_to(struct task_state *t, __u32 depth)
{
	t->depth = depth;
	t->words_used = frame_at(t, depth)->first_word;
}

/* Sends the frames from the top down to `keep` as cut off, and drops them. */
__noinline int cut_frames(struct task_state *t, __u32 keep, struct span_end *e)
{
	if (!t || !e)
		return 0;
	e->ret = 0;
	for (__u64 i = 0; i < RT_DEPTH; i++) {
		if (t->depth <= keep || t->depth > RT_DEPTH)
			break;
		pop_to(t, t->depth - 1);
		send_span(t, t->depth, e, NULL);
	}
	return 0;
}

/* ---- into the stack ---- */

struct stack_area {
	__u64 sp;	/* at the entry of the new call */
	__u64 alt_base; /* the alternate signal stack */
	__u64 alt_size;
};

static __always_inline bool on_altstack(const struct stack_area *area, __u64 sp)
{
	return area->alt_size && sp > area->alt_base && sp - area->alt_base <= area->alt_size;
}

/*
 * While a call is in progress its return address is the kernel's uretprobe trampoline, the first
 * byte of a page, where no ordinary call returns to. Once the call was left, something else is
 * stored there.
 */
static __always_inline bool may_be_live(const struct frame *f)
{
	__u64 ret_addr;

	if (f->flags & FRAME_SYSCALL)
		return false; /* its exit was missed */
	if (bpf_probe_read_user(&ret_addr, sizeof(ret_addr), (const void *)f->sp))
		return true; /* not resident: cannot tell */
	return !(ret_addr & 0xfff);
}

/* Is the call that has just been entered inside the frame, or has the frame been left? */
__noinline int frame_encloses(struct frame *f, struct stack_area *area)
{
	bool new_alt, old_alt;

	if (!f || !area || !may_be_live(f))
		return false;
	new_alt = on_altstack(area, area->sp);
	old_alt = on_altstack(area, f->sp);
	return new_alt != old_alt ? new_alt : f->sp >= area->sp;
}

/* How many frames, from the outermost, enclose the call that has just been entered. */
__noinline int enclosing_frames(struct task_state *t, struct stack_area *area)
{
	__u32 keep;

	if (!t || !area)
		return 0;
	keep = t->depth;
	for (__u64 i = 0; i < RT_DEPTH; i++) {
		if (!keep || keep > RT_DEPTH)
			return 0;
		if (frame_encloses(frame_at(t, keep - 1), area))
			break;
		keep--;
	}
	return keep;
}

static __always_inline void drop_left_frames(struct task_struct *task, struct task_state *t,
					     __u64 sp)
{
	struct stack_area area = {sp, task->sas_ss_sp, task->sas_ss_size};
	struct span_end e = {};
	__u32 keep;

	keep = enclosing_frames(t, &area);
	if (keep >= t->depth)
		return;
	e.ts = bpf_ktime_get_boot_ns();
	e.flags = RT_SPAN_UNWOUND;
	e.pid = task->tgid;
	e.tid = task->pid;
	cut_frames(t, keep, &e);
}

/*
 * A frame for a call that is being entered, to be filled; NULL if there is no room, which is
 * counted. It counts from push_done() on.
 */
static __always_inline struct frame *push(struct task_struct *task, struct task_state *t, __u64 sp)
{
	struct frame *f;

	if (t->depth)
		drop_left_frames(task, t, sp);
	if (t->depth >= RT_DEPTH) {
		count_lost(RT_COUNT_LOST_DEPTH);
		return NULL;
	}
	f = frame_at(t, t->depth);
	f->sp = sp;
	f->corr = new_corr();
	f->words = 0;
	f->sse = 0;
	f->first_word = t->depth ? t->words_used : 0;
	return f;
}

static __always_inline void push_done(struct task_state *t, struct frame *f)
{
	t->words_used = f->first_word + f->words;
	t->depth++;
	f->begin = bpf_ktime_get_boot_ns();
}

/*
 * A process can have links of its own and links for all processes, which were attached later: see
 * RT_COOKIE_EVERYWHERE. The kernel calls those attached last first, so they take each entry. Has
 * one taken this entry, which a link of the process's own sees now?
 */
static __always_inline bool is_taken_already(const struct task_state *t, __u64 cookie, __u64 sp)
{
	const struct frame *f;

	if (cookie & RT_COOKIE_EVERYWHERE)
		return false;
	if (t->entry_sp == sp && t->entry_id1 == RT_COOKIE_ID1(cookie))
		return true;
	if (!t->depth)
		return false;
	f = frame_at(t, t->depth - 1);
	return f->flags & FRAME_EVERYWHERE && f->sp == sp && f->func + 1 == RT_COOKIE_ID1(cookie);
}

/* find_frame, where calls inside it were left without returning. */
__noinline int search_frame(struct task_state *t, __u64 sp)
{
	__u32 depth;

	if (!t)
		return RT_DEPTH;
	depth = t->depth;
	for (__u64 i = 0; i < RT_DEPTH; i++) {
		if (!depth || depth > RT_DEPTH)
			break;
		depth--;
		if (frame_at(t, depth)->sp == sp)
			return depth;
	}
	return RT_DEPTH;
}

/* The innermost frame with that stack pointer, mostly the top; RT_DEPTH: none. */
static __always_inline __u32 find_frame(struct task_state *t, __u64 sp)
{
	__u64 top = t->depth - 1;

	if (top < RT_DEPTH && frame_at(t, top)->sp == sp)
		return top;
	return search_frame(t, sp);
}

#endif
