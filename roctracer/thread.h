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

#include "roctracer/clock.h"

#define THREAD_REGIONS 8   /* one inside the other that are told apart */
#define THREAD_IDS     128 /* correlation ids that a thread takes at once */

struct frame;
struct stage;

struct ids {
	uint64_t *list;
	uint32_t count, capacity;
};

struct thread {
	struct thread *next; /* never changes: threads are never freed, but used again */
	uint32_t used;
	uint32_t tid;
	bool of_agent; /* what it calls is not the application's doing */
	/* What the thread uses now, for who waits for that; see region_enter. */
	uint32_t depth;
	const void *in[THREAD_REGIONS];
	uint64_t next_id, ids_end; /* of its own */
	struct ids calls;	   /* correlation ids of the calls that it is in */
	struct ids external;
	struct clock clock;
	struct stage *stages; /* one a pool */
	uint64_t graph;	      /* that it launches at the moment: graph_work's number */
	/* HIP up to 5.3.0: of the calls that it is in */
	struct frame *first_frame, *frame;
};

extern __thread struct thread *thread_current __attribute__((tls_model("initial-exec")));

/* The calling thread's; NULL: no memory. */
struct thread *thread__new(void);

static inline struct thread *thread__self(void)
{
	struct thread *t = thread_current;

	return __builtin_expect(t != NULL, 1) ? t : thread__new();
}

/* Of this process. */
uint32_t thread__pid(void);

/* Calls `fn` for every thread that is or was. */
void thread__each(void (*fn)(struct thread *t, void *arg), void *arg);

/*
 * A region is where a thread uses a place in a table, or what hangs on it. Entering costs two
 * stores: it is who waits that pays, by having the kernel order all threads' memory (membarrier),
 * or, where that cannot be had, both do.
 */
extern bool thread_must_fence;

static inline void region_enter(struct thread *t, const void *place)
{
	uint32_t depth = t->depth;

	if (depth < THREAD_REGIONS)
		__atomic_store_n(&t->in[depth], place, __ATOMIC_RELAXED);
	__atomic_store_n(&t->depth, depth + 1, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(thread_must_fence, 0))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
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
 * Is the thread in a region of what lies between the two addresses? One that is in more than can be
 * told apart is taken to be in all.
 */
bool region_is_in(const struct thread *t, const void *first, const void *end);

/*
 * What lies between the two addresses has been changed: waits until no other thread is in a region
 * of it that it entered before.
 */
void region_wait(const void *first, const void *end);

/* ---- ids ---- */

/* A new one, unique in the process. */
static inline uint64_t thread__new_id(struct thread *t);
uint64_t thread__take_ids(struct thread *t);

static inline uint64_t thread__new_id(struct thread *t)
{
	return t->next_id < t->ids_end ? t->next_id++ : thread__take_ids(t);
}

/* False: no memory. */
bool ids__push(struct ids *s, uint64_t id);

static inline uint64_t ids__top(const struct ids *s)
{
	return s->count ? s->list[s->count - 1] : 0;
}

#endif
