// SPDX-License-Identifier: MIT
/*
 * Matches GPU submissions to the calls around them, by thread and time.
 */
#include "user/merge/correlate.h"

#include <stdlib.h>
#include <utlist.h>

#define RECENT_NS 1000000000ULL

/* The search for a call's operations ends after that many operations of other calls in a row. */
#define PASSED_MAX 256

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
static void note_call(struct thread *th, struct gpu_op *op, uint64_t corr, uint64_t root)
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

_Static_assert(!(RECENT_SPANS & (RECENT_SPANS - 1)), "doubled, it stays a power of two");

static uint32_t ring_size(const struct thread *th)
{
	return th->more_recent ? th->more_spans : RECENT_SPANS;
}

/* The n-th call of the thread. */
static struct recent_span *recent(struct thread *th, uint64_t n)
{
	struct recent_span *ring = th->more_recent ? th->more_recent : th->recent;

	return &ring[n & (ring_size(th) - 1)];
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
			break; /* later calls do not contain it either */
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
 * A packet may have to wait for another packet that a thread has reserved and not written yet. The
 * packet's record comes only after that: the calls of a second are remembered, within limits.
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

/* May a call that the kernel captures be between the operation and the call its agent reports? */
static bool is_certain(const struct thread *th, const struct gpu_op *op)
{
	return op->said_corr && (!th->nesting || !th->nesting->count);
}

/* The number of the call, if it has ended since; else recent_count. */
static uint64_t find_said(struct thread *th, const struct gpu_op *op)
{
	uint64_t n = first_to_end(th, op->ev.gpu.submit);

	while (n < th->recent_count && recent(th, n)->corr != op->said_corr)
		n++;
	return n;
}

/* A call that was named before it has ended. */
static void note_cause(struct thread *th, const struct gpu_op *op)
{
	if (ev_is_resource(op->ev.kind))
		return;
	for (uint32_t i = 0; i < OPEN_CAUSES; i++)
		if (th->causes[i] == op->said_corr)
			return;
	th->causes[th->last_cause++ % OPEN_CAUSES] = op->said_corr;
}

static bool take_cause(struct thread *th, uint64_t corr)
{
	for (uint32_t i = 0; i < OPEN_CAUSES; i++) {
		if (th->causes[i] != corr)
			continue;
		th->causes[i] = 0;
		return true;
	}
	return false;
}

void correlate__submit(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg)
{
	bool said = is_certain(th, op);
	uint64_t n = said ? find_said(th, op) : find_recent(th, op->ev.gpu.submit);
	const struct recent_span *root = NULL;

	if (n < th->recent_count) {
		note_call(th, op, recent(th, n)->corr, recent(th, n)->root);
		root = find_root(th, n);
	} else if (said) {
		note_call(th, op, op->said_corr, op->said_root);
		note_cause(th, op);
	}
	if (root) {
		op->ev.gpu.stream = root->stream;
		correlate__settle(op, fn, arg);
		return;
	}
	op->found = op->ev.corr;
	if (op->found)
		DL_APPEND(th->found, op);
	else
		DL_APPEND(th->unsettled, op);
}

void correlate__submit_alone(struct gpu_op *op, settled_fn fn, void *arg)
{
	correlate__settle(op, fn, arg);
}

void correlate__withdraw(struct thread *th, struct gpu_op *op)
{
	if (op->found)
		DL_DELETE(th->found, op);
	else
		DL_DELETE(th->unsettled, op);
	op->found = false;
}

static void done(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg)
{
	correlate__withdraw(th, op);
	correlate__settle(op, fn, arg);
}

/*
 * The oldest unsettled operation that an inner call may have caused. They come in the order of
 * their submissions, or nearly.
 */
static struct gpu_op *first_since(const struct thread *th, uint64_t begin)
{
	struct gpu_op *op = th->unsettled ? th->unsettled->prev : NULL, *first = NULL;

	for (unsigned int passed = 0; op && passed < PASSED_MAX; passed++) {
		if (op->ev.gpu.submit >= begin) {
			first = op;
			passed = 0;
		}
		op = op == th->unsettled ? NULL : op->prev;
	}
	return first;
}

static void move_to_found(struct thread *th, struct gpu_op *op)
{
	correlate__withdraw(th, op);
	op->found = true;
	DL_APPEND(th->found, op);
}

/* Finds those that the call has caused itself. Returns whether there are any. */
static bool find_own(struct thread *th, const struct event *span)
{
	struct gpu_op *op, *next;
	bool caused = false;

	for (op = first_since(th, span->begin); op; op = next) {
		next = op->next;
		if (op->ev.gpu.submit < span->begin || op->ev.gpu.submit > span->end)
			continue;
		note_call(th, op, span->corr, span->root);
		caused |= !ev_is_resource(op->ev.kind);
		move_to_found(th, op);
	}
	return caused;
}

static int by_submission(const struct gpu_op *a, const struct gpu_op *b)
{
	return a->ev.gpu.submit < b->ev.gpu.submit ? -1 : a->ev.gpu.submit > b->ev.gpu.submit;
}

/* Inner calls have found theirs before the outer ones did. */
static void sort_found(struct thread *th)
{
	const struct gpu_op *op;

	for (op = th->found; op && op->next; op = op->next) {
		if (by_submission(op, op->next) > 0) {
			DL_SORT(th->found, by_submission);
			return;
		}
	}
}

bool correlate__span(struct thread *th, const struct event *span, settled_fn fn, void *arg)
{
	struct gpu_op *op, *next;
	bool caused;

	remember(th, span);
	caused = find_own(th, span);
	caused |= take_cause(th, span->corr);
	if (span->depth && span->root != span->corr)
		return caused;
	if (!span->depth)
		DL_FOREACH_SAFE (th->unsettled, op, next)
			if (op->ev.gpu.submit <= span->end)
				move_to_found(th, op);
	sort_found(th);
	DL_FOREACH_SAFE (th->found, op, next) {
		if (op->ev.gpu.submit > span->end)
			continue;
		if (op->ev.root == span->corr)
			op->ev.gpu.stream = span->stream;
		if (op->ev.root == span->corr || !span->depth)
			done(th, op, fn, arg);
	}
	return caused;
}

void correlate__hidden(struct thread *th, uint64_t root, settled_fn fn, void *arg)
{
	struct gpu_op *op = th->found ? th->found->prev : NULL, *first = NULL, *next;

	for (unsigned int passed = 0; op && passed < PASSED_MAX; passed++) {
		if (op->ev.root == root) {
			first = op;
			passed = 0;
		}
		op = op == th->found ? NULL : op->prev;
	}
	for (op = first; op; op = next) {
		next = op->next;
		if (op->ev.root == root)
			done(th, op, fn, arg);
	}
}

void correlate__left_out(struct thread *th, uint64_t corr, settled_fn fn, void *arg)
{
	struct gpu_op *op, *next;

	DL_FOREACH_SAFE (th->found, op, next) {
		if (op->ev.corr != corr && op->ev.root != corr)
			continue;
		op->ev.corr = op->ev.root = 0;
		done(th, op, fn, arg);
	}
}

void correlate__give_up_one(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg)
{
	done(th, op, fn, arg);
}

void correlate__give_up(struct thread *th, settled_fn fn, void *arg)
{
	while (th->found)
		done(th, th->found, fn, arg);
	while (th->unsettled)
		done(th, th->unsettled, fn, arg);
}
