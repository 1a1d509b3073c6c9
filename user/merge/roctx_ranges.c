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
	uint32_t library;
	const char *message;
	bool quiet;
	range_fn fn;
	void *arg;
};

static struct open_range opened_by(const struct range_call *c)
{
	return (struct open_range){
		.id = c->span->corr,
		.library = c->library,
		.begin = c->span->begin,
		.tid = c->span->tid,
		.cut = c->span->flags & EV_F_CUT,
		.quiet = c->quiet,
	};
}

static void close_range(uint32_t pid, const struct open_range *r, const struct range_call *c,
			uint32_t flags)
{
	struct event ev = range_event(pid, r, c->span->end, flags);

	if (!r->quiet || !c->quiet)
		c->fn(&ev, c->arg);
	free(r->message);
}

static int push(struct thread *th, const struct range_call *c)
{
	struct open_range r = opened_by(c);

	if (th->ranges.count)
		r.parent = th->ranges.open[th->ranges.count - 1].id;
	return range_stack__push(&th->ranges, &r, c->message ? c->message : "");
}

/* The innermost of that library; if there is none, it was pushed before the trace began, or never.
 */
static void pop(struct thread *th, const struct range_call *c)
{
	struct range_stack *s = &th->ranges;
	struct open_range r;
	size_t i;

	for (i = s->count; i > 0 && s->open[i - 1].library != c->library; i--)
		;
	if (!i)
		return;
	r = range_stack__take(s, i - 1);
	close_range(th->pid, &r, c, 0);
}

static int start(struct process *p, const struct range_call *c)
{
	struct open_range r = opened_by(c);

	return started_ranges__add(&p->started, c->span->ret, &r, c->message ? c->message : "");
}

static void stop(struct process *p, const struct range_call *c)
{
	struct open_range r;

	if (started_ranges__take(&p->started, c->library, c->span->args[0], &r))
		close_range(p->pid, &r, c, EV_F_PROCESS);
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

int roctx_ranges__call(struct process *p, struct thread *th, const struct event *span,
		       const struct function *function, bool quiet, const char *message,
		       range_fn fn, void *arg)
{
	const struct range_call c = {span, function->library, message, quiet, fn, arg};

	if (function->role == ROLE_RANGE_PUSH)
		return push(th, &c);
	if (function->role == ROLE_RANGE_START)
		return start(p, &c);
	if (function->role == ROLE_RANGE_POP)
		pop(th, &c);
	else if (function->role == ROLE_RANGE_STOP)
		stop(p, &c);
	else
		mark(&c);
	return 0;
}

uint64_t roctx_ranges__at(const struct thread *th, uint64_t instant)
{
	for (size_t i = th->ranges.count; i > 0; i--)
		if (th->ranges.open[i - 1].begin <= instant)
			return th->ranges.open[i - 1].id;
	return 0;
}

static void cut(struct open_range *r, uint32_t pid, uint64_t now, uint32_t flags, range_fn fn,
		void *arg)
{
	struct event ev = range_event(pid, r, now, flags | EV_F_UNFINISHED);

	if (!r->quiet)
		fn(&ev, arg);
	free(r->message);
}

void roctx_ranges__cut_thread(struct thread *th, uint64_t now, range_fn fn, void *arg)
{
	struct open_range r;

	while (th->ranges.count) {
		r = range_stack__take(&th->ranges, th->ranges.count - 1);
		cut(&r, th->pid, now, 0, fn, arg);
	}
}

void roctx_ranges__cut_process(struct process *p, uint64_t now, range_fn fn, void *arg)
{
	struct open_range r;

	while (started_ranges__take_any(&p->started, &r))
		cut(&r, p->pid, now, EV_F_PROCESS, fn, arg);
}
