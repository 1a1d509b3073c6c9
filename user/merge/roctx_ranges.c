// SPDX-License-Identifier: MIT
/*
 * Keeps the open roctx ranges of threads and processes.
 */
#include "user/merge/roctx_ranges.h"

#include <stdlib.h>

static struct event range_event(uint32_t pid, const struct open_range *r, uint64_t end,
				uint32_t flags)
{
	return (struct event){
		.kind = EV_RANGE,
		.domain = DOMAIN_ROCTX,
		.flags = flags | (r->cut ? EV_F_CUT : 0),
		.pid = pid,
		.tid = r->tid,
		.begin = r->begin,
		.end = end,
		.corr = r->id,
		.parent = r->parent,
		.name = r->message ? r->message : "",
		.range.id = r->id,
	};
}

/* What a roctx call says. */
struct range_call {
	const struct event *span;
	const char *message;
	bool quiet;
	range_fn fn;
	void *arg;
};

static void open_range(struct range_stack *stack, const struct range_call *c, bool nested)
{
	struct open_range r = {
		.id = c->span->corr,
		.handle = c->span->ret,
		.begin = c->span->begin,
		.tid = c->span->tid,
		.cut = c->span->flags & EV_F_CUT,
		.quiet = c->quiet,
	};

	if (nested && stack->count)
		r.parent = stack->open[stack->count - 1].id;
	range_stack__push(stack, &r, c->message ? c->message : "");
}

/* The nth one of the stack. */
static void close_range(uint32_t pid, struct range_stack *s, size_t n, const struct range_call *c,
			uint32_t flags)
{
	struct open_range r = range_stack__take(s, n);
	struct event ev = range_event(pid, &r, c->span->end, flags);

	if (!r.quiet || !c->quiet)
		c->fn(&ev, c->arg);
	free(r.message);
}

static void pop(struct thread *th, const struct range_call *c)
{
	if (th->ranges.count) /* else pushed before the trace began, or never */
		close_range(th->pid, &th->ranges, th->ranges.count - 1, c, 0);
}

static void stop(struct process *p, const struct range_call *c)
{
	struct range_stack *s = &p->started;
	size_t i;

	for (i = s->count; i > 0 && s->open[i - 1].handle != c->span->args[0]; i--)
		;
	if (i)
		close_range(p->pid, s, i - 1, c, EV_F_PROCESS);
}

static void mark(const struct range_call *c)
{
	struct event ev = *c->span;

	if (c->quiet)
		return;
	ev.kind = EV_MARK;
	ev.end = ev.begin;
	ev.name = c->message ? c->message : "";
	ev.flags &= EV_F_CUT | EV_F_EXTERNAL;
	ev.range.id = 0;
	c->fn(&ev, c->arg);
}

void roctx_ranges__call(struct process *p, struct thread *th, const struct event *span,
			enum function_role role, bool quiet, const char *message, range_fn fn,
			void *arg)
{
	const struct range_call c = {span, message, quiet, fn, arg};

	if (role == ROLE_RANGE_PUSH)
		open_range(&th->ranges, &c, true);
	else if (role == ROLE_RANGE_POP)
		pop(th, &c);
	else if (role == ROLE_RANGE_START)
		open_range(&p->started, &c, false);
	else if (role == ROLE_RANGE_STOP)
		stop(p, &c);
	else
		mark(&c);
}

uint64_t roctx_ranges__at(const struct thread *th, uint64_t instant)
{
	for (size_t i = th->ranges.count; i > 0; i--)
		if (th->ranges.open[i - 1].begin <= instant)
			return th->ranges.open[i - 1].id;
	return 0;
}

static void cut(struct range_stack *s, uint32_t pid, uint64_t now, uint32_t flags, range_fn fn,
		void *arg)
{
	struct event ev;

	while (s->count) {
		struct open_range r = range_stack__take(s, s->count - 1);

		ev = range_event(pid, &r, now, flags | EV_F_UNFINISHED);
		if (!r.quiet)
			fn(&ev, arg);
		free(r.message);
	}
}

void roctx_ranges__cut_thread(struct thread *th, uint64_t now, range_fn fn, void *arg)
{
	cut(&th->ranges, th->pid, now, 0, fn, arg);
}

void roctx_ranges__cut_process(struct process *p, uint64_t now, range_fn fn, void *arg)
{
	cut(&p->started, p->pid, now, EV_F_PROCESS, fn, arg);
}
