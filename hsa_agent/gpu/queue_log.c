// SPDX-License-Identifier: MIT
/* What is reported of queues themselves: that they come and go, not what they run. */
#include "hsa_agent/core/agent_internal.h"
#include "inprocess/kernel_clock.h"

static uint32_t last_id;

uint32_t queue_log__new(const hsa_queue_t *queue, uint32_t device, bool watched)
{
	struct rt_meta_queue rec = {.h = {RT_META_QUEUE, sizeof(rec)}};

	rec.handle = (uint64_t)queue;
	rec.id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	rec.agent = device;
	rec.size = queue->size;
	rec.type = queue->type;
	rec.tid = agent__tid();
	rec.unwatched = !watched;
	rec.time = kernel_clock__boot_ns();
	shared_memory__meta(&agent.shm, &rec.h);
	return rec.id;
}

void queue_log__created(const hsa_queue_t *queue, uint32_t id, uint32_t device, uint64_t begin)
{
	uint64_t pos;
	struct rt_agent_rec *rec = agent__claim(RT_AGENT_QUEUE, RT_WHAT_QUEUE_CREATE, begin, &pos);

	if (!rec)
		return;
	rec->resource.agent = device;
	rec->resource.id = id;
	rec->resource.type = queue->type;
	rec->resource.address = (uint64_t)queue;
	rec->resource.bytes = queue->size;
	shared_memory__publish(rec, pos);
}

void queue_log__destroyed(const hsa_queue_t *queue, uint32_t id, uint32_t device, uint64_t begin)
{
	struct rt_meta_queue_end end = {.h = {RT_META_QUEUE_END, sizeof(end)}, .id = id};
	uint64_t pos;
	struct rt_agent_rec *rec;

	end.tid = agent__tid();
	end.time = kernel_clock__boot_ns();
	shared_memory__meta(&agent.shm, &end.h);
	rec = agent__claim(RT_AGENT_QUEUE, RT_WHAT_QUEUE_DESTROY, begin, &pos);
	if (!rec)
		return;
	rec->resource.agent = device;
	rec->resource.id = id;
	rec->resource.address = (uint64_t)queue;
	shared_memory__publish(rec, pos);
}
