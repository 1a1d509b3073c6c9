// SPDX-License-Identifier: MIT
/*
 * The source, destination and size of copies, their callbacks and their records.
 */
#include "rocprofiler/sources/copies.h"

#include <stddef.h>

#include "rocprofiler/agents/agent.h"

#define KIND	ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY
#define BUFFERS ROCPROFILER_BUFFER_TRACING_MEMORY_COPY

bool copies__are_wanted(void)
{
	return service__any(KIND, BUFFERS);
}

static bool is_gpu(const rocprofiler_agent_t *agent)
{
	return agent && agent->type == ROCPROFILER_AGENT_TYPE_GPU;
}

static uint32_t direction(const rocprofiler_agent_t *src, const rocprofiler_agent_t *dst)
{
	if (is_gpu(src))
		return is_gpu(dst) ? ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE
				   : ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST;
	return is_gpu(dst) ? ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE
			   : ROCPROFILER_MEMORY_COPY_HOST_TO_HOST;
}

void copies__begin(struct gpu_work *w, const struct rtrace_operation *op,
		   const struct submitter *by)
{
	const rocprofiler_agent_t *src = agent__of_node(op->src_node);
	const rocprofiler_agent_t *dst = agent__of_node(op->dst_node);
	uint32_t number = direction(src, dst);

	if (!operation__prepare_for(&w->operation, KIND, BUFFERS, number, by))
		return;
	w->data.copy = (rocprofiler_callback_tracing_memory_copy_data_t){
		.size = sizeof(w->data.copy),
		.dst_agent_id = {dst ? dst->id.handle : 0},
		.src_agent_id = {src ? src->id.handle : 0},
		.bytes = op->bytes,
		.dst_address = {.ptr = op->dst},
		.src_address = {.ptr = op->src},
	};
	if (!w->operation.callbacks)
		return;
	operation__tell(&w->operation, number, ROCPROFILER_CALLBACK_PHASE_ENTER, &w->data.copy);
	operation__update_external(&w->operation);
}

void copies__set_times(struct gpu_work *w, uint64_t begin_ns, uint64_t end_ns)
{
	w->data.copy.start_timestamp = begin_ns;
	w->data.copy.end_timestamp = end_ns;
}

void copies__record(struct gpu_work *w)
{
	const rocprofiler_callback_tracing_memory_copy_data_t *d = &w->data.copy;
	rocprofiler_buffer_tracing_memory_copy_record_t record = {
		.thread_id = w->operation.thread_id,
		.start_timestamp = d->start_timestamp,
		.end_timestamp = d->end_timestamp,
		.dst_agent_id = d->dst_agent_id,
		.src_agent_id = d->src_agent_id,
		.bytes = d->bytes,
		.dst_address = d->dst_address,
		.src_address = d->src_address,
	};

	operation__record(&w->operation, w->operation.number, &record, sizeof(record));
}

void copies__tell_end(struct gpu_work *w)
{
	operation__tell_caught(&w->operation, w->operation.number, ROCPROFILER_CALLBACK_PHASE_EXIT,
			       &w->data.copy);
}
