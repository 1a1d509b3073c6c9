// SPDX-License-Identifier: MIT
/*
 * The contents of a kernel's packet, the callbacks and the record.
 */
#include "rocprofiler/sources/dispatches.h"

#include <stddef.h>

#include "rocprofiler/agents/agent.h"
#include "rocprofiler/sources/code_objects.h"

#define KIND	 ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH
#define BUFFERS	 ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH
#define ENQUEUE	 ROCPROFILER_KERNEL_DISPATCH_ENQUEUE
#define COMPLETE ROCPROFILER_KERNEL_DISPATCH_COMPLETE

static uint64_t last_id;

bool dispatches__are_wanted(void)
{
	return service__any(KIND, BUFFERS);
}

static rocprofiler_dim3_t of_three(uint32_t x, uint32_t y, uint32_t z)
{
	return (rocprofiler_dim3_t){x, y, z};
}

static void fill(rocprofiler_kernel_dispatch_info_t *i, const struct rtrace_operation *op)
{
	const hsa_kernel_dispatch_packet_t *p = op->packet;
	const rocprofiler_agent_t *agent = agent__of_node(op->node);

	*i = (rocprofiler_kernel_dispatch_info_t){
		.size = offsetof(rocprofiler_kernel_dispatch_info_t, reserved_padding),
		.queue_id = {op->hsa_queue->id},
		.kernel_id = code_objects__kernel_id(p->kernel_object),
		.dispatch_id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED),
		.private_segment_size = p->private_segment_size,
		.group_segment_size = p->group_segment_size,
		.workgroup_size =
			of_three(p->workgroup_size_x, p->workgroup_size_y, p->workgroup_size_z),
		.grid_size = of_three(p->grid_size_x, p->grid_size_y, p->grid_size_z),
	};
	if (agent)
		i->agent_id = agent->id;
}

void dispatches__begin(struct gpu_work *w, const struct rtrace_operation *op,
		       const struct submitter *by)
{
	rocprofiler_callback_tracing_kernel_dispatch_data_t *d = &w->data.dispatch;

	if (!operation__prepare_for(&w->operation, KIND, BUFFERS, OPERATION_ANY, by))
		return;
	d->size = sizeof(*d);
	d->start_timestamp = d->end_timestamp = 0;
	fill(&d->dispatch_info, op);
	if (!w->operation.callbacks)
		return;
	operation__tell(&w->operation, ENQUEUE, ROCPROFILER_CALLBACK_PHASE_ENTER, d);
	operation__update_external(&w->operation);
	operation__tell(&w->operation, ENQUEUE, ROCPROFILER_CALLBACK_PHASE_EXIT, d);
}

void dispatches__set_times(struct gpu_work *w, uint64_t begin_ns, uint64_t end_ns)
{
	w->data.dispatch.start_timestamp = begin_ns;
	w->data.dispatch.end_timestamp = end_ns;
}

void dispatches__record(struct gpu_work *w)
{
	const rocprofiler_callback_tracing_kernel_dispatch_data_t *d = &w->data.dispatch;
	rocprofiler_buffer_tracing_kernel_dispatch_record_t record = {
		.thread_id = w->operation.thread_id,
		.start_timestamp = d->start_timestamp,
		.end_timestamp = d->end_timestamp,
		.dispatch_info = d->dispatch_info,
	};

	operation__record(&w->operation, COMPLETE, &record, sizeof(record));
}

void dispatches__tell_end(struct gpu_work *w)
{
	operation__tell_caught(&w->operation, COMPLETE, ROCPROFILER_CALLBACK_PHASE_NONE,
			       &w->data.dispatch);
}
