/* SPDX-License-Identifier: MIT */
/*
 * What the library keeps of each thread that it has seen: the call that it is in, ids that it may
 * give out, and whether it is in a tool's code now.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_THREAD_H
#define RTRACE_ROCPROFILER_SERVICE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inprocess/thread_list.h"

struct thread {
	struct thread_link link;
	uint32_t depth;	   /* functions of tools that it is in */
	bool waiting;	   /* until no other is in any */
	bool passes_on;	   /* buffers: it must not wait for them */
	uint64_t current;  /* internal correlation id of the call that it is in; 0: of none */
	uint64_t ancestor; /* that call's */
};

/* The calling thread's number, with or without memory. */
uint32_t thread__tid(void);

/* Around a call of a tool's function. Entering costs one store. */
struct inside {
	struct thread *thread;
	uint32_t depth;
};

static inline struct inside thread__enter(struct thread *t)
{
	struct inside in = {t, t->depth};

	__atomic_store_n(&t->depth, in.depth + 1, __ATOMIC_RELAXED);
	thread__used();
	return in;
}

static inline void thread__leave(const struct inside *in)
{
	__atomic_store_n(&in->thread->depth, in->depth, __ATOMIC_RELEASE);
}

/* From here to the end of the block, also where the tool throws. */
#define THREAD_INSIDE(t) \
	__attribute__((cleanup(thread__leave), unused)) struct inside inside = thread__enter(t)

/*
 * The caller has already stopped new callbacks. Waits until no other thread is in a tool's
 * function, for at most a second, as that thread may wait for this one.
 */
void thread__wait_for_others(void);

#endif
