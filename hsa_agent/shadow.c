/* SPDX-License-Identifier: MIT */
/*
 * Answers the application's questions for the times of its signals.
 *
 * While recording, a kernel or a copy completes one of our signals, and the application's signal is
 * completed in consequence (by a barrier packet, or by us). The times in the application's signal
 * are then those of the consequence. An application that asks the runtime for the times of its
 * signal, as HIP does for its events, has to get those of the kernel: so this map goes from the
 * application's signal to the operation that it stands for. An entry is pending while our signal
 * still holds the times, and settled when they have been copied into the entry.
 *
 * An entry lives until its signal is destroyed or is completed by something that we did not
 * replace; after recording has ended the map therefore runs empty, and costs nothing again.
 */
#include <pthread.h>
#include <stdlib.h>

#include "hsa_agent/core.h"

#define SHARDS	64
#define BUCKETS 256 /* of a shard */

struct entry {
	struct entry *next;
	uint64_t signal;
	uint64_t op;
	hsa_signal_t timed; /* .handle == 0: settled */
	uint64_t begin, end;
};

struct shard {
	pthread_mutex_t lock;
	struct entry *buckets[BUCKETS];
	struct entry *unused;
};

static struct shard shards[SHARDS] = {
	[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER},
};

uint32_t shadow_count;

/* Locks the shard of the signal and returns the link that points to its entry, or to NULL. */
static struct entry **lock_entry(hsa_signal_t signal, struct shard **shard)
{
	uint64_t hash = signal.handle * 0x9e3779b97f4a7c15ULL;
	struct entry **link;

	*shard = &shards[hash >> 58];
	pthread_mutex_lock(&(*shard)->lock);
	link = &(*shard)->buckets[(hash >> 40) % BUCKETS];
	while (*link && (*link)->signal != signal.handle)
		link = &(*link)->next;
	return link;
}

static struct entry *new_entry(struct shard *shard)
{
	struct entry *e = shard->unused;

	if (e)
		shard->unused = e->next;
	else
		e = malloc(sizeof(*e));
	if (e)
		__atomic_fetch_add(&shadow_count, 1, __ATOMIC_RELAXED);
	return e;
}

bool shadow_expect(hsa_signal_t signal, uint64_t op, hsa_signal_t timed)
{
	struct shard *shard;
	struct entry **link = lock_entry(signal, &shard);
	struct entry *e = *link;

	if (!e) {
		e = new_entry(shard);
		if (e) {
			e->next = NULL;
			e->signal = signal.handle;
			*link = e;
		}
	}
	if (e) {
		e->op = op;
		e->timed = timed;
	}
	pthread_mutex_unlock(&shard->lock);
	return e;
}

void shadow_settle(hsa_signal_t signal, uint64_t op, uint64_t begin, uint64_t end)
{
	struct shard *shard;
	struct entry *e = *lock_entry(signal, &shard);

	if (e && e->op == op) {
		e->timed.handle = 0;
		e->begin = begin;
		e->end = end;
	}
	pthread_mutex_unlock(&shard->lock);
}

void shadow_drop_slow(hsa_signal_t signal)
{
	struct shard *shard;
	struct entry **link = lock_entry(signal, &shard);
	struct entry *e = *link;

	if (e) {
		*link = e->next;
		e->next = shard->unused;
		shard->unused = e;
		__atomic_fetch_sub(&shadow_count, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&shard->lock);
}

void shadow_forked(void)
{
	for (int i = 0; i < SHARDS; i++)
		pthread_mutex_init(&shards[i].lock, NULL);
}

hsa_status_t shadow__get_dispatch_time(hsa_agent_t device, hsa_signal_t signal,
				       hsa_amd_profiling_dispatch_time_t *time)
{
	hsa_status_t status = hsa.amd.hsa_amd_profiling_get_dispatch_time_fn(device, signal, time);
	struct shard *shard;
	struct entry *e;

	if (status || likely(!__atomic_load_n(&shadow_count, __ATOMIC_RELAXED)))
		return status;
	e = *lock_entry(signal, &shard);
	if (e && e->timed.handle) {
		status = hsa.amd.hsa_amd_profiling_get_dispatch_time_fn(device, e->timed, time);
	} else if (e) {
		time->start = e->begin;
		time->end = e->end;
	}
	pthread_mutex_unlock(&shard->lock);
	return status;
}

/*
 * The runtime knows nothing of a copy that completes the application's signal, so it has no answer
 * to give; what it says counts only when we have none either.
 */
hsa_status_t shadow__get_async_copy_time(hsa_signal_t signal,
					 hsa_amd_profiling_async_copy_time_t *time)
{
	struct shard *shard;
	struct entry *e;
	bool known;

	if (likely(!__atomic_load_n(&shadow_count, __ATOMIC_RELAXED)) || !time)
		return hsa.amd.hsa_amd_profiling_get_async_copy_time_fn(signal, time);
	e = *lock_entry(signal, &shard);
	known = e && !e->timed.handle;
	if (known) {
		time->start = e->begin;
		time->end = e->end;
	}
	pthread_mutex_unlock(&shard->lock);
	return known ? HSA_STATUS_SUCCESS
		     : hsa.amd.hsa_amd_profiling_get_async_copy_time_fn(signal, time);
}

hsa_status_t shadow__signal_destroy(hsa_signal_t signal)
{
	shadow_drop(signal);
	return hsa.core.hsa_signal_destroy_fn(signal);
}
