// SPDX-License-Identifier: MIT
/*
 * Matches GPU submissions to the calls around them, by thread and time.
 */
#include "user/correlate.h"

#include <string.h>
#include <utlist.h>

static void settle(struct gpu_op *op, uint64_t corr, uint64_t root, settled_fn fn, void *arg)
{
	op->ev.corr = corr;
	op->ev.root = root;
	if (!corr)
		op->ev.flags |= EV_F_UNCORRELATED;
	op->settled = true;
	fn(op, arg);
}

/* The innermost of the remembered calls that contain the instant: the one that began last. */
static const struct recent_span *find_recent(const struct thread *th, uint64_t instant)
{
	uint64_t n = th->recent_count < RECENT_SPANS ? th->recent_count : RECENT_SPANS;
	const struct recent_span *best = NULL;

	for (uint64_t i = 1; i <= n; i++) {
		const struct recent_span *s = &th->recent[(th->recent_count - i) % RECENT_SPANS];

		if (s->end < instant)
			break;
		if (s->begin <= instant && (!best || s->begin > best->begin))
			best = s;
	}
	return best;
}

void correlate__submit(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg)
{
	const struct recent_span *s = find_recent(th, op->ev.gpu.submit);

	if (s) {
		settle(op, s->corr, s->root, fn, arg);
		return;
	}
	DL_APPEND(th->unsettled, op);
}

void correlate__submit_alone(struct gpu_op *op, settled_fn fn, void *arg)
{
	settle(op, 0, 0, fn, arg);
}

static void remember(struct thread *th, const struct event *span)
{
	th->recent[th->recent_count++ % RECENT_SPANS] = (struct recent_span){
		.begin = span->begin,
		.end = span->end,
		.corr = span->corr,
		.root = span->root,
	};
}

bool correlate__span(struct thread *th, const struct event *span, settled_fn fn, void *arg)
{
	struct gpu_op *op, *next;
	bool caused = false;

	remember(th, span);
	DL_FOREACH_SAFE (th->unsettled, op, next) {
		uint64_t at = op->ev.gpu.submit;

		if (at > span->end || (at < span->begin && span->depth))
			continue;
		DL_DELETE(th->unsettled, op);
		if (at >= span->begin) {
			caused = true;
			settle(op, span->corr, span->root, fn, arg);
		} else {
			settle(op, 0, 0, fn, arg);
		}
	}
	return caused;
}

void correlate__give_up_oldest(struct thread *th, settled_fn fn, void *arg)
{
	struct gpu_op *op = th->unsettled;

	DL_DELETE(th->unsettled, op);
	settle(op, 0, 0, fn, arg);
}

void correlate__give_up(struct thread *th, settled_fn fn, void *arg)
{
	while (th->unsettled)
		correlate__give_up_oldest(th, fn, arg);
}
