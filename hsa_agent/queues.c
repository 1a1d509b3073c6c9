/* SPDX-License-Identifier: MIT */
/*
 * Queues: shows us every packet before the GPU sees it, and has the GPU tell when it ran a kernel.
 *
 * The application's queues are made as intercept queues of the runtime, which calls intercept()
 * with every packet that the application submits. While recording, a kernel's dispatch packet, on
 * demand a barrier packet too, gets one of our signals as completion signal; the GPU writes the
 * kernel's times into it, and the reaper reads them. If the application had put a signal S there, a
 * barrier-AND packet follows that depends on ours and completes S: still on the GPU, with no CPU in
 * between. Its fences are those that the dispatch packet promised to whoever waits for S.
 *
 * The runtime serialises intercept() by queue, so operations in flight are a ring with one producer
 * and one consumer, and so is the way back of the signals that the reaper is done with.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hsa_agent/core.h"
#include "hsa_agent/map.h"
#include "hsa_agent/room.h"

#define IN_FLIGHT_MIN 16384
#define BATCH	      32 /* packets rewritten at a time */

struct op {
	uint64_t op;
	hsa_signal_t timed; /* ours: the kernel completes it */
	hsa_signal_t own;   /* the application's, or .handle == 0 */
};

struct queue {
	struct queue *next;
	hsa_queue_t *hsa;
	hsa_agent_t device;
	uint32_t device_id, id;
	struct room room;
	struct owners owners;
	uint64_t mask; /* of both rings */
	struct op *ops;
	hsa_signal_t *spare;
	/* of the interceptor */
	uint64_t head __attribute__((aligned(64)));
	uint64_t spare_tail;
	hsa_signal_t ready; /* taken, not yet used */
	/* of the reaper */
	uint64_t tail __attribute__((aligned(64)));
	uint64_t spare_head;
};

/* All that may have a completion signal have it at the same place. */
union packet {
	uint16_t header;
	hsa_kernel_dispatch_packet_t dispatch;
	hsa_barrier_and_packet_t barrier;
	hsa_amd_barrier_value_packet_t barrier_value;
	char size[64];
};

#define SIGNAL_OFFSET offsetof(hsa_kernel_dispatch_packet_t, completion_signal)
_Static_assert(SIGNAL_OFFSET == offsetof(hsa_barrier_and_packet_t, completion_signal) &&
		       SIGNAL_OFFSET == offsetof(hsa_barrier_or_packet_t, completion_signal) &&
		       SIGNAL_OFFSET == offsetof(hsa_amd_barrier_value_packet_t, completion_signal),
	       "one place for the completion signal");

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue *list;
static struct map by_handle = MAP_INIT;
static struct map unwatched = MAP_INIT; /* handles to ids */

static struct queue *find_queue(const hsa_queue_t *queue)
{
	return (struct queue *)map_get(&by_handle, (uint64_t)queue);
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

/* ---- the dispatch path ---- */

static unsigned int header_type(uint16_t header)
{
	return (header >> HSA_PACKET_HEADER_TYPE) & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

/* As what the packet is recorded while recording; RT_AGENT_NONE: it is not. */
static enum rt_agent_kind packet_kind(const union packet *pkt)
{
	switch (header_type(pkt->header)) {
	case HSA_PACKET_TYPE_KERNEL_DISPATCH:
		return RT_AGENT_DISPATCH;
	case HSA_PACKET_TYPE_BARRIER_AND:
	case HSA_PACKET_TYPE_BARRIER_OR:
		break;
	case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
		if (pkt->barrier_value.header.AmdFormat != HSA_AMD_PACKET_TYPE_BARRIER_VALUE)
			return RT_AGENT_NONE;
		break;
	default:
		return RT_AGENT_NONE;
	}
	return __atomic_load_n(&agent.wants, __ATOMIC_RELAXED) & RT_AGENT_WANT_BARRIERS
		       ? RT_AGENT_BARRIER
		       : RT_AGENT_NONE;
}

static uint16_t barrier_header(uint16_t dispatch)
{
	uint16_t scope = (dispatch >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE) &
			 ((1u << HSA_PACKET_HEADER_WIDTH_SCRELEASE_FENCE_SCOPE) - 1);

	return HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
	       scope << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
	       scope << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
}

/* Has q->ready be a signal that waits to be completed. */
static bool make_ready(struct queue *q)
{
	amd_signal_t *abi;

	if (!q->ready.handle) {
		if (q->spare_tail != __atomic_load_n(&q->spare_head, __ATOMIC_ACQUIRE))
			q->ready = q->spare[q->spare_tail++ & q->mask];
		else
			q->ready = signal_take_polled();
	}
	if (!q->ready.handle)
		return false;
	abi = signal_abi(q->ready);
	abi->start_ts = 0;
	abi->end_ts = 0;
	hsa.core.hsa_signal_store_relaxed_fn(q->ready, 1);
	return true;
}

/* Whose packet it is: see owners.c. */
static void fill_owner(struct rt_agent_rec *rec, const struct queue *q, uint64_t index)
{
	struct owner owner;

	rec->time = shm_now();
	if (!owners_find(&q->owners, index, &owner))
		return;
	rec->tid = owner.tid;
	if (owner.tid == agent_tid() && !owners_moved_on(q->hsa, index))
		return;
	rec->dispatch.passed_on = rec->time;
	rec->time = owner.time;
}

static void fill_dispatch(struct rt_agent_rec *rec, const hsa_kernel_dispatch_packet_t *pkt)
{
	rec->dispatch.kernel = kernel_id(pkt->kernel_object);
	rec->dispatch.grid[0] = pkt->grid_size_x;
	rec->dispatch.grid[1] = pkt->grid_size_y;
	rec->dispatch.grid[2] = pkt->grid_size_z;
	rec->dispatch.workgroup[0] = pkt->workgroup_size_x;
	rec->dispatch.workgroup[1] = pkt->workgroup_size_y;
	rec->dispatch.workgroup[2] = pkt->workgroup_size_z;
	rec->dispatch.lds = pkt->group_segment_size;
	rec->dispatch.scratch = pkt->private_segment_size;
	rec->dispatch.kernel_object = pkt->kernel_object;
}

static void fill_record(struct rt_agent_rec *rec, const struct queue *q, uint64_t op,
			uint64_t index, const union packet *pkt)
{
	rec->flags = pkt->header & 1u << HSA_PACKET_HEADER_BARRIER ? RT_AGENT_F_BARRIER : 0;
	rec->op = op;
	rec->dispatch.agent = q->device_id;
	rec->dispatch.queue = q->id;
	if (rec->kind == RT_AGENT_DISPATCH)
		fill_dispatch(rec, &pkt->dispatch);
	fill_owner(rec, q, index);
}

/*
 * Records a dispatch or barrier and has it complete our signal. False, and nothing is changed, when
 * a resource is lacking.
 */
static bool record_packet(struct queue *q, enum rt_agent_kind kind, uint64_t index,
			  union packet *pkt)
{
	hsa_signal_t own = pkt->dispatch.completion_signal;
	struct rt_agent_rec *rec;
	uint64_t op, pos;

	if (q->head - __atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) > q->mask || !make_ready(q))
		goto lost;
	op = agent_next_op();
	if (own.handle && !shadow_expect(own, op, q->ready))
		goto lost;
	rec = shm_claim(&agent.shm, kind, &pos);
	if (!rec) {
		shadow_drop(own);
		return false;
	}
	fill_record(rec, q, op, index, pkt);
	shm_publish(rec, pos);

	pkt->dispatch.completion_signal = q->ready;
	q->ops[q->head & q->mask] = (struct op){.op = op, .timed = q->ready, .own = own};
	__atomic_store_n(&q->head, q->head + 1, __ATOMIC_RELEASE);
	q->ready.handle = 0;
	return true;
lost:
	shm_lose(&agent.shm, kind);
	return false;
}

/* The packet that completes the application's signal after `pkt` has completed ours. */
static void make_barrier(hsa_barrier_and_packet_t *barrier, const union packet *pkt,
			 hsa_signal_t own)
{
	memset(barrier, 0, sizeof(*barrier));
	barrier->header = barrier_header(pkt->header);
	barrier->dep_signal[0] = pkt->dispatch.completion_signal;
	barrier->completion_signal = own;
}

/*
 * Writes what becomes of one packet to out, at most two packets; returns how many. One that is
 * recorded and has a signal becomes two and needs `more` room.
 */
static unsigned int rewrite_packet(struct queue *q, uint64_t index, const union packet *in,
				   union packet *out, bool more)
{
	enum rt_agent_kind kind = agent_wanted() ? packet_kind(in) : RT_AGENT_NONE;
	hsa_signal_t own = in->dispatch.completion_signal;

	*out = *in;
	if (kind != RT_AGENT_NONE) {
		if (!agent_active() || (own.handle && !more)) {
			shm_lose(&agent.shm, kind);
		} else if (record_packet(q, kind, index, out)) {
			if (!own.handle)
				return 1;
			make_barrier(&out[1].barrier, out, own);
			return 2;
		}
	}
	if (own.handle)
		shadow_drop(own);
	return 1;
}

static void __attribute__((noinline))
rewrite(struct queue *q, const union packet *in, uint64_t count, uint64_t index,
	hsa_amd_queue_intercept_packet_writer writer)
{
	union packet out[2 * BATCH];
	uint64_t number = index;

	while (count) {
		uint64_t n = count < BATCH ? count : BATCH;
		uint64_t more = room_for_more(&q->room, index, count);
		unsigned int made = 0;

		if (!more && agent_active())
			more = room_make(&q->room, index, count);
		/* A runtime that can put packets aside may be overfilled. */
		if (hsa.major > 1 && !more)
			more = count;
		for (uint64_t i = 0; i < n; i++)
			made += rewrite_packet(q, number++, &in[i], &out[made], made - i < more);
		if (hsa.major == 1)
			room_wait(&q->room, index, made);
		writer(out, made);
		in += n;
		count -= n;
	}
}

static void lose_batch(const union packet *packets, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		enum rt_agent_kind kind = packet_kind(&packets[i]);

		if (kind != RT_AGENT_NONE)
			shm_lose(&agent.shm, kind);
	}
}

static void intercept(const void *packets, uint64_t count, uint64_t index, void *data,
		      hsa_amd_queue_intercept_packet_writer writer)
{
	struct queue *q = data;

	if (unlikely(!q->room.asked))
		room_ask(&q->room, writer);
	if (unlikely(agent_active() || shadow_count)) {
		/* The old runtime allows one call of the writer for a call of this function. */
		if (likely(count <= BATCH || hsa.major > 1)) {
			rewrite(q, packets, count, index, writer);
			return;
		}
	}
	if (unlikely(agent_wanted()))
		lose_batch(packets, count);
	if (hsa.major == 1)
		room_wait(&q->room, index, count);
	writer(packets, count);
}

/* ---- reaping ---- */

/* What the application is to be told when it asks for the times of its own signal. */
static void settle(const struct queue *q, const struct op *op, bool completed)
{
	hsa_amd_profiling_dispatch_time_t time = {0};

	if (completed)
		hsa.amd.hsa_amd_profiling_get_dispatch_time_fn(q->device, op->timed, &time);
	shadow_settle(op->own, op->op, time.start, time.end);
}

/* The times as the GPU has written them, or where they tell nothing, as the runtime reads them. */
static void fill_times(struct rt_agent_rec *rec, const struct queue *q, const struct op *op)
{
	const amd_signal_t *abi = signal_abi(op->timed);
	hsa_amd_profiling_dispatch_time_t time = {0};

	if (clocks_have_ticks()) {
		rec->flags = RT_AGENT_F_TICKS;
		rec->done.agent = q->device_id;
		rec->done.gpu_begin = abi->start_ts;
		rec->done.gpu_end = abi->end_ts;
		return;
	}
	hsa.amd.hsa_amd_profiling_get_dispatch_time_fn(q->device, op->timed, &time);
	rec->done.gpu_begin = time.start;
	rec->done.gpu_end = time.end;
}

static void finish(struct queue *q, const struct op *op, bool completed)
{
	const amd_signal_t *abi = signal_abi(op->timed);
	bool timed = completed && abi->start_ts && abi->end_ts;
	struct rt_agent_rec *rec;
	uint64_t pos;

	if (op->own.handle)
		settle(q, op, timed);
	rec = shm_claim(&agent.shm, RT_AGENT_DONE, &pos);
	if (!rec)
		return;
	rec->op = op->op;
	if (timed)
		fill_times(rec, q, op);
	rec->done.status = completed && abi->value < 0 ? (uint64_t)abi->value : 0;
	rec->time = shm_now();
	shm_publish(rec, pos);
}

/* Finishes what has completed, in order; returns how many operations are still in flight. */
static uint64_t reap_queue(struct queue *q)
{
	uint64_t head = __atomic_load_n(&q->head, __ATOMIC_ACQUIRE);

	while (q->tail != head) {
		const struct op *op = &q->ops[q->tail & q->mask];

		if (signal_value(op->timed) > 0)
			break;
		finish(q, op, true);
		q->spare[q->spare_head & q->mask] = op->timed;
		__atomic_store_n(&q->spare_head, q->spare_head + 1, __ATOMIC_RELEASE);
		__atomic_store_n(&q->tail, q->tail + 1, __ATOMIC_RELEASE);
	}
	return head - q->tail;
}

uint64_t queues_reap(void)
{
	uint64_t left = 0;

	pthread_mutex_lock(&list_lock);
	for (struct queue *q = list; q; q = q->next)
		left += reap_queue(q);
	pthread_mutex_unlock(&list_lock);
	return left;
}

/* ---- creation and destruction ---- */

static void free_queue(struct queue *q)
{
	owners_free(&q->owners);
	free(q->ops);
	free(q->spare);
	free(q);
}

static struct queue *new_queue(hsa_agent_t device, uint32_t size)
{
	struct queue *q = aligned_alloc(64, sizeof(*q));
	uint64_t ring = IN_FLIGHT_MIN;

	if (!q)
		return NULL;
	memset(q, 0, sizeof(*q));
	while (ring < 2ULL * size)
		ring *= 2;
	q->mask = ring - 1;
	q->device = device;
	q->device_id = device_id(device);
	q->ops = calloc(ring, sizeof(*q->ops));
	q->spare = calloc(ring, sizeof(*q->spare));
	if (q->ops && q->spare)
		return q;
	free_queue(q);
	return NULL;
}

static void link_queue(struct queue *q)
{
	pthread_mutex_lock(&list_lock);
	q->next = list;
	list = q;
	pthread_mutex_unlock(&list_lock);
}

/*
 * An intercept queue with our interceptor in it, or NULL where that cannot be had. An old runtime
 * would sooner or later fail with a queue whose room we cannot watch.
 */
static struct queue *create_intercepted(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type,
					void (*callback)(hsa_status_t, hsa_queue_t *, void *),
					void *data, uint32_t private_size, uint32_t group_size)
{
	struct queue *q = new_queue(device, size);

	if (!q)
		return NULL;
	if (hsa.amd.hsa_amd_queue_intercept_create_fn(device, size, type, callback, data,
						      private_size, group_size, &q->hsa)) {
		free_queue(q);
		return NULL;
	}
	if ((room_init(&q->room, q->hsa) && hsa.major == 1) ||
	    owners_init(&q->owners, q->hsa->size) ||
	    map_put(&by_handle, (uint64_t)q->hsa, (uint64_t)q)) {
		agent_say("queue of %u packets: no memory, or the inner queue was not found", size);
		hsa.core.hsa_queue_destroy_fn(q->hsa);
		free_queue(q);
		return NULL;
	}
	hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(q->hsa, 1);
	q->id = queue_log_new(q->hsa, q->device_id, true);
	link_queue(q);
	hsa.amd.hsa_amd_queue_intercept_register_fn(q->hsa, intercept, q);
	agent_say("queue %u: %u packets", q->id, size);
	return q;
}

/* It has been created, and what it runs will not be seen. */
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

hsa_status_t queues__create(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type,
			    void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
			    uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
	uint64_t begin = agent_begin();
	struct queue *q = NULL;
	hsa_status_t status;

	/* The runtime has one cooperative queue a GPU and shares it out: not ours to wrap. */
	if (!agent.off && queue && device_id(device) && type != HSA_QUEUE_TYPE_COOPERATIVE)
		q = create_intercepted(device, size, type, callback, data, private_size,
				       group_size);
	if (q) {
		*queue = q->hsa;
		queue_log_created(q->hsa, q->id, q->device_id, begin);
		return HSA_STATUS_SUCCESS;
	}
	status = hsa.core.hsa_queue_create_fn(device, size, type, callback, data, private_size,
					      group_size, queue);
	if (status == HSA_STATUS_SUCCESS && agent.shm.base)
		note_unwatched(*queue, device, begin);
	return status;
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

/* After the runtime has destroyed the queue: what has not completed never will. */
static void bury_queue(struct queue *q)
{
	while (reap_queue(q)) {
		const struct op *op = &q->ops[q->tail++ & q->mask];

		finish(q, op, false);
		hsa.core.hsa_signal_destroy_fn(op->timed);
	}
	while (q->spare_tail != q->spare_head)
		signal_put_polled(q->spare[q->spare_tail++ & q->mask]);
	if (q->ready.handle)
		signal_put_polled(q->ready);
	free_queue(q);
}

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
	map_remove(&by_handle, (uint64_t)queue);
	status = hsa.core.hsa_queue_destroy_fn(queue);
	if (status == HSA_STATUS_SUCCESS) {
		queue_log_destroyed(queue, q->id, q->device_id, begin);
		bury_queue(q);
	} else if (!map_put(&by_handle, (uint64_t)queue, (uint64_t)q)) {
		link_queue(q);
	}
	return status;
}

/* The times of our own signals hang on it, so it stays enabled. */
hsa_status_t queues__set_profiler_enabled(hsa_queue_t *queue, int enable)
{
	return hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(queue,
								 enable || find_queue(queue));
}

uint64_t queues__load_read_index_relaxed(const hsa_queue_t *queue)
{
	uint64_t read = hsa.core.hsa_queue_load_read_index_relaxed_fn(queue);
	const struct queue *q = find_queue(queue);

	return q ? room_read_index(&q->room, read) : read;
}

uint64_t queues__load_read_index_scacquire(const hsa_queue_t *queue)
{
	uint64_t read = hsa.core.hsa_queue_load_read_index_scacquire_fn(queue);
	const struct queue *q = find_queue(queue);

	return q ? room_read_index(&q->room, read) : read;
}

void queues_release(void)
{
	pthread_mutex_lock(&list_lock);
	while (list) {
		struct queue *q = list;

		list = q->next;
		map_remove(&by_handle, (uint64_t)q->hsa);
		while (reap_queue(q))
			finish(q, &q->ops[q->tail++ & q->mask], false);
		/* The queue itself may still be passed packets: it stays. */
		while (q->spare_tail != q->spare_head)
			signal_put_polled(q->spare[q->spare_tail++ & q->mask]);
		if (q->ready.handle)
			signal_put_polled(q->ready);
	}
	pthread_mutex_unlock(&list_lock);
}

void queues_forked(void)
{
	pthread_mutex_init(&list_lock, NULL);
	pthread_mutex_init(&by_handle.lock, NULL);
	list = NULL;
}
