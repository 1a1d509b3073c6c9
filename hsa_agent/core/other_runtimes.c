// SPDX-License-Identifier: MIT
/*
 * HSA runtimes of the process beyond the one that the agent serves: see other_runtimes.h.
 *
 * The functions of a table are called without anything that names their runtime, so there is a set
 * of wrappers for each.
 */
#include "hsa_agent/core/other_runtimes.h"

#include <pthread.h>
#include <stdlib.h>

#include "hsa_agent/core/agent_internal.h"
#include "inprocess/pointer_map.h"
#include "hsa_agent/gpu/packets.h"
#include "inprocess/peek.h"

struct counted {
	hsa_queue_t *hsa;
	pthread_mutex_t lock;
	uint64_t next;	/* the packets before that one have been counted, or were not wanted */
	uint32_t users; /* see struct queue */
};

static struct originals others[OTHERS_MAX];
static uint32_t count;

static struct map by_doorbell = MAP_INIT;
static struct map by_handle = MAP_INIT;

/* Of the agent that serves another runtime; all runtimes have the same. */
static const struct rt_agent_control *control;
static struct rt_agent_state *state;

static bool wants(uint32_t special)
{
	uint32_t wanted = __atomic_load_n(&control->wants, __ATOMIC_RELAXED);

	return (__atomic_load_n(&control->active, __ATOMIC_RELAXED) ||
		__atomic_load_n(&state->active, __ATOMIC_RELAXED)) &&
	       !(wanted & RT_AGENT_WANT_CALLS_ONLY) && (wanted & special) == special;
}

static void lose(enum rt_agent_kind kind)
{
	if (wants(kind == RT_AGENT_BARRIER ? RT_AGENT_WANT_BARRIERS : 0))
		__atomic_fetch_add(&state->lost[kind], 1, __ATOMIC_RELAXED);
}

/* ---- packets ---- */

/* A packet that is reserved and not written yet ends it: the thread that writes it submits it. */
static void count_packets(const struct originals *o, struct counted *q, uint64_t end)
{
	if (end > q->next + q->hsa->size)
		q->next = end - q->hsa->size;
	for (; q->next < end; q->next++) {
		const union packet *pkt = packet_in(q->hsa, q->next);
		uint16_t header = __atomic_load_n(&pkt->header, __ATOMIC_ACQUIRE);

		if (header_type(header) != HSA_PACKET_TYPE_INVALID)
			lose(packet_kind(pkt, header));
		else if (o->core.hsa_queue_load_read_index_scacquire_fn(q->hsa) > q->next)
			lose(RT_AGENT_DISPATCH); /* the GPU has taken it already */
		else
			break;
	}
}

static void rung(const struct originals *o, hsa_signal_t signal, hsa_signal_value_t value)
{
	struct counted *q = (struct counted *)pointer_map__get(&by_doorbell, signal.handle);

	if (likely(!q))
		return;
	pthread_mutex_lock(&q->lock);
	if (value >= 0)
		count_packets(o, q, (uint64_t)value + 1);
	pthread_mutex_unlock(&q->lock);
}

/* ---- queues ---- */

static void created(hsa_queue_t **place)
{
	hsa_queue_t *queue = peek__pointer((void **)place, NULL);
	struct counted *q = (struct counted *)pointer_map__get(&by_handle, (uint64_t)queue);

	if (q) {
		q->users++;
		return;
	}
	q = queue ? calloc(1, sizeof(*q)) : NULL;
	if (q && !pointer_map__put(&by_handle, (uint64_t)queue, (uint64_t)q)) {
		q->hsa = queue;
		q->users = 1;
		pthread_mutex_init(&q->lock, NULL);
		if (!pointer_map__put(&by_doorbell, queue->doorbell_signal.handle, (uint64_t)q))
			return;
		pointer_map__remove(&by_handle, (uint64_t)queue);
	}
	free(q);
	__atomic_fetch_add(&state->skipped, 1, __ATOMIC_RELAXED);
}

static hsa_status_t destroy(const struct originals *o, hsa_queue_t *queue)
{
	struct counted *q = (struct counted *)pointer_map__get(&by_handle, (uint64_t)queue);

	if (q && !--q->users) {
		pointer_map__remove(&by_doorbell, queue->doorbell_signal.handle);
		pointer_map__remove(&by_handle, (uint64_t)queue);
		free(q);
	}
	return o->core.hsa_queue_destroy_fn(queue);
}

/* ---- copies and fills that return when they are done: those that a GPU does ---- */

static void lose_blocking_copy(const struct originals *o, const void *dst, const void *src,
			       size_t size)
{
	hsa_agent_t from = memory_owner__of(o, src, size), to = memory_owner__of(o, dst, size);
	bool from_gpu = memory_owner__is_gpu(o, from), to_gpu = memory_owner__is_gpu(o, to);

	if (from_gpu || to_gpu)
		lose(RT_AGENT_COPY);
	if (from_gpu && to_gpu && from.handle != to.handle)
		lose(RT_AGENT_COPY); /* two, see blocking_copies.c */
}

static void lose_fill(const struct originals *o, const void *memory, uint64_t bytes)
{
	if (memory_owner__filler(o, memory, bytes).handle)
		lose(RT_AGENT_COPY);
}

/* ---- the wrappers of a runtime ---- */

typedef void queue_callback(hsa_status_t status, hsa_queue_t *queue, void *data);

#define WRAPPERS(n)                                                                                \
	static void store_relaxed_##n(hsa_signal_t signal, hsa_signal_value_t value)               \
	{                                                                                          \
		rung(&others[n], signal, value);                                                   \
		others[n].core.hsa_signal_store_relaxed_fn(signal, value);                         \
	}                                                                                          \
	static void store_screlease_##n(hsa_signal_t signal, hsa_signal_value_t value)             \
	{                                                                                          \
		rung(&others[n], signal, value);                                                   \
		others[n].core.hsa_signal_store_screlease_fn(signal, value);                       \
	}                                                                                          \
	static hsa_status_t queue_create_##n(                                                      \
		hsa_agent_t device, uint32_t size, hsa_queue_type32_t type, queue_callback *fn,    \
		void *data, uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)       \
	{                                                                                          \
		hsa_status_t status = others[n].core.hsa_queue_create_fn(                          \
			device, size, type, fn, data, private_size, group_size, queue);            \
                                                                                                   \
		if (status == HSA_STATUS_SUCCESS)                                                  \
			created(queue);                                                            \
		return status;                                                                     \
	}                                                                                          \
	static hsa_status_t queue_destroy_##n(hsa_queue_t *queue)                                  \
	{                                                                                          \
		return destroy(&others[n], queue);                                                 \
	}                                                                                          \
	static hsa_status_t blocking_copy_##n(void *dst, const void *src, size_t size)             \
	{                                                                                          \
		if (dst && src && size && wants(0))                                                \
			lose_blocking_copy(&others[n], dst, src, size);                            \
		return others[n].core.hsa_memory_copy_fn(dst, src, size);                          \
	}                                                                                          \
	static hsa_status_t fill_##n(void *memory, uint32_t value, size_t count)                   \
	{                                                                                          \
		if (memory && count && wants(0))                                                   \
			lose_fill(&others[n], memory, count * sizeof(value));                      \
		return others[n].amd.hsa_amd_memory_fill_fn(memory, value, count);                 \
	}                                                                                          \
	static hsa_status_t copy_##n(void *dst, hsa_agent_t dst_agent, const void *src,            \
				     hsa_agent_t src_agent, size_t size, uint32_t num_deps,        \
				     const hsa_signal_t *deps, hsa_signal_t completion)            \
	{                                                                                          \
		if (size && completion.handle)                                                     \
			lose(RT_AGENT_COPY);                                                       \
		return others[n].amd.hsa_amd_memory_async_copy_fn(                                 \
			dst, dst_agent, src, src_agent, size, num_deps, deps, completion);         \
	}                                                                                          \
	static hsa_status_t copy_rect_##n(                                                         \
		const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,                        \
		const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,                        \
		const hsa_dim3_t *range, hsa_agent_t agent, hsa_amd_copy_direction_t direction,    \
		uint32_t num_deps, const hsa_signal_t *deps, hsa_signal_t completion)              \
	{                                                                                          \
		if (completion.handle)                                                             \
			lose(RT_AGENT_COPY);                                                       \
		return others[n].amd.hsa_amd_memory_async_copy_rect_fn(                            \
			dst, dst_offset, src, src_offset, range, agent, direction, num_deps, deps, \
			completion);                                                               \
	}

WRAPPERS(0)
WRAPPERS(1)
WRAPPERS(2)
WRAPPERS(3)
_Static_assert(OTHERS_MAX == 4, "one for each");

#ifdef RT_HSA_HAS_hsa_amd_memory_async_copy_on_engine
#define ON_ENGINE(n)                                                                               \
	static hsa_status_t copy_on_engine_##n(                                                    \
		void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent,          \
		size_t size, uint32_t num_deps, const hsa_signal_t *deps, hsa_signal_t completion, \
		hsa_amd_sdma_engine_id_t engine, bool force)                                       \
	{                                                                                          \
		if (size && completion.handle)                                                     \
			lose(RT_AGENT_COPY);                                                       \
		return others[n].amd.hsa_amd_memory_async_copy_on_engine_fn(                       \
			dst, dst_agent, src, src_agent, size, num_deps, deps, completion, engine,  \
			force);                                                                    \
	}

ON_ENGINE(0)
ON_ENGINE(1)
ON_ENGINE(2)
ON_ENGINE(3)
#define WRAP_ON_ENGINE(amd, n)                                                              \
	do {                                                                                \
		if ((amd)->hsa_amd_memory_async_copy_on_engine_fn)                          \
			(amd)->hsa_amd_memory_async_copy_on_engine_fn = copy_on_engine_##n; \
	} while (0)
#else
#define WRAP_ON_ENGINE(amd, n) \
	do {                   \
	} while (0)
#endif

#define WRAP(n)                                                                     \
	case n:                                                                     \
		table->core_->hsa_signal_store_relaxed_fn = store_relaxed_##n;      \
		table->core_->hsa_signal_store_screlease_fn = store_screlease_##n;  \
		table->core_->hsa_queue_create_fn = queue_create_##n;               \
		table->core_->hsa_queue_destroy_fn = queue_destroy_##n;             \
		table->core_->hsa_memory_copy_fn = blocking_copy_##n;               \
		table->amd_ext_->hsa_amd_memory_fill_fn = fill_##n;                 \
		table->amd_ext_->hsa_amd_memory_async_copy_fn = copy_##n;           \
		table->amd_ext_->hsa_amd_memory_async_copy_rect_fn = copy_rect_##n; \
		if (others[n].amd.version.minor_id >= sizeof(AmdExtTable))          \
			WRAP_ON_ENGINE(table->amd_ext_, n);                         \
		break

static void wrap(HsaApiTable *table, uint32_t n)
{
	switch (n) {
		WRAP(0);
		WRAP(1);
		WRAP(2);
		WRAP(3);
	}
}

void others__count(HsaApiTable *table, void *memory)
{
	control = memory + RT_AGENT_CONTROL;
	state = memory + RT_AGENT_STATE;
	__atomic_fetch_add(&state->others, 1, __ATOMIC_RELAXED);
	if (count == OTHERS_MAX || !tables__copy(table, &others[count]))
		return;
	wrap(table, count++);
	agent__say("one more HSA runtime: what it gives to GPUs is counted as lost");
}
