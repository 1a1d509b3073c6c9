/* SPDX-License-Identifier: MIT */
/*
 * Pools: where records wait until the tool is given them.
 *
 * A pool has two buffers and a thread. Writers fill one buffer while the thread has the tool read
 * the other. A writer that finds both full waits, so nothing is lost. A thread that records its
 * calls does not take the pool's lock for each: it collects some on a stage of its own first.
 */
#ifndef ROCTRACER_POOL_H
#define ROCTRACER_POOL_H

#include "roctracer/roctracer.h"
#include "roctracer/thread.h"

struct pool;

roctracer_status_t pool__open(const roctracer_properties_t *properties, struct pool **pool);
/* Nothing writes to it any more. Not to be called by the thread of a pool. */
void pool__close(struct pool *p);
/* Is the caller the thread of a pool, that is, in the tool's callback? */
bool pool__is_a_thread(void);
/* Passes on all that was written before, and waits for that. */
void pool__flush(struct pool *p);

/*
 * Writes the record; with `external`, one in front of it that gives the same call this id. The
 * pool must stay while this runs.
 */
void pool__write(struct thread *t, struct pool *p, const activity_record_t *record,
		 const uint64_t *external);

/* The same for a record with a last member that is to point to a copy of the text. */
void pool__write_text(struct pool *p, const activity_record_t *record, const char *text);

/* For thread.c, in a forked child: pools have no threads there, what is written is dropped. */
void pool__forked(void);

#endif
