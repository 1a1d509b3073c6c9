// SPDX-License-Identifier: MIT
/*
 * Matches GPU submissions to the calls around them, by thread and time.
 */
#include "user/correlate.h"

#include <stdlib.h>
#include <utlist.h>

#define RECENT_NS 1000000000ULL

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

/* ---- calls that have ended ---- */

static uint32_t ring_size(const struct thread *th)
{
	return th->more_recent ? th->more_spans : RECENT_SPANS;
}

/* The n-th call of the thread. */
static struct recent_span *recent(struct thread *th, uint64_t n)
{
	struct recent_span *ring = th->more_recent ? th->more_recent : th->recent;

	return &ring[n % ring_size(th)];
}

/* The first of those remembered that ended then or later. */
static uint64_t first_to_end(struct thread *th, uint64_t instant)
{
	uint64_t size = ring_size(th), high = th->recent_count, low = high > size ? high - size : 0;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (recent(th, middle)->end < instant)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The number of the innermost call that contains the instant; recent_count if there is none. */
static uint64_t find_recent(struct thread *th, uint64_t instant)
{
	uint64_t n;

	for (n = first_to_end(th, instant); n < th->recent_count; n++) {
		const struct recent_span *s = recent(th, n);

		if (s->begin <= instant)
			return n;
		if (s->corr == s->root)
			break; /* nor do the calls behind it */
	}
	return th->recent_count;
}

/* The outermost call of the n-th, if it has ended as well. */
static const struct recent_span *find_root(struct thread *th, uint64_t n)
{
	uint64_t root = recent(th, n)->root;

	for (; n < th->recent_count; n++)
		if (recent(th, n)->corr == root)
			return recent(th, n);
	return NULL;
}

/*
 * A packet may have to wait for another one that its thread has reserved and not written yet, and
 * is heard of only then: the calls of a second are remembered, within limits.
 */
static void remember_more(struct thread *th)
{
	uint32_t size = ring_size(th), more = 2 * size;
	struct recent_span *ring = more > RECENT_SPANS_MAX ? NULL : calloc(more, sizeof(*ring));

	if (!ring)
		return;
	for (uint64_t n = th->recent_count - size; n < th->recent_count; n++)
		ring[n % more] = *recent(th, n);
	free(th->more_recent);
	th->more_recent = ring;
	th->more_spans = more;
}

static void remember(struct thread *th, const struct event *span)
{
	if (th->recent_count >= ring_size(th) &&
	    span->end < recent(th, th->recent_count)->end + RECENT_NS)
		remember_more(th);
	*recent(th, th->recent_count++) = (struct recent_span){
		.begin = span->begin,
		.end = span->end,
		.corr = span->corr,
		.root = span->root,
		.stream = span->stream,
	};
}

/* ---- operations ---- */

void correlate__submit(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg)
{
	uint64_t n = find_recent(th, op->ev.gpu.submit);
	const struct recent_span *root = NULL;

	if (n < th->recent_count) {
		found(th, op, recent(th, n)->corr, recent(th, n)->root);
		root = find_root(th, n);
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
