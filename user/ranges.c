// SPDX-License-Identifier: MIT
/*
 * Keeps the open roctx ranges of threads and processes.
 */
#include "user/ranges.h"

#include <string.h>

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
		.name = r->message,
		.range.id = r->id,
	};
}

static void open_range(struct range_stack *stack, const struct event *span, const char *message,
		       bool nested)
{
	struct open_range r = {
		.id = span->corr,
		.handle = span->ret,
		.begin = span->begin,
		.tid = span->tid,
		.cut = span->flags & EV_F_CUT,
		.message = message ? message : "",
	};

	if (nested && stack->count)
		r.parent = stack->open[stack->count - 1].id;
	range_stack__push(stack, &r);
}

static void pop(struct thread *th, const struct event *span, range_fn fn, void *arg)
{
	struct event ev;

	if (!th->ranges.count) /* pushed before the trace began, or never */
		return;
	ev = range_event(th->pid, &th->ranges.open[--th->ranges.count], span->end, 0);
	fn(&ev, arg);
}

static void stop(struct process *p, const struct event *span, range_fn fn, void *arg)
{
	struct range_stack *s = &p->started;
	struct event ev;
	size_t i;

	for (i = s->count; i > 0 && s->open[i - 1].handle != span->args[0]; i--)
		;
	if (!i)
		return;
	ev = range_event(p->pid, &s->open[i - 1], span->end, EV_F_PROCESS);
	memmove(&s->open[i - 1], &s->open[i], (s->count - i) * sizeof(*s->open));
	s->count--;
	fn(&ev, arg);
}

static void mark(const struct event *span, const char *message, range_fn fn, void *arg)
{
	struct event ev = *span;

	ev.kind = EV_MARK;
	ev.end = ev.begin;
	ev.name = message ? message : "";
	ev.flags &= EV_F_CUT;
	ev.range.id = 0;
	fn(&ev, arg);
}

void ranges__call(struct process *p, struct thread *th, const struct event *span,
		  const char *message, range_fn fn, void *arg)
{
	if (span->flags & (EV_F_UNFINISHED | EV_F_UNWOUND))
		return;
	if (!strcmp(span->name, "roctxRangePushA"))
		open_range(&th->ranges, span, message, true);
	else if (!strcmp(span->name, "roctxRangePop"))
		pop(th, span, fn, arg);
	else if (!strcmp(span->name, "roctxRangeStartA"))
		open_range(&p->started, span, message, false);
	else if (!strcmp(span->name, "roctxRangeStop"))
		stop(p, span, fn, arg);
	else if (!strcmp(span->name, "roctxMarkA"))
		mark(span, message, fn, arg);
}

uint64_t ranges__at(const struct thread *th, uint64_t instant)
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
		ev = range_event(pid, &s->open[--s->count], now, flags | EV_F_UNFINISHED);
		fn(&ev, arg);
	}
}

void ranges__cut_thread(struct thread *th, uint64_t now, range_fn fn, void *arg)
{
	cut(&th->ranges, th->pid, now, 0, fn, arg);
}

void ranges__cut_process(struct process *p, uint64_t now, range_fn fn, void *arg)
{
	cut(&p->started, p->pid, now, EV_F_PROCESS, fn, arg);
}
