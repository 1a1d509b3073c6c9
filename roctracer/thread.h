/* SPDX-License-Identifier: MIT */
/*
 * What the library keeps of each thread that it has seen: where it is in our code, the ids of its
 * calls, the records that it has not handed to their pools yet.
 */
#ifndef ROCTRACER_THREAD_H
#define ROCTRACER_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inprocess/tsc_clock.h"
#include "inprocess/thread_list.h"

#define THREAD_REGIONS 8 /* nested ones that are recorded one by one */

struct frame;
struct stage;

struct ids {
	uint64_t *list;
	uint32_t count, capacity;
};

struct thread {
	struct thread_link link;
	bool of_agent; /* what it calls is not the application's doing */
	/* What the thread uses now, for region__wait(); see region_enter(). */
	uint32_t depth;
	const void *in[THREAD_REGIONS];
	struct ids calls; /* correlation ids of the calls that it is in */
	struct ids external;
	struct clock clock;
	struct stage *stages; /* one a pool */
	uint64_t graph;	      /* that it launches at the moment: graph_work's number */
	/* HIP up to 5.3.0: of the calls that it is in */
	struct frame *first_frame, *frame;
};

/* Calls `fn` for every thread that is or was. */
void thread__each(void (*fn)(struct thread *t, void *arg), void *arg);

/*
 * In a region a thread uses a place in a table, or what that points to. Entering costs two stores.
 */
static inline void region_enter(struct thread *t, const void *place)
{
	uint32_t depth = t->depth;

	if (depth < THREAD_REGIONS)
		__atomic_store_n(&t->in[depth], place, __ATOMIC_RELEASE);
	__atomic_store_n(&t->depth, depth + 1, __ATOMIC_RELEASE);
	thread__used();
}

static inline void region_leave(struct thread *t)
{
	__atomic_store_n(&t->depth, t->depth - 1, __ATOMIC_RELEASE);
}

/* Is the calling thread in a region, that is, in a callback of the tool? */
static inline bool region_is_inside(void)
{
	return thread_current && thread_current->depth;
}

/*
 * Is the thread in a region of a place between the two addresses? A thread that is in more than
 * THREAD_REGIONS is taken to be in all.
 */
bool region__is_in(const struct thread *t, const void *first, const void *end);

/*
 * The places between the two addresses have been changed: waits until no other thread is in a
 * region of them that it entered before.
 */
void region__wait(const void *first, const void *end);

/* ---- ids ---- */

/* False: no memory. */
bool ids__push(struct ids *s, uint64_t id);

static inline uint64_t ids__top(const struct ids *s)
{
	return s->count ? s->list[s->count - 1] : 0;
}

#endif
