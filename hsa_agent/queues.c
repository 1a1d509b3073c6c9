/* SPDX-License-Identifier: MIT */
/*
 * Which queues there are: those that the application has created since we were loaded, by itself or
 * through another tool.
 */
#include <stdlib.h>
#include <string.h>

#include "hsa_agent/map.h"
#include "hsa_agent/queue.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue *list;
static struct map by_handle = MAP_INIT;
static struct map by_doorbell = MAP_INIT;
static struct map unwatched = MAP_INIT; /* handles to ids */

static struct queue *find_queue(const hsa_queue_t *queue)
{
	return (struct queue *)map_get(&by_handle, (uint64_t)queue);
}

struct queue *queues_by_doorbell(hsa_signal_t signal)
{
	return (struct queue *)map_get(&by_doorbell, signal.handle);
}

struct owners *queues_owners(const hsa_queue_t *queue)
{
	struct queue *q = find_queue(queue);

	return q ? &q->owners : NULL;
}

void queues_identify(const hsa_queue_t *queue, uint32_t *id, uint32_t *device)
{
	const struct queue *q = find_queue(queue);

	*id = q ? q->id : map_get(&unwatched, (uint64_t)queue);
	*device = q ? q->device_id : 0;
}

uint64_t queues_reap(void)
{
	uint64_t left = 0;

	pthread_mutex_lock(&list_lock);
	for (struct queue *q = list; q; q = q->next) {
		dispatch_pass_on(q);
		left += inflight_reap(q);
	}
	pthread_mutex_unlock(&list_lock);
	return left;
}

void queues_follow(bool on)
{
	pthread_mutex_lock(&list_lock);
	for (struct queue *q = list; q; q = q->next)
		dispatch_follow(q, on);
	pthread_mutex_unlock(&list_lock);
}

/* ---- creation ---- */

static void free_queue(struct queue *q)
{
	owners_free(&q->owners);
	free(q->ops);
	free(q->spare);
	free(q);
}

static struct queue *new_queue(hsa_queue_t *hsa_queue, hsa_agent_t device)
{
	struct queue *q = aligned_alloc(64, sizeof(*q));

	if (!q)
		return NULL;
	memset(q, 0, sizeof(*q));
	pthread_mutex_init(&q->lock, NULL);
	q->hsa = hsa_queue;
	q->device = device;
	q->device_id = device_id(device);
	if (!owners_init(&q->owners, hsa_queue->size) && !inflight_init(q, hsa_queue->size))
		return q;
	free_queue(q);
	return NULL;
}

static void link_queue(struct queue *q)
{
	pthread_mutex_lock(&list_lock);
	q->next = list;
	list = q;
	dispatch_follow(q, agent_watching());
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
	if (map_put(&by_handle, (uint64_t)q->hsa, (uint64_t)q))
		return -1;
	if (!map_put(&by_doorbell, q->hsa->doorbell_signal.handle, (uint64_t)q))
		return 0;
	map_remove(&by_handle, (uint64_t)q->hsa);
	return -1;
}

static void make_unknown(const struct queue *q)
{
	map_remove(&by_doorbell, q->hsa->doorbell_signal.handle);
	map_remove(&by_handle, (uint64_t)q->hsa);
}

/* What it runs will not be seen. */
static void note_unwatched(const hsa_queue_t *queue, hsa_agent_t device, uint64_t begin)
{
	uint32_t id;

	__atomic_fetch_add(&agent.shm.state->skipped, 1, __ATOMIC_RELAXED);
	if (agent.off)
		return;
	id = queue_log_new(queue, device_id(device), false);
	map_put(&unwatched, (uint64_t)queue, id);
	queue_log_created(queue, id, device_id(device), begin);
}

static bool watch(hsa_queue_t *queue, hsa_agent_t device, uint64_t begin)
{
	struct queue *q = new_queue(queue, device);

	if (!q)
		return false;
	if (make_known(q)) {
		free_queue(q);
		return false;
	}
	hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(queue, 1);
	q->id = queue_log_new(queue, q->device_id, true);
	link_queue(q);
	queue_log_created(queue, q->id, q->device_id, begin);
	agent_say("queue %u: %u packets", q->id, queue->size);
	return true;
}

/*
 * The runtime has one cooperative queue a GPU and shares it out: it is let alone. A tool that was
 * loaded before us may have told us of the queue already.
 */
static void created(hsa_queue_t *queue, hsa_agent_t device, hsa_queue_type32_t type, uint64_t begin)
{
	bool can = !agent.off && device_id(device) && type != HSA_QUEUE_TYPE_COOPERATIVE;

	if (!agent.shm.base || find_queue(queue))
		return;
	if (!can || !watch(queue, device, begin))
		note_unwatched(queue, device, begin);
}

hsa_status_t queues__create(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type,
			    void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
			    uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
	uint64_t begin = agent_begin();
	hsa_status_t status;

	status = hsa.core.hsa_queue_create_fn(device, size, type, callback, data, private_size,
					      group_size, queue);
	if (status == HSA_STATUS_SUCCESS)
		created(*queue, device, type, begin);
	return status;
}

hsa_status_t queues__intercept_create(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type,
				      void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				      void *data, uint32_t private_size, uint32_t group_size,
				      hsa_queue_t **queue)
{
	uint64_t begin = agent_begin();
	hsa_status_t status;

	status = hsa.amd.hsa_amd_queue_intercept_create_fn(device, size, type, callback, data,
							   private_size, group_size, queue);
	if (status == HSA_STATUS_SUCCESS)
		created(*queue, device, type, begin);
	return status;
}

/* The times of our own signals hang on it, so it stays enabled. */
hsa_status_t queues__set_profiler_enabled(hsa_queue_t *queue, int enable)
{
	return hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(queue,
								 enable || find_queue(queue));
}

/* ---- destruction ---- */

static hsa_status_t destroy_unwatched(hsa_queue_t *queue)
{
	uint32_t id = map_get(&unwatched, (uint64_t)queue);
	uint64_t begin = agent_begin();
	hsa_status_t status;

	map_remove(&unwatched, (uint64_t)queue);
	status = hsa.core.hsa_queue_destroy_fn(queue);
	if (status != HSA_STATUS_SUCCESS)
		map_put(&unwatched, (uint64_t)queue, id);
	else if (agent.shm.base)
		queue_log_destroyed(queue, id, 0, begin);
	return status;
}

hsa_status_t queues__destroy(hsa_queue_t *queue)
{
	struct queue *q = find_queue(queue);
	uint64_t begin = agent_begin();
	hsa_status_t status;

	if (!q && map_get(&unwatched, (uint64_t)queue))
		return destroy_unwatched(queue);
	if (!q || !agent.shm.base)
		return hsa.core.hsa_queue_destroy_fn(queue);
	unlink_queue(q);
	make_unknown(q);
	status = hsa.core.hsa_queue_destroy_fn(queue);
	if (status == HSA_STATUS_SUCCESS) {
		queue_log_destroyed(queue, q->id, q->device_id, begin);
		inflight_release(q, true);
		free_queue(q);
	} else if (!make_known(q)) {
		link_queue(q);
	}
	return status;
}

void queues_release(void)
{
	pthread_mutex_lock(&list_lock);
	while (list) {
		struct queue *q = list;

		list = q->next;
		make_unknown(q);
		inflight_release(q,
				 false); /* it may still be passed packets: the rest of it stays */
	}
	pthread_mutex_unlock(&list_lock);
}

void queues_forked(void)
{
	pthread_mutex_init(&list_lock, NULL);
	pthread_mutex_init(&by_handle.lock, NULL);
	pthread_mutex_init(&by_doorbell.lock, NULL);
	list = NULL;
}
