// SPDX-License-Identifier: MIT
/*
 * Matches GPU submissions to the calls around them, by thread and time.
 */
#include "user/correlate.h"

#include <string.h>
#include <utlist.h>

void correlate__settle(struct gpu_op *op, settled_fn fn, void *arg)
{
	if (op->ev.corr)
		op->ev.flags &= ~EV_F_UNCORRELATED;
	else
		op->ev.flags |= EV_F_UNCORRELATED;
	op->settled = true;
	fn(op, arg);
}

/* The innermost call is known. */
static void found(struct thread *th, struct gpu_op *op, uint64_t corr, uint64_t root)
{
	op->ev.corr = corr;
	op->ev.root = root;
	if (ev_is_resource(op->ev.kind))
		return;
	op->ev.gpu.ordinal = th->caused_root == root ? ++th->caused_last : 0;
	if (th->caused_root != root) {
		th->caused_root = root;
		th->caused_last = 0;
	}
	if (op->ev.kind == EV_DISPATCH && op->kernel_known) {
		th->launched_root = root;
		th->launched_kernel = op->ev.name;
	}
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

/* The outermost call, if it has ended as well. */
static const struct recent_span *find_root(const struct thread *th, uint64_t root, uint64_t instant)
{
	uint64_t n = th->recent_count < RECENT_SPANS ? th->recent_count : RECENT_SPANS;

	for (uint64_t i = 1; i <= n; i++) {
		const struct recent_span *s = &th->recent[(th->recent_count - i) % RECENT_SPANS];

		if (s->end < instant)
			break;
		if (s->corr == root)
			return s;
	}
	return NULL;
}

void correlate__submit(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg)
{
	const struct recent_span *s = find_recent(th, op->ev.gpu.submit), *root = NULL;

	if (s) {
		found(th, op, s->corr, s->root);
		root = s->corr == s->root ? s : find_root(th, s->root, op->ev.gpu.submit);
	}
	if (root) {
		op->ev.gpu.stream = root->stream;
		correlate__settle(op, fn, arg);
		return;
	}
	DL_APPEND(th->unsettled, op);
}

void correlate__submit_alone(struct gpu_op *op, settled_fn fn, void *arg)
{
	correlate__settle(op, fn, arg);
}

void correlate__withdraw(struct thread *th, struct gpu_op *op)
{
	DL_DELETE(th->unsettled, op);
}

static void remember(struct thread *th, const struct event *span)
{
	th->recent[th->recent_count++ % RECENT_SPANS] = (struct recent_span){
		.begin = span->begin,
		.end = span->end,
		.corr = span->corr,
		.root = span->root,
		.stream = span->stream,
	};
}

static void done(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg)
{
	DL_DELETE(th->unsettled, op);
	correlate__settle(op, fn, arg);
}

bool correlate__span(struct thread *th, const struct event *span, settled_fn fn, void *arg)
{
	struct gpu_op *op, *next;
	bool caused = false;

	remember(th, span);
	DL_FOREACH_SAFE (th->unsettled, op, next) {
		uint64_t at = op->ev.gpu.submit;

		if (at > span->end)
			continue;
		if (!op->ev.corr && at >= span->begin) {
			found(th, op, span->corr, span->root);
			caused |= !ev_is_resource(op->ev.kind);
		}
		if (op->ev.root == span->corr)
			op->ev.gpu.stream = span->stream;
		if (op->ev.root == span->corr || !span->depth)
			done(th, op, fn, arg);
	}
	return caused;
}

void correlate__hidden(struct thread *th, uint64_t root, settled_fn fn, void *arg)
{
	struct gpu_op *op, *next;

	DL_FOREACH_SAFE (th->unsettled, op, next)
		if (op->ev.corr && op->ev.root == root)
			done(th, op, fn, arg);
}

void correlate__give_up_oldest(struct thread *th, settled_fn fn, void *arg)
{
	done(th, th->unsettled, fn, arg);
}

void correlate__give_up(struct thread *th, settled_fn fn, void *arg)
{
	while (th->unsettled)
		correlate__give_up_oldest(th, fn, arg);
}
