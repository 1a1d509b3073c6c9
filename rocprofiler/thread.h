/* SPDX-License-Identifier: MIT */
/*
 * What the library keeps of each thread that it has seen: the call that it is in, ids that it may
 * give out, and whether it is in a tool's code now.
 */
#ifndef RTRACE_ROCPROFILER_THREAD_H
#define RTRACE_ROCPROFILER_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_IDS 128 /* that a thread takes at once */

struct thread {
	struct thread *next; /* never changes: threads are never freed, but used again */
	uint32_t used;
	uint32_t tid;
	uint32_t depth;	   /* functions of tools that it is in */
	bool waiting;	   /* until no other is in any */
	bool passes_on;	   /* buffers: it must not wait for them */
	uint64_t current;  /* internal correlation id of the call that it is in; 0: of none */
	uint64_t ancestor; /* that call's */
	uint64_t next_id, ids_end;
};

extern __thread struct thread *thread_current __attribute__((tls_model("initial-exec")));

/* The calling thread's; NULL: no memory. */
struct thread *thread__new(void);

static inline struct thread *thread__self(void)
{
	struct thread *t = thread_current;

	return __builtin_expect(t != NULL, 1) ? t : thread__new();
}

/* The calling thread's number, with or without memory. */
uint32_t thread__tid(void);

/* Of this process: the main thread's number. */
uint32_t thread__pid(void);

/* A new internal correlation id, unique in the process. */
uint64_t thread__take_ids(struct thread *t);

static inline uint64_t thread__new_id(struct thread *t)
{
	return t->next_id < t->ids_end ? t->next_id++ : thread__take_ids(t);
}

/*
 * Around a call of a tool's function. Entering costs one store: it is who waits that pays, by
 * having the kernel order all threads' memory (membarrier), or, where that cannot be had, both do.
 */
extern bool thread_must_fence;

struct inside {
	struct thread *thread;
	uint32_t depth;
};

static inline struct inside thread__enter(struct thread *t)
{
	struct inside in = {t, t->depth};

	__atomic_store_n(&t->depth, in.depth + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(thread_must_fence, 0))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
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
 * What no tool is to be told any more was said before: waits until no other thread is in a tool's
 * function, though no longer than a second, as it may wait for this one.
 */
void thread__wait_for_others(void);

#endif
