// SPDX-License-Identifier: MIT
/*
 * The runtime reports it on its own thread, holding locks: callbacks must not call the runtime.
 */
#include "rocprofiler/sources/scratch.h"

#include <stdlib.h>

#include "rocprofiler/sources/hsa_functions.h"
#include "rocprofiler/service/operation.h"
#include "rocprofiler/sources/queues.h"
#include "rocprofiler/support/say.h"

#ifdef RT_HSA_HAS_tools

#include "inprocess/scratch_events.h"
#include "inprocess/kernel_clock.h"

#define KIND	ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY
#define BUFFERS ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY
#define ALLOC	ROCPROFILER_SCRATCH_MEMORY_ALLOC
#define FREE	ROCPROFILER_SCRATCH_MEMORY_FREE
#define RECLAIM ROCPROFILER_SCRATCH_MEMORY_ASYNC_RECLAIM

struct event {
	struct operation operation;
	rocprofiler_callback_tracing_scratch_memory_data_t data;
	uint64_t begin;
};

static ToolsApiTable before; /* what was in the table */

/* Events that have begun on the thread; NULL: none that is reported. */
static __thread struct event *open_events[ROCPROFILER_SCRATCH_MEMORY_LAST];

/* All begin with kind, queue and flags, but for a dispatch's number in between. */
static void fill(rocprofiler_callback_tracing_scratch_memory_data_t *d, const hsa_queue_t *queue,
		 uint32_t flags, hsa_amd_tool_event_kind_t kind)
{
	d->size = sizeof(*d);
	d->agent_id = queues__agent(queue);
	d->queue_id.handle = queue->id;
	d->flags = flags;
	d->args_kind = kind;
}

static void begin(uint32_t number, const rocprofiler_callback_tracing_scratch_memory_data_t *data)
{
	struct event *e;

	if (!service__any(KIND, BUFFERS))
		return;
	e = malloc(sizeof(*e));
	if (!e) {
		say("no memory: scratch memory is not told of");
		return;
	}
	e->data = *data;
	if (!operation__prepare(&e->operation, KIND, BUFFERS, number, operation__current())) {
		free(e);
		return;
	}
	operation__tell_caught(&e->operation, number, ROCPROFILER_CALLBACK_PHASE_ENTER, &e->data);
	operation__update_external(&e->operation);
	e->begin = kernel_clock__boot_ns();
	open_events[number] = e;
}

static void record(struct event *e, uint32_t number, uint64_t bytes)
{
	rocprofiler_buffer_tracing_scratch_memory_record_t r = {
		.correlation_id = {.ancestor = e->operation.ancestor},
		.agent_id = e->data.agent_id,
		.queue_id = e->data.queue_id,
		.thread_id = e->operation.thread_id,
		.start_timestamp = e->begin,
		.end_timestamp = kernel_clock__boot_ns(),
		.flags = e->data.flags,
		.allocation_size = bytes,
	};

	operation__record(&e->operation, number, &r, sizeof(r));
}

static void end(uint32_t number, const rocprofiler_callback_tracing_scratch_memory_data_t *data,
		uint64_t bytes)
{
	struct event *e = open_events[number];

	if (!e)
		return;
	open_events[number] = NULL;
	e->data = *data;
	operation__tell_caught(&e->operation, number, ROCPROFILER_CALLBACK_PHASE_EXIT, &e->data);
	record(e, number, bytes);
	operation__abandon(&e->operation);
	free(e);
}

/* ---- the functions in the table ---- */

static hsa_status_t alloc_start(hsa_amd_tool_event_t event)
{
	const hsa_amd_event_scratch_alloc_start_t *e = event.scratch_alloc_start;
	rocprofiler_callback_tracing_scratch_memory_data_t d = {0};

	fill(&d, e->queue, e->flags, e->kind);
	d.args.alloc_start.dispatch_id = e->dispatch_id;
	begin(ALLOC, &d);
	return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_alloc_start_fn, event);
}

static hsa_status_t alloc_end(hsa_amd_tool_event_t event)
{
	const hsa_amd_event_scratch_alloc_end_t *e = event.scratch_alloc_end;
	rocprofiler_callback_tracing_scratch_memory_data_t d = {0};

	fill(&d, e->queue, e->flags, e->kind);
	d.args.alloc_end.dispatch_id = e->dispatch_id;
	d.args.alloc_end.size = e->size;
	d.args.alloc_end.num_slots = e->num_slots;
	end(ALLOC, &d, e->size);
	return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_alloc_end_fn, event);
}

/* Of those without arguments. */
#define PLAIN(name, number, side, ...)                                                        \
	static hsa_status_t name(hsa_amd_tool_event_t event)                                  \
	{                                                                                     \
		const hsa_amd_event_scratch_##name##_t *e = event.scratch_##name;             \
		rocprofiler_callback_tracing_scratch_memory_data_t d = {0};                   \
                                                                                              \
		fill(&d, e->queue, e->flags, e->kind);                                        \
		side(number, &d, ##__VA_ARGS__);                                              \
		return scratch_events__pass_on(before.hsa_amd_tool_scratch_event_##name##_fn, \
					       event);                                        \
	}

PLAIN(free_start, FREE, begin)
PLAIN(free_end, FREE, end, 0)
PLAIN(async_reclaim_start, RECLAIM, begin)
PLAIN(async_reclaim_end, RECLAIM, end, 0)

static const ToolsApiTable ours = {
	.hsa_amd_tool_scratch_event_alloc_start_fn = alloc_start,
	.hsa_amd_tool_scratch_event_alloc_end_fn = alloc_end,
	.hsa_amd_tool_scratch_event_free_start_fn = free_start,
	.hsa_amd_tool_scratch_event_free_end_fn = free_end,
	.hsa_amd_tool_scratch_event_async_reclaim_start_fn = async_reclaim_start,
	.hsa_amd_tool_scratch_event_async_reclaim_end_fn = async_reclaim_end,
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
