/* SPDX-License-Identifier: MIT */
/*
 * What is enabled: for each operation of a domain a callback, and a pool for its records.
 *
 * A thread that is about to report an operation checks with one load whether it is enabled. If so,
 * the thread enters a region (thread.h) of the place in the table, loads the place again, uses its
 * contents, and leaves. So a thread that has taken something out can wait until it is unused.
 */
#ifndef ROCTRACER_TABLE_H
#define ROCTRACER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "roctracer/record_pools.h"
#include "roctracer/roctracer.h"
#include "roctracer/thread.h"

struct callback {
	activity_rtapi_callback_t function;
	void *arg;
	struct callback *const *place;
	struct callback *next; /* among those that have been taken out and may be in use */
};

struct table {
	uint32_t domain;
	uint32_t count;		     /* operations: those below that */
	struct callback **callbacks; /* NULL: none */
	struct pool **pools;	     /* NULL: no records */
	uint8_t *subscribed;	     /* by librocprofiler-sdk: roctracer_subscriber.h */
};

#define TABLE(name, which, operations)                        \
	static struct callback *name##_callbacks[operations]; \
	static struct pool *name##_pools[operations];         \
	static uint8_t name##_subscribed[operations];         \
	struct table name = {which, operations, name##_callbacks, name##_pools, name##_subscribed}

/* By roctracer_start and roctracer_stop. */
extern bool table_stopped;

static inline bool table__goes_on(void)
{
	return !__atomic_load_n(&table_stopped, __ATOMIC_RELAXED);
}

static inline bool table__has_callback(const struct table *t, uint32_t op)
{
	return __atomic_load_n(&t->callbacks[op], __ATOMIC_RELAXED) && table__goes_on();
}

static inline bool table__is_subscribed(const struct table *t, uint32_t op)
{
	return __atomic_load_n(&t->subscribed[op], __ATOMIC_RELAXED);
}

/* Is a call to be reported to a callback or the subscriber? */
static inline bool table__is_heard(const struct table *t, uint32_t op)
{
	return table__has_callback(t, op) || table__is_subscribed(t, op);
}

static inline bool table__has_pool(const struct table *t, uint32_t op)
{
	return __atomic_load_n(&t->pools[op], __ATOMIC_RELAXED) && table__goes_on();
}

/*
 * Is what a GPU did to be recorded? It belongs to its call: if the call was reported, the GPU's
 * work is recorded even if it ends after roctracer_stop.
 */
static inline bool table__takes_op(const struct table *t, uint32_t op, uint64_t correlation_id)
{
	return __atomic_load_n(&t->pools[op], __ATOMIC_RELAXED) &&
	       (correlation_id || table__goes_on());
}

/* Whether stopped or not. */
static inline bool table__is_enabled(const struct table *t, uint32_t op)
{
	return __atomic_load_n(&t->callbacks[op], __ATOMIC_RELAXED) ||
	       __atomic_load_n(&t->pools[op], __ATOMIC_RELAXED) || table__is_subscribed(t, op);
}

/*
 * Reports the begin of a call to the tool's callback and the subscriber. Returns which of them got
 * it, 0 for none, which the caller keeps for table__end(). Of those that got the begin,
 * table__end() calls the tool's callback if there still is one, and the subscriber in any case.
 */
uint8_t table__begin(const struct table *t, struct thread *self, uint32_t op, const void *data);
void table__end(const struct table *t, struct thread *self, uint32_t op, const void *data,
		uint8_t told);
/* Calls the operation's callback. False: there is none (any more). */
bool table__call(const struct table *t, struct thread *self, uint32_t op, const void *data);
/*
 * A call of the operation that began at that time ends now; 0: no record was wanted then. The
 * record is written into the operation's pool, if there (still) is one, with the thread's external
 * id.
 */
void table__record_call(const struct table *t, struct thread *self, uint32_t op,
			uint64_t correlation_id, uint64_t begin);
/* The same of what a GPU did; `text` is what the record's last member is to point to, or NULL. */
void table__record_op(const struct table *t, struct thread *self, const activity_record_t *record,
		      const char *text);

/* ---- changes: one thread at a time ---- */

/* NULL disables. False: no memory. */
bool table__set_callback(struct table *t, uint32_t op, activity_rtapi_callback_t function,
			 void *arg);
void table__set_pool(struct table *t, uint32_t op, struct pool *pool);
void table__set_subscribed(struct table *t, uint32_t op, bool subscribed);
/* Is nothing enabled? */
bool table__is_empty(const struct table *t);
/* Disables what writes to the pool; table__wait_pools is to follow. */
void table__remove_pool(struct table *t, const struct pool *pool);

/* ---- waiting; with no lock that a callback of the tool could want ---- */

/*
 * Until none that was taken out of these operations before is in use. Called from inside of a
 * callback it does not wait: others might wait for us, and each other would, if two did it.
 */
void table__wait_callbacks(const struct table *t, uint32_t first, uint32_t end);
/* The same; it does not wait on the thread of a pool, as writers may wait for that thread. */
void table__wait_pools(const struct table *t, uint32_t first, uint32_t end);

#endif
