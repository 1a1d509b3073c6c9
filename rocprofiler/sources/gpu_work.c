// SPDX-License-Identifier: MIT
/*
 * Keeps the list of work in flight. Records go to buffers at once; gpu_ends.c makes callbacks.
 */
#include "rocprofiler/sources/gpu_work.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "rocprofiler/support/catch.h"
#include "rocprofiler/sources/copies.h"
#include "rocprofiler/sources/dispatches.h"
#include "rocprofiler/sources/gpu_ends.h"
#include "rocprofiler/service/retirement.h"
#include "rocprofiler/support/say.h"
#include "rocprofiler/service/thread.h"

#define PAUSE_NS      200000
#define PATIENCE_RUNS 25000 /* pauses: until something ends */
#define PATIENCE_TOLD 5000  /* ... or is reported */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu_work *first, *last;
static uint64_t begun, done;
static __thread bool submitting;

static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
	first = last = NULL;
	submitting = false;
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

uint32_t gpu_work__wants(void)
{
	return (dispatches__are_wanted() ? RTRACE_WANT_KERNELS : 0) |
	       (copies__are_wanted() ? RTRACE_WANT_COPIES : 0);
}

/* ---- work in flight ---- */

static void add(struct gpu_work *w)
{
	pthread_mutex_lock(&lock);
	w->number = ++begun;
	w->next = NULL;
	w->previous = last;
	if (last)
		last->next = w;
	else
		first = w;
	last = w;
	pthread_mutex_unlock(&lock);
}

/* Work from before a fork is not in the list. */
static void remove_from_list(struct gpu_work *w)
{
	pthread_mutex_lock(&lock);
	if (w->previous || first == w) {
		*(w->previous ? &w->previous->next : &first) = w->next;
		*(w->next ? &w->next->previous : &last) = w->previous;
	}
	done++;
	pthread_mutex_unlock(&lock);
}

static void forget(struct gpu_work *w)
{
	operation__abandon(&w->operation);
	retirement__release(w->operation.internal);
	remove_from_list(w);
	free(w);
}

/* ---- begin ---- */

struct submission {
	struct gpu_work *work;
	const struct rtrace_operation *op;
	struct submitter by;
};

static void begin(void *arg)
{
	const struct submission *s = arg;

	if (s->work->is_copy)
		copies__begin(s->work, s->op, &s->by);
	else
		dispatches__begin(s->work, s->op, &s->by);
}

/* The call that stores to the doorbell, unless another call is known to have reserved the slot. */
static struct submitter submitter_of(const struct rtrace_operation *op, struct thread *t)
{
	const struct rtrace_caller *c = &op->caller;

	if (op->passed_on && c->subscriber_id)
		return (struct submitter){c->subscriber_id, c->subscriber_ancestor, op->tid};
	if (t->current)
		return (struct submitter){t->current, t->ancestor, t->link.tid};
	return (struct submitter){thread__new_id(t), 0, t->link.tid};
}

/* What a tool throws must not leave the queue locked. */
static bool is_begun(struct gpu_work *w, const struct rtrace_operation *op, struct thread *t)
{
	struct submission s = {w, op, submitter_of(op, t)};
	bool outer = submitting;
	static bool said;

	retirement__hold(s.by.internal);
	submitting = true;
	if (catch__call(begin, &s) && !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		say("a tool has thrown an exception while a kernel or a copy was submitted");
	submitting = outer;
	if (!w->operation.open)
		retirement__release(s.by.internal);
	return w->operation.open;
}

void *gpu_work__submitted(const struct rtrace_operation *op)
{
	struct thread *t = thread__self();
	struct gpu_work *w = t ? malloc(sizeof(*w)) : NULL;

	if (!w) {
		say("no memory: a kernel or a copy is not told of");
		return NULL;
	}
	w->is_copy = op->wanted_as == RTRACE_WANT_COPIES;
	w->ended = w->telling = false;
	w->operation.open = false;
	if (!is_begun(w, op, t)) {
		free(w);
		return NULL;
	}
	if (w->operation.callbacks)
		gpu_ends__prepare();
	add(w);
	return w;
}

/* ---- end ---- */

static void tell(struct gpu_work *w)
{
	if (w->is_copy)
		copies__tell_end(w);
	else
		dispatches__tell_end(w);
}

static void record(struct gpu_work *w)
{
	if (w->is_copy)
		copies__record(w);
	else
		dispatches__record(w);
}

void gpu_work__tell(struct gpu_work *w)
{
	__atomic_store_n(&w->telling, true, __ATOMIC_RELAXED);
	tell(w);
	forget(w);
}

/* As in librocprofiler-sdk 1.0, the end of work that never ran is not reported. */
static void end(struct gpu_work *w, uint64_t begin_ns, uint64_t end_ns, bool failed)
{
	if (failed) {
		forget(w);
		return;
	}
	if (w->is_copy)
		copies__set_times(w, begin_ns, end_ns);
	else
		dispatches__set_times(w, begin_ns, end_ns);
	record(w);
	__atomic_store_n(&w->ended, true, __ATOMIC_RELAXED);
	if (!w->operation.callbacks)
		forget(w);
	else if (!gpu_ends__put(w))
		gpu_work__tell(w);
}

/* From here on the thread must not wait for a tool that reads buffers; what was so before. */
static bool pass_on(bool now)
{
	struct thread *t = thread__self();
	bool before = t && t->passes_on;

	if (t)
		t->passes_on = now;
	return before;
}

void gpu_work__ended(void *work, uint64_t begin_ns, uint64_t end_ns, bool failed)
{
	bool before = pass_on(true);

	end(work, begin_ns, end_ns, failed);
	pass_on(before);
}

void gpu_work__release(uint64_t internal)
{
	bool before = pass_on(true);

	retirement__release(internal);
	pass_on(before);
}

/* ---- waiting ---- */

/* Work that the thread itself is reporting does not count. */
static bool counts(const struct gpu_work *w, bool only_ended)
{
	if (only_ended && !__atomic_load_n(&w->ended, __ATOMIC_RELAXED))
		return false;
	return !gpu_ends__is_self() || !__atomic_load_n(&w->telling, __ATOMIC_RELAXED);
}

static bool is_left(uint64_t until, bool only_ended, uint64_t *so_far)
{
	bool left = false;

	pthread_mutex_lock(&lock);
	for (const struct gpu_work *w = first; w && w->number <= until && !left; w = w->next)
		left = counts(w, only_ended);
	*so_far = done;
	pthread_mutex_unlock(&lock);
	return left;
}

static bool is_any(uint64_t *until)
{
	bool any;

	pthread_mutex_lock(&lock);
	any = first;
	*until = begun;
	pthread_mutex_unlock(&lock);
	return any;
}

/* While it submits, a thread holds what is needed to learn of ends. */
void gpu_work__wait(void (*collect)(void), bool only_ended)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint32_t patience = only_ended ? PATIENCE_TOLD : PATIENCE_RUNS, pauses = 0;
	uint64_t until, seen = 0, so_far;

	if (!is_any(&until) || submitting)
		return;
	collect();
	while (is_left(until, only_ended, &so_far) && pauses++ < patience) {
		if (so_far != seen)
			pauses = 0;
		seen = so_far;
		if (gpu_ends__is_self())
			gpu_ends__go_on();
		nanosleep(&pause, NULL);
		collect();
	}
}

void gpu_work__finalize(void)
{
	gpu_ends__finalize();
}
