/* SPDX-License-Identifier: MIT */
/*
 * The operations that complete the application's own signals while recording.
 *
 * A kernel that completes a signal S of the application writes its times there. They have to be
 * read before something else completes S: so a table has an entry for each S with such an
 * operation, and the code that learns that S is used again or destroyed takes the times first, if
 * the reaper has not. A kernel's end time, which was zero before, shows that it has ended: the
 * value of S is the application's to change.
 *
 * A copy is different: the runtime finds its times by the signal that it completes, which is ours
 * (copy_hooks.c). An application that asks the runtime for the times of its own S has to get those
 * of the copy: the entry holds them.
 *
 * An entry lives until its signal is destroyed or completed by something else; after recording has
 * ended, those of kernels last until these end, those of copies cost a look when a copy is made.
 */
#include <pthread.h>
#include <stdlib.h>

#include "hsa_agent/gpu/queue_internal.h"

#define SHARDS	64
#define BUCKETS 256 /* of a shard */

struct entry {
	struct entry *next;
	uint64_t signal;
	struct op *kernel;   /* it will complete the signal; NULL: none */
	uint64_t copy;	     /* operation, 0 none */
	uint64_t begin, end; /* of the copy */
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
static uint32_t kernels;

bool shadow__has_kernels(void)
{
	return __atomic_load_n(&kernels, __ATOMIC_ACQUIRE);
}

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

/* The entry that the link points to, made if there is none. NULL: no memory. */
static struct entry *get_entry(struct entry **link, struct shard *shard, hsa_signal_t signal)
{
	struct entry *e = *link;

	if (e)
		return e;
	e = shard->unused;
	if (e)
		shard->unused = e->next;
	else
		e = malloc(sizeof(*e));
	if (!e)
		return NULL;
	*e = (struct entry){.signal = signal.handle};
	*link = e;
	__atomic_fetch_add(&shadow_count, 1, __ATOMIC_RELAXED);
	return e;
}

static void remove_entry(struct entry **link, struct shard *shard)
{
	struct entry *e = *link;

	*link = e->next;
	e->next = shard->unused;
	shard->unused = e;
	__atomic_fetch_sub(&shadow_count, 1, __ATOMIC_RELAXED);
}

/* ---- kernels ---- */

static void detach(struct entry *e)
{
	flight__end(e->kernel->notice.op);
	e->kernel = NULL;
	__atomic_fetch_sub(&kernels, 1, __ATOMIC_RELEASE);
}

/* Reports the end of the kernel if it has ended. False: it has not. */
static bool take_times(struct entry *e)
{
	const hsa_signal_t signal = {e->signal};

	if (!__atomic_load_n(&signal_abi(signal)->end_ts, __ATOMIC_ACQUIRE))
		return false;
	inflight__tell_end(e->kernel);
	e->kernel->told = true;
	detach(e);
	return true;
}

/* The signal is reused or destroyed before the times were read from it. */
static void end_untimed(struct entry *e)
{
	inflight__tell_untimed(&e->kernel->notice, e->kernel->device_id);
	e->kernel->told = true;
	detach(e);
}

static bool is_usable(hsa_signal_t signal)
{
	return signal_abi(signal)->kind == AMD_SIGNAL_KIND_USER && signal_value(signal) == 1;
}

static void watch(struct entry *e, struct op *op)
{
	const hsa_signal_t signal = {e->signal};

	signal_abi(signal)->start_ts = 0;
	__atomic_store_n(&signal_abi(signal)->end_ts, 0, __ATOMIC_RELEASE);
	e->copy = 0;
	e->kernel = op;
	__atomic_fetch_add(&kernels, 1, __ATOMIC_RELAXED);
}

/* `op` NULL: there is room for one, and it could be watched. */
static bool watch_if_free(hsa_signal_t signal, struct op *op)
{
	struct shard *shard;
	struct entry **link, *e;
	bool is_free;

	if (!is_usable(signal))
		return false;
	link = lock_entry(signal, &shard);
	e = get_entry(link, shard, signal);
	is_free = e && (!e->kernel || take_times(e));
	if (is_free && op)
		watch(e, op);
	pthread_mutex_unlock(&shard->lock);
	return is_free;
}

bool shadow__reserve(hsa_signal_t signal)
{
	return watch_if_free(signal, NULL);
}

bool shadow__watch(hsa_signal_t signal, struct op *op)
{
	return watch_if_free(signal, op);
}

bool shadow__has_ended(struct op *op)
{
	struct shard *shard;
	struct entry **link = lock_entry(op->timed, &shard);
	bool ended = op->told;

	if (!ended && *link && (*link)->kernel == op) {
		ended = take_times(*link);
		if (ended && !(*link)->copy)
			remove_entry(link, shard);
	}
	pthread_mutex_unlock(&shard->lock);
	return ended;
}

void shadow__forget(struct op *op)
{
	struct shard *shard;
	struct entry **link = lock_entry(op->timed, &shard);

	if (*link && (*link)->kernel == op) {
		detach(*link);
		remove_entry(link, shard);
	}
	pthread_mutex_unlock(&shard->lock);
}

void shadow__stamp(hsa_signal_t signal, uint64_t begin, uint64_t end)
{
	struct shard *shard;
	struct entry *e = *lock_entry(signal, &shard);

	if (!e || !e->kernel) {
		signal_abi(signal)->start_ts = begin;
		signal_abi(signal)->end_ts = end;
	}
	pthread_mutex_unlock(&shard->lock);
}

/* ---- copies ---- */

bool shadow__expect_copy(hsa_signal_t signal, uint64_t op)
{
	struct shard *shard;
	struct entry **link = lock_entry(signal, &shard);
	struct entry *e = get_entry(link, shard, signal);

	if (e) {
		if (e->kernel)
			take_times(e);
		e->copy = op;
		e->begin = e->end = 0;
	}
	pthread_mutex_unlock(&shard->lock);
	return e;
}

void shadow__settle_copy(hsa_signal_t signal, uint64_t op, uint64_t begin, uint64_t end)
{
	struct shard *shard;
	struct entry *e = *lock_entry(signal, &shard);

	if (e && e->copy == op) {
		e->begin = begin;
		e->end = end;
	}
	pthread_mutex_unlock(&shard->lock);
}

/*
 * The runtime knows nothing of a copy that completes the application's signal, so it has no answer
 * to give; its answer counts only when we have none either.
 */
hsa_status_t hook_hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
							hsa_amd_profiling_async_copy_time_t *time)
{
	struct shard *shard;
	struct entry *e;
	bool known;

	if (likely(!__atomic_load_n(&shadow_count, __ATOMIC_RELAXED)) || !time)
		return hsa.amd.hsa_amd_profiling_get_async_copy_time_fn(signal, time);
	e = *lock_entry(signal, &shard);
	known = e && e->copy;
	if (known) {
		time->start = e->begin;
		time->end = e->end;
	}
	pthread_mutex_unlock(&shard->lock);
	return known ? HSA_STATUS_SUCCESS
		     : hsa.amd.hsa_amd_profiling_get_async_copy_time_fn(signal, time);
}

/* ---- ends ---- */

void shadow__drop_slow(hsa_signal_t signal, bool destroyed)
{
	struct shard *shard;
	struct entry **link = lock_entry(signal, &shard);
	struct entry *e = *link;

	if (e && e->kernel && !take_times(e) && destroyed)
		end_untimed(e);
	if (e)
		e->copy = 0;
	if (e && !e->kernel)
		remove_entry(link, shard);
	pthread_mutex_unlock(&shard->lock);
}

hsa_status_t hook_hsa_signal_destroy(hsa_signal_t signal)
{
	if (unlikely(__atomic_load_n(&shadow_count, __ATOMIC_RELAXED)))
		shadow__drop_slow(signal, true);
	return hsa.core.hsa_signal_destroy_fn(signal);
}

void shadow__forked(void)
{
	for (int i = 0; i < SHARDS; i++)
		pthread_mutex_init(&shards[i].lock, NULL);
}
