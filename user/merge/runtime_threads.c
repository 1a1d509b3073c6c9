// SPDX-License-Identifier: MIT
/*
 * Matches the operations that threads of the runtime submit to the launches on their streams.
 */
#include "user/merge/runtime_threads.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define LAUNCHES_MAX 65536	   /* that wait on a stream: older ones are forgotten */
#define BIRTHS_MAX   4096	   /* threads of a process */
#define OPS_MAX	     4096	   /* operations of a process that wait for their launch */
#define THREADS_HELD 64		   /* threads that wait at the same time */
#define WAIT_NS	     1000000000ULL /* for the record of a launch */

/* A launch with operations that have not been seen. */
struct launch {
	enum launch_kind kind;
	uint32_t tid;
	uint64_t corr, begin, end;
	uint64_t in_range, external;
	uint32_t flags;	     /* EV_F_EXTERNAL */
	const char *kernel;  /* NULL: unknown */
	uint64_t bytes_left; /* COPY: of it, 0 unknown */
	bool single;	     /* it has one operation, or those that `bytes_left` counts */
	uint32_t taken;	     /* operations found */
	struct launch *prev, *next;
};

/* A thread, and the call in which it was made. */
struct birth {
	uint32_t tid;
	uint64_t root;
	struct stream *stream; /* which that call made or used, once it has ended */
	struct birth *next;
};

/* ---- threads ---- */

static struct birth *find_birth(const struct process *p, uint32_t tid)
{
	struct birth *b;

	LL_SEARCH_SCALAR(p->births, b, tid, tid);
	return b;
}

void runtime_threads__born(struct process *p, uint32_t tid, uint64_t root)
{
	struct birth *b = find_birth(p, tid);

	if (!b && p->birth_count < BIRTHS_MAX) {
		b = calloc(1, sizeof(*b));
		if (!b)
			return;
		p->birth_count++;
		LL_PREPEND(p->births, b);
	}
	if (b) {
		b->tid = tid;
		b->root = root;
		b->stream = NULL;
	}
}

static void give_streams(struct process *p, uint64_t root, struct stream *stream)
{
	struct birth *b;

	LL_FOREACH (p->births, b)
		if (b->root == root)
			b->stream = stream;
}

/* The one stream that an unknown thread can be serving. */
static struct stream *only_stream(const struct process *p)
{
	struct stream *s, *found = NULL;

	LL_FOREACH (p->streams.all, s) {
		if (s->worker || !s->launches)
			continue;
		if (found)
			return NULL;
		found = s;
	}
	return found && found->complete ? found : NULL;
}

static struct stream *stream_of(struct process *p, uint32_t tid)
{
	struct stream *s;
	struct birth *b;

	LL_SEARCH_SCALAR(p->streams.all, s, worker, tid);
	if (s)
		return s;
	b = find_birth(p, tid);
	s = b ? b->stream : only_stream(p);
	if (!s || s->worker)
		return NULL;
	s->worker = tid;
	s->complete = true;
	return s;
}

/* ---- launches ---- */

static void drop(struct stream *s, struct launch *l)
{
	DL_DELETE(s->launches, l);
	s->launch_count--;
	free(l);
}

void runtime_threads__forget_launches(struct stream *s)
{
	while (s->launches)
		drop(s, s->launches);
}

static void add_launch(const struct worked *w)
{
	struct launch *l = calloc(1, sizeof(*l));
	struct stream *s = w->stream;

	if (!l)
		return;
	l->kind = w->kind;
	l->tid = w->ev->tid;
	l->corr = w->ev->corr;
	l->begin = w->ev->begin;
	l->end = w->ev->end;
	l->in_range = w->ev->in_range;
	l->external = w->ev->external;
	l->flags = w->ev->flags & EV_F_EXTERNAL;
	l->kernel = w->ev->kernel;
	l->bytes_left = w->kind == LAUNCH_COPY ? w->bytes : 0;
	l->single = w->kind == LAUNCH_FILL ? w->aligned : w->kind != LAUNCH_GRAPH;
	if (s->launch_count >= LAUNCHES_MAX)
		drop(s, s->launches);
	DL_APPEND(s->launches, l);
	s->launch_count++;
}

/* What was launched before the wait began has ended. */
static void drop_before(struct stream *s, uint64_t begin)
{
	struct launch *l, *next;

	DL_FOREACH_SAFE (s->launches, l, next)
		if (l->end <= begin)
			drop(s, l);
	s->complete = true;
}

/* ---- matching ---- */

/* Kernels of the runtime's own copy and fill. */
static bool is_blit(const struct gpu_op *op)
{
	return op->ev.kind == EV_DISPATCH && !strncmp(op->ev.name, "__amd_rocclr_", 13);
}

static bool fits(const struct launch *l, const struct gpu_op *op)
{
	bool dispatch = op->ev.kind == EV_DISPATCH;

	switch (l->kind) {
	case LAUNCH_KERNEL:
		/* Names are interned: equal ones are the same. */
		return dispatch && !is_blit(op) && (!l->kernel || l->kernel == op->ev.name);
	case LAUNCH_COPY:
		if (!dispatch)
			return !l->bytes_left || op->ev.gpu.bytes <= l->bytes_left;
		return is_blit(op) && strstr(op->ev.name, "opy");
	case LAUNCH_FILL:
		return is_blit(op) && strstr(op->ev.name, "ill");
	case LAUNCH_GRAPH:
		return true;
	default:
		return false;
	}
}

/* May another launch than `l`, which fits, have caused it? */
static bool is_ambiguous(const struct launch *l, const struct gpu_op *op)
{
	for (const struct launch *o = l->next; o && o->begin <= op->ev.gpu.submit; o = o->next) {
		bool at_once = o->tid != l->tid && o->begin < l->end;

		if ((!l->single || at_once) && fits(o, op))
			return true;
		if (l->single && o->begin >= l->end)
			break;
	}
	return false;
}

static void count_off(struct stream *s, struct launch *l, const struct gpu_op *op)
{
	bool bytes = l->kind == LAUNCH_COPY && op->ev.kind == EV_COPY && l->bytes_left;

	if (bytes)
		l->bytes_left -= op->ev.gpu.bytes;
	if (bytes ? !l->bytes_left : l->single)
		drop(s, l);
}

static void take(struct gpu_op *op, struct launch *l)
{
	op->ev.root = l->corr;
	if (!op->ev.corr)
		op->ev.corr = l->corr;
	op->ev.in_range = l->in_range;
	op->ev.external = l->external;
	op->ev.flags |= l->flags;
	op->ev.gpu.ordinal = l->taken++;
}

enum verdict { WAIT, NO_CAUSE, FOUND };

static enum verdict look(struct process *p, struct gpu_op *op)
{
	struct stream *s = stream_of(p, op->ev.tid);
	struct launch *l;

	if (op->ev.kind == EV_BARRIER)
		return NO_CAUSE; /* no launch says how many it has */
	if (!s)
		return WAIT;
	for (l = s->launches; l && l->begin <= op->ev.gpu.submit; l = l->next) {
		if (fits(l, op))
			break;
		if (l->kind == LAUNCH_KERNEL && is_blit(op))
			return NO_CAUSE; /* the runtime's own, before that kernel's turn */
	}
	if (!l || l->begin > op->ev.gpu.submit)
		return WAIT;
	if (is_ambiguous(l, op)) {
		if (l->single)
			drop(s, l);
		return NO_CAUSE;
	}
	while (s->launches != l)
		drop(s, s->launches);
	take(op, l);
	op->ev.gpu.stream = s->number;
	count_off(s, l, op);
	return FOUND;
}

static void settle(struct process *p, struct gpu_op *op, settled_fn fn, void *arg)
{
	DL_DELETE(p->worker_ops, op);
	p->worker_op_count--;
	correlate__settle(op, fn, arg);
}

/* The operations of a thread in the order of submission: one that waits holds up the others. */
static void match(struct process *p, uint64_t now, settled_fn fn, void *arg)
{
	struct gpu_op *op, *next;
	uint32_t held[THREADS_HELD];
	unsigned int count = 0, i;

	DL_FOREACH_SAFE (p->worker_ops, op, next) {
		for (i = 0; i < count && held[i] != op->ev.tid; i++)
			;
		if (i < count)
			continue;
		if (look(p, op) != WAIT || op->ev.gpu.submit + WAIT_NS <= now)
			settle(p, op, fn, arg);
		else if (count < THREADS_HELD)
			held[count++] = op->ev.tid;
		else
			break;
	}
}

/* ---- input ---- */

void runtime_threads__call(struct process *p, const struct worked *w, settled_fn fn, void *arg)
{
	give_streams(p, w->ev->corr, w->stream);
	if (w->kind == LAUNCH_SYNC) {
		match(p, w->ev->end, fn, arg);
		drop_before(w->stream, w->ev->begin);
		return;
	}
	if (w->kind != LAUNCH_NONE && !w->caused)
		add_launch(w);
	if (p->worker_ops)
		match(p, w->ev->end, fn, arg);
}

void runtime_threads__submit(struct process *p, struct gpu_op *op, settled_fn fn, void *arg)
{
	DL_APPEND(p->worker_ops, op);
	if (++p->worker_op_count > OPS_MAX)
		settle(p, p->worker_ops, fn, arg);
	match(p, op->ev.gpu.submit, fn, arg);
}

void runtime_threads__withdraw(struct process *p, struct gpu_op *op)
{
	DL_DELETE(p->worker_ops, op);
	p->worker_op_count--;
}

void runtime_threads__give_up(struct process *p, settled_fn fn, void *arg)
{
	match(p, UINT64_MAX, fn, arg);
	while (p->worker_ops)
		settle(p, p->worker_ops, fn, arg);
}

void runtime_threads__forget(struct process *p)
{
	struct birth *b, *next;

	LL_FOREACH_SAFE (p->births, b, next)
		free(b);
	p->births = NULL;
	p->birth_count = 0;
	hip_streams__clear(&p->streams);
}
