/* SPDX-License-Identifier: MIT */
/*
 * Which thread has submitted a packet: the one that reserved its place in the queue.
 *
 * That is not always the thread in which packet_intercept.c sees the packet. Several threads may
 * write to one queue, as HIP lets them where there are more streams than queues; the first thread
 * that stores to the doorbell also submits what the others have written by then. A packet may also
 * have to wait for one before it that its thread has reserved and not yet written, and be passed on
 * in a later call of its own thread.
 *
 * While recording, the functions that advance a queue's write index note the calling thread and the
 * time for each packet reserved. A program that keeps no write index, or only later, has one
 * producer: the thread that stores to the doorbell.
 */
#include <stdlib.h>

#include "hsa_agent/gpu/queue_internal.h"

int owners__init(struct owners *o, uint32_t packets)
{
	o->mask = packets - 1;
	o->list = calloc(packets, sizeof(*o->list));
	return o->list ? 0 : -1;
}

/* The thread that takes the id has to release it. */
static void let_go(struct owner *place, uint64_t next)
{
	uint64_t held = __atomic_exchange_n(&place->held, next, __ATOMIC_ACQ_REL);

	if (held)
		client__release(held);
}

void owners__let_go(const struct owners *o, uint64_t index)
{
	struct owner *place = &o->list[index & o->mask];

	if (likely(o->list) && unlikely(__atomic_load_n(&place->held, __ATOMIC_RELAXED)))
		let_go(place, 0);
}

void owners__free(struct owners *o)
{
	for (uint64_t i = 0; o->list && i <= o->mask; i++)
		owners__let_go(o, i);
	free(o->list);
}

static void put_caller(struct rtrace_caller *place, const struct rtrace_caller *caller)
{
	__atomic_store_n(&place->id, caller->id, __ATOMIC_RELAXED);
	__atomic_store_n(&place->subscriber_id, caller->subscriber_id, __ATOMIC_RELAXED);
	__atomic_store_n(&place->subscriber_ancestor, caller->subscriber_ancestor,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&place->graph, caller->graph, __ATOMIC_RELAXED);
}

static struct rtrace_caller get_caller(const struct rtrace_caller *place)
{
	return (struct rtrace_caller){
		.id = __atomic_load_n(&place->id, __ATOMIC_RELAXED),
		.subscriber_id = __atomic_load_n(&place->subscriber_id, __ATOMIC_RELAXED),
		.subscriber_ancestor =
			__atomic_load_n(&place->subscriber_ancestor, __ATOMIC_RELAXED),
		.graph = __atomic_load_n(&place->graph, __ATOMIC_RELAXED),
	};
}

/* The index shows which packet the rest belongs to: it is written last, and read first. */
static void put(struct owner *place, const struct owner *owner)
{
	__atomic_store_n(&place->time, owner->time, __ATOMIC_RELAXED);
	__atomic_store_n(&place->corr, owner->corr, __ATOMIC_RELAXED);
	__atomic_store_n(&place->root, owner->root, __ATOMIC_RELAXED);
	put_caller(&place->caller, &owner->caller);
	if (unlikely(owner->held || __atomic_load_n(&place->held, __ATOMIC_RELAXED)))
		let_go(place, owner->held);
	__atomic_store_n(&place->tid, owner->tid, __ATOMIC_RELAXED);
	__atomic_store_n(&place->index, owner->index, __ATOMIC_RELEASE);
}

bool owners__find(const struct owners *o, uint64_t index, struct owner *owner)
{
	const struct owner *place = &o->list[index & o->mask];

	if (!o->list)
		return false;
	owner->index = __atomic_load_n(&place->index, __ATOMIC_ACQUIRE);
	owner->tid = __atomic_load_n(&place->tid, __ATOMIC_RELAXED);
	owner->time = __atomic_load_n(&place->time, __ATOMIC_RELAXED);
	owner->corr = __atomic_load_n(&place->corr, __ATOMIC_RELAXED);
	owner->root = __atomic_load_n(&place->root, __ATOMIC_RELAXED);
	owner->caller = get_caller(&place->caller);
	return owner->tid && owner->index == (uint32_t)index;
}

/* What the thread has reserved last. */
static __thread struct {
	const hsa_queue_t *queue;
	uint64_t index;
} last __attribute__((tls_model("initial-exec")));

bool owners__are_elsewhere(const hsa_queue_t *queue, uint64_t index, const struct owner *owner)
{
	return owner->tid != agent__tid() || last.queue != queue ||
	       (int64_t)(index - last.index) < 0;
}

bool owners__find_other(const hsa_queue_t *queue, const struct owners *o, uint64_t index,
			struct owner *owner)
{
	return owners__find(o, index, owner) && owners__are_elsewhere(queue, index, owner);
}

void owners__note(const hsa_queue_t *queue, uint64_t index, uint64_t count)
{
	struct owners *o = queues__owners(queue);
	struct owner owner = {.time = call_spans__now(), .tid = agent__tid()};

	if (!o || count > o->mask + 1)
		return;
	call_spans__in(&owner.corr, &owner.root);
	if (agent_told())
		owner.caller = client__caller();
	last.queue = queue;
	last.index = index;
	for (uint64_t i = index; i < index + count; i++) {
		owner.index = i;
		owner.held = client__hold(owner.caller.subscriber_id);
		put(&o->list[i & o->mask], &owner);
	}
}

#define ADD(order)                                                                                \
	uint64_t hook_hsa_queue_add_write_index_##order(const hsa_queue_t *queue, uint64_t value) \
	{                                                                                         \
		uint64_t index = hsa.core.hsa_queue_add_write_index_##order##_fn(queue, value);   \
                                                                                                  \
		if (agent_follows())                                                              \
			owners__note(queue, index, value);                                        \
		return index;                                                                     \
	}

#define CAS(order)                                                                               \
	uint64_t hook_hsa_queue_cas_write_index_##order(const hsa_queue_t *queue,                \
							uint64_t expected, uint64_t value)       \
	{                                                                                        \
		uint64_t index =                                                                 \
			hsa.core.hsa_queue_cas_write_index_##order##_fn(queue, expected, value); \
                                                                                                 \
		if (agent_follows() && index == expected)                                        \
			owners__note(queue, index, value - index);                               \
		return index;                                                                    \
	}

/* For queues with one producer. */
#define STORE(order)                                                                            \
	void hook_hsa_queue_store_write_index_##order(const hsa_queue_t *queue, uint64_t value) \
	{                                                                                       \
		if (agent_follows()) {                                                          \
			uint64_t index = hsa.core.hsa_queue_load_write_index_relaxed_fn(queue); \
                                                                                                \
			owners__note(queue, index, value - index);                              \
		}                                                                               \
		hsa.core.hsa_queue_store_write_index_##order##_fn(queue, value);                \
	}

ADD(scacq_screl)
ADD(scacquire)
ADD(relaxed)
ADD(screlease)
CAS(scacq_screl)
CAS(scacquire)
CAS(relaxed)
CAS(screlease)
STORE(relaxed)
STORE(screlease)
