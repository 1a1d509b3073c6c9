/* SPDX-License-Identifier: MIT */
/*
 * The producing end of the shared memory that agent_ring.h describes.
 *
 * Nothing here depends on HSA, waits or allocates: shared_memory__claim is a compare-and-swap and
 * may be called on an application's launch path, from any number of threads.
 */
#ifndef RTRACE_HSA_AGENT_RING_SHARED_MEMORY_H
#define RTRACE_HSA_AGENT_RING_SHARED_MEMORY_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/agent_ring.h"

struct shm {
	void *base; /* NULL: no memory */
	size_t size;
	struct rt_agent_header *header;
	struct rt_agent_control *control;
	struct rt_agent_state *state;
	struct rt_agent_flight *flights;
	char *meta;
	struct rt_agent_rec *ring;
	uint64_t slots;
	size_t ring_ready, flights_ready; /* bytes: shared_memory__prepare's */
	pthread_mutex_t meta_lock;
};

/*
 * Makes the memory of this process. `slots` is a power of two. Without room for spans if memory of
 * that size is refused. 0 or -errno. No tracer reads it before it is announced.
 */
int shared_memory__create(struct shm *shm, uint32_t slots, uint32_t hsa_major, uint32_t hsa_minor);

/* All that a tracer reads once, when it comes, is there. */
void shared_memory__announce(struct shm *shm);

/* Unmaps it: only for tests, the agent's memory stays for as long as its process. */
void shared_memory__destroy(struct shm *shm);

/*
 * After fork, in the child: puts private memory in the place of the shared, at the same address.
 * The parent's memory is then out of reach of the child, and no tracer takes the child for an
 * agent.
 */
void shared_memory__disown(struct shm *shm);

/*
 * Has the kernel provide the pages that will be written next, for otherwise the launch path would
 * wait for each. To be called by one thread, now and then.
 */
void shared_memory__prepare(struct shm *shm);

/*
 * Claims the next slot for a record of that kind: kind set, all else zero. NULL when the ring is
 * full; the record is counted as lost. Every claimed slot must be passed to shared_memory__publish.
 */
struct rt_agent_rec *shared_memory__claim(struct shm *shm, enum rt_agent_kind kind, uint64_t *pos);
void shared_memory__publish(struct rt_agent_rec *rec, uint64_t pos);

/* Counts a record that could not be made for other reasons than a full ring. */
void shared_memory__lose(struct shm *shm, enum rt_agent_kind kind);

/*
 * Appends a record of size `rec->size` to the meta log, and returns where it is stored from now on,
 * for good. NULL: it did not fit, counted.
 */
const void *shared_memory__meta(struct shm *shm, const struct rt_meta_hdr *rec);

/* Counts a record for it that could not be made. */
void shared_memory__lose_meta(struct shm *shm);

#endif
