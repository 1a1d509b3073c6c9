// SPDX-License-Identifier: MIT
/*
 * Scratch memory: what the runtime allocates for kernels that spill registers, and frees again.
 *
 * The runtime reports it on a thread of its own. No lock is taken here: the runtime holds some of
 * its own. Scratch memory that is freed with its queue is not reported.
 */
#include "hsa_agent/core/agent_internal.h"

#ifdef RT_HSA_HAS_tools

#include "inprocess/scratch_events.h"

static ToolsApiTable before; /* what was in the table */

/* When the event began. Events of one kind come one after the other, on one thread. */
static uint64_t begun[HSA_AMD_TOOL_EVENT_MAX];

static void begin(hsa_amd_tool_event_kind_t kind)
{
	__atomic_store_n(&begun[kind], agent_begin(), __ATOMIC_RELAXED);
}

/* `kind`: of the event that began it. */
static void end(hsa_amd_tool_event_kind_t kind, enum rt_agent_what what, const hsa_queue_t *queue,
		uint32_t flags, uint64_t bytes, uint64_t waves)
{
	uint64_t pos, since = __atomic_exchange_n(&begun[kind], 0, __ATOMIC_RELAXED);
	struct rt_agent_rec *rec = agent__claim(RT_AGENT_SCRATCH, what, since, &pos);

	if (!rec)
		return;
	rec->tid = 0; /* the runtime's thread does not show which thread caused it */
	queues__identify(queue, &rec->resource.id, &rec->resource.agent);
	rec->resource.type = flags;
	rec->resource.bytes = bytes;
	rec->resource.other = waves;
	shared_memory__publish(rec, pos);
}

static hsa_status_t alloc_start(hsa_amd_tool_event_t event)
{
	begin(HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START);
	return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_alloc_start_fn, event);
}

static hsa_status_t alloc_end(hsa_amd_tool_event_t event)
{
	const hsa_amd_event_scratch_alloc_end_t *e = event.scratch_alloc_end;

	end(HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START, RT_WHAT_SCRATCH_ALLOC, e->queue, e->flags,
	    e->size, e->num_slots);
	return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_alloc_end_fn, event);
}

static hsa_status_t free_start(hsa_amd_tool_event_t event)
{
	begin(HSA_AMD_TOOL_EVENT_SCRATCH_FREE_START);
	return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_free_start_fn, event);
}

static hsa_status_t free_end(hsa_amd_tool_event_t event)
{
	const hsa_amd_event_scratch_free_end_t *e = event.scratch_free_end;

	end(HSA_AMD_TOOL_EVENT_SCRATCH_FREE_START, RT_WHAT_SCRATCH_FREE, e->queue, e->flags, 0, 0);
	return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_free_end_fn, event);
}

static hsa_status_t reclaim_start(hsa_amd_tool_event_t event)
{
	begin(HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START);
	return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_async_reclaim_start_fn,
				       event);
}

static hsa_status_t reclaim_end(hsa_amd_tool_event_t event)
{
	const hsa_amd_event_scratch_async_reclaim_end_t *e = event.scratch_async_reclaim_end;

	end(HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START, RT_WHAT_SCRATCH_RECLAIM, e->queue,
	    e->flags, 0, 0);
	return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_async_reclaim_end_fn,
				       event);
}

static const ToolsApiTable ours = {
	.hsa_amd_tool_scratch_event_alloc_start_fn = alloc_start,
	.hsa_amd_tool_scratch_event_alloc_end_fn = alloc_end,
	.hsa_amd_tool_scratch_event_free_start_fn = free_start,
	.hsa_amd_tool_scratch_event_free_end_fn = free_end,
	.hsa_amd_tool_scratch_event_async_reclaim_start_fn = reclaim_start,
	.hsa_amd_tool_scratch_event_async_reclaim_end_fn = reclaim_end,
};

void scratch__wrap(HsaApiTable *table)
{
	scratch_events__take(table, &ours, &before);
}

#else

void scratch__wrap(HsaApiTable *table)
{
}

#endif
