/* SPDX-License-Identifier: MIT */
/*
 * The threads that a library has seen, and the ids that each of them may give out. libroctracer64
 * and librocprofiler-sdk have a list each, of a struct thread of their own.
 */
#ifndef ROCTRACER_THREAD_LIST_H
#define ROCTRACER_THREAD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREAD_IDS 128 /* that a thread takes at once */

/* What a struct thread begins with. */
struct thread_link {
	struct thread *next; /* never changes: threads are never freed, but used again */
	uint32_t used;
	uint32_t tid;
	uint64_t next_id, ids_end; /* of its own */
};

/* The library's own. */
extern const struct thread_kind {
	size_t size;			  /* of a struct thread, which is zeroed */
	void (*begins)(struct thread *t); /* on the thread; or NULL */
	/* It has ended, or was one of the parent's: another may have its place and contents. */
	void (*is_over)(struct thread *t);
	void (*forked)(void); /* in the child, when all others have ended */
} thread_kind;

extern __thread struct thread *thread_current __attribute__((tls_model("initial-exec")));

/* The calling thread's; NULL: no memory. */
struct thread *thread__new(void);

static inline struct thread *thread__self(void)
{
	struct thread *t = thread_current;

	return __builtin_expect(t != NULL, 1) ? t : thread__new();
}

/* Of this process: the main thread's number. */
uint32_t thread__pid(void);

/* All that are or were, by their links. */
struct thread *thread__first(void);

/* A new id, unique in the process. */
uint64_t thread__take_ids(struct thread_link *l);

static inline uint64_t thread__new_id(struct thread *t)
{
	struct thread_link *l = (struct thread_link *)t;

	return l->next_id < l->ids_end ? l->next_id++ : thread__take_ids(l);
}

/*
 * A thread shows what it uses by a store, and thread__used(). A thread that has changed something
 * and wants to know which threads use it orders all threads' memory before it looks. The looking
 * thread pays, by having the kernel do it (membarrier); where that cannot be had, both pay.
 */
extern bool thread_must_fence;

static inline void thread__used(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(thread_must_fence, 0))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void thread__order_memory(void);

#endif
