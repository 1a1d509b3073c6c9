/* SPDX-License-Identifier: MIT */
/*
 * Which queues there are: those that the application has created since we were loaded, by itself or
 * through another tool.
 */
#include <stdlib.h>
#include <string.h>

#include "inprocess/pointer_map.h"
#include "inprocess/peek.h"
#include "hsa_agent/gpu/queue_internal.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue *list;
static struct map by_handle = MAP_INIT;
static struct map by_doorbell = MAP_INIT;

/* See struct queue's `users`. */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
/* The queue that the thread has learned of last, in a call that creates one. */
static __thread const hsa_queue_t *learned __attribute__((tls_model("initial-exec")));

static struct queue *find_queue(const hsa_queue_t *queue)
{
	return (struct queue *)pointer_map__get(&by_handle, (uint64_t)queue);
}

struct queue *queues__by_doorbell(hsa_signal_t signal)
{
	return (struct queue *)pointer_map__get(&by_doorbell, signal.handle);
}

struct owners *queues__owners(const hsa_queue_t *queue)
{
	struct queue *q = find_queue(queue);

	return q && q->watched ? &q->owners : NULL;
}

void queues__identify(const hsa_queue_t *queue, uint32_t *id, uint32_t *device)
{
	const struct queue *q = find_queue(queue);

	*id = q ? q->id : 0;
	*device = q ? q->device_id : 0;
}

uint64_t queues__reap(void)
{
	uint64_t left = 0;

	pthread_mutex_lock(&list_lock);
	for (struct queue *q = list; q; q = q->next) {
		dispatch__pass_on(q);
		left += inflight__reap(q);
	}
	pthread_mutex_unlock(&list_lock);
	return left;
}

void queues__follow(bool on)
{
	pthread_mutex_lock(&list_lock);
	for (struct queue *q = list; q; q = q->next)
		dispatch__follow(q, on);
	pthread_mutex_unlock(&list_lock);
}

/* ---- creation ---- */

static void free_queue(struct queue *q)
{
	owners__free(&q->owners);
	free(q->ops);
	free(q->spare);
	free(q);
}

/* Without room for operations it is not watched. NULL: no memory at all. */
static struct queue *new_queue(hsa_queue_t *hsa_queue, hsa_agent_t device, hsa_queue_type32_t type)
{
	struct queue *q = aligned_alloc(64, sizeof(*q));

	if (!q)
		return NULL;
	memset(q, 0, sizeof(*q));
	pthread_mutex_init(&q->lock, NULL);
	q->hsa = hsa_queue;
	q->device = device;
	q->device_id = device__id(device);
	q->users = 1;
	q->shared = type == HSA_QUEUE_TYPE_COOPERATIVE;
	q->watched = !agent.off && q->device_id && !owners__init(&q->owners, hsa_queue->size) &&
		     !inflight__init(q, hsa_queue->size);
	return q;
}

static void link_queue(struct queue *q)
{
	pthread_mutex_lock(&list_lock);
	q->next = list;
	list = q;
	dispatch__follow(q, agent_watching() || agent.off);
	pthread_mutex_unlock(&list_lock);
}

static void unlink_queue(struct queue *q)
{
	pthread_mutex_lock(&list_lock);
	for (struct queue **link = &list; *link; link = &(*link)->next)
		if (*link == q) {
			*link = q->next;
			break;
		}
	pthread_mutex_unlock(&list_lock);
}

static int make_known(struct queue *q)
{
	if (pointer_map__put(&by_handle, (uint64_t)q->hsa, (uint64_t)q))
		return -1;
	if (!pointer_map__put(&by_doorbell, q->hsa->doorbell_signal.handle, (uint64_t)q))
		return 0;
	pointer_map__remove(&by_handle, (uint64_t)q->hsa);
	return -1;
}

static void make_unknown(const struct queue *q)
{
	pointer_map__remove(&by_doorbell, q->hsa->doorbell_signal.handle);
	pointer_map__remove(&by_handle, (uint64_t)q->hsa);
}

/* False: no memory. Nothing is known of what it runs then, not even how much. */
static bool learn(hsa_queue_t *queue, hsa_agent_t device, hsa_queue_type32_t type, uint64_t begin)
{
	struct queue *q = new_queue(queue, device, type);

	if (!q)
		return false;
	if (make_known(q)) {
		free_queue(q);
		return false;
	}
	if (q->watched)
		hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(queue, 1);
	else
		__atomic_fetch_add(&agent.shm.state->skipped, 1, __ATOMIC_RELAXED);
	q->id = queue_log__new(queue, q->device_id, q->watched);
	link_queue(q);
	queue_log__created(queue, q->id, q->device_id, begin);
	agent__say("queue %u: %u packets%s", q->id, queue->size, q->watched ? "" : ", not watched");
	return true;
}

/* A tool that was loaded before us may have reported the queue to us already. */
static void created(hsa_queue_t **place, hsa_agent_t device, hsa_queue_type32_t type,
		    uint64_t begin)
{
	hsa_queue_t *queue = peek__pointer((void **)place, NULL);
	struct queue *q;

	if (!agent.shm.base)
		return;
	q = queue ? find_queue(queue) : NULL;
	if (!queue || (!q && !learn(queue, device, type, begin)))
		__atomic_fetch_add(&agent.shm.state->skipped, 1, __ATOMIC_RELAXED);
	else if (q && q->shared && learned != queue)
		q->users++;
	learned = queue;
}

/* Are queues of that type created and destroyed in turn? */
static void lock_shared(hsa_queue_type32_t type)
{
	learned = NULL;
	if (type == HSA_QUEUE_TYPE_COOPERATIVE)
		pthread_mutex_lock(&shared_lock);
}

static void unlock_shared(hsa_queue_type32_t type)
{
	if (type == HSA_QUEUE_TYPE_COOPERATIVE)
		pthread_mutex_unlock(&shared_lock);
}

hsa_status_t hook_hsa_queue_create(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type,
				   void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				   void *data, uint32_t private_size, uint32_t group_size,
				   hsa_queue_t **queue)
{
	uint64_t begin = agent_begin();
	hsa_status_t status;

	lock_shared(type);
	status = hsa.core.hsa_queue_create_fn(device, size, type, callback, data, private_size,
					      group_size, queue);
	if (status == HSA_STATUS_SUCCESS)
		created(queue, device, type, begin);
	unlock_shared(type);
	return status;
}

/* A tool may call this from inside of the above, and has a queue of its own over that which is
 * shared. */
hsa_status_t
hook_hsa_amd_queue_intercept_create(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type,
				    void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				    void *data, uint32_t private_size, uint32_t group_size,
				    hsa_queue_t **queue)
{
	uint64_t begin = agent_begin();
	hsa_status_t status;

	status = hsa.amd.hsa_amd_queue_intercept_create_fn(device, size, type, callback, data,
							   private_size, group_size, queue);
	if (status == HSA_STATUS_SUCCESS)
		created(queue, device, HSA_QUEUE_TYPE_MULTI, begin);
	return status;
}

/* The times of our own signals depend on it, so it stays enabled. */
hsa_status_t hook_hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *queue, int enable)
{
	return hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(queue,
								 enable || queues__owners(queue));
}

/* ---- destruction ---- */

/* The runtime may give another thread its place in memory at once: so it is unknown before. */
static hsa_status_t destroy(struct queue *q, uint64_t begin)
{
	hsa_queue_t *queue = q->hsa;
	hsa_status_t status;

	unlink_queue(q);
	make_unknown(q);
	status = hsa.core.hsa_queue_destroy_fn(queue);
	if (status == HSA_STATUS_SUCCESS) {
		queue_log__destroyed(queue, q->id, q->device_id, begin);
		inflight__release(q, true);
		free_queue(q);
	} else if (!make_known(q)) {
		link_queue(q);
	}
	return status;
}

/* The last user's call destroys it. */
static hsa_status_t destroy_shared(hsa_queue_t *queue, uint64_t begin)
{
	hsa_status_t status;
	struct queue *q;

	pthread_mutex_lock(&shared_lock);
	q = find_queue(queue);
	if (q && q->users == 1) {
		status = destroy(q, begin);
	} else {
		status = hsa.core.hsa_queue_destroy_fn(queue);
		if (q && status == HSA_STATUS_SUCCESS)
			q->users--;
	}
	pthread_mutex_unlock(&shared_lock);
	return status;
}

hsa_status_t hook_hsa_queue_destroy(hsa_queue_t *queue)
{
	struct queue *q = find_queue(queue);
	uint64_t begin = agent_begin();

	if (!q || !agent.shm.base)
		return hsa.core.hsa_queue_destroy_fn(queue);
	return q->shared ? destroy_shared(queue, begin) : destroy(q, begin);
}

void queues__release(void)
{
	pthread_mutex_lock(&list_lock);
	while (list) {
		struct queue *q = list;

		list = q->next;
		make_unknown(q);
		inflight__release(q,
				  false); /* it may still be passed packets: the rest of it stays */
	}
	pthread_mutex_unlock(&list_lock);
}

void queues__forked(void)
{
	pthread_mutex_init(&list_lock, NULL);
	pthread_mutex_init(&shared_lock, NULL);
	pthread_mutex_init(&by_handle.lock, NULL);
	pthread_mutex_init(&by_doorbell.lock, NULL);
	list = NULL;
}
