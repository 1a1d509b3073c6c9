// SPDX-License-Identifier: MIT
/*
 * What an agent's record says of an operation.
 */
#include "user/merge/agent_operation.h"

#define QUEUES_MAX (1u << 17)

static int32_t gpu_of(const struct agent_view *v, uint32_t agent_id)
{
	const struct agent_device *d = agent_memory__device(v, agent_id);

	return d ? d->gpu : -1;
}

/* The sinks remember each queue: of one process no more than these. */
static uint32_t queue_of(const struct rt_agent_rec *rec)
{
	return rec->dispatch.queue <= QUEUES_MAX ? rec->dispatch.queue : 0;
}

static void fill_dispatch(struct gpu_op *op, struct agent_view *v, const struct rt_agent_rec *rec)
{
	struct event *ev = &op->ev;
	const struct agent_kernel *kernel = agent_memory__kernel(v, rec->dispatch.kernel);

	op->kernel_known = kernel;
	ev->kind = EV_DISPATCH;
	ev->name = kernel ? kernel->name : "(unknown kernel)";
	ev->gpu.device = gpu_of(v, rec->dispatch.agent);
	ev->gpu.queue = queue_of(rec);
	for (int i = 0; i < 3; i++) {
		ev->gpu.grid[i] = rec->dispatch.grid[i];
		ev->gpu.workgroup[i] = rec->dispatch.workgroup[i];
	}
	ev->gpu.lds = rec->dispatch.lds;
	ev->gpu.scratch = rec->dispatch.scratch;
	ev->gpu.kernel = rec->dispatch.kernel;
	if (!kernel)
		return;
	ev->gpu.code = kernel->code;
	ev->gpu.vgprs = kernel->vgprs;
	ev->gpu.accum_vgprs = kernel->accum_vgprs;
	ev->gpu.sgprs = kernel->sgprs;
}

static void fill_barrier(struct event *ev, const struct agent_view *v,
			 const struct rt_agent_rec *rec)
{
	ev->kind = EV_BARRIER;
	ev->name = "barrier";
	ev->gpu.device = gpu_of(v, rec->dispatch.agent);
	ev->gpu.queue = queue_of(rec);
}

static enum copy_dir direction(const struct rt_agent_rec *rec, int32_t src, int32_t dst)
{
	if (rec->flags & RT_AGENT_F_FILL)
		return COPY_FILL;
	if (src < 0)
		return dst < 0 ? COPY_H2H : COPY_H2D;
	return dst < 0 ? COPY_D2H : COPY_D2D;
}

static void fill_copy(struct event *ev, const struct agent_view *v, const struct rt_agent_rec *rec)
{
	int32_t src = gpu_of(v, rec->copy.src_agent), dst = gpu_of(v, rec->copy.dst_agent);

	ev->kind = EV_COPY;
	ev->gpu.bytes = rec->copy.bytes;
	ev->gpu.engine = rec->copy.engine;
	ev->gpu.src_device = src;
	ev->gpu.dst_device = dst;
	ev->gpu.dir = direction(rec, src, dst);
	ev->gpu.device = gpu_of(v, rec->copy.agent);
	if (rec->flags & RT_AGENT_F_CALL)
		ev->flags |= EV_F_CALL_TIMES;
	ev->name = event__copy_name(ev->gpu.dir);
}

bool agent_operation__fill(struct gpu_op *op, struct agent_view *v, const struct rt_agent_rec *rec)
{
	switch (rec->kind) {
	case RT_AGENT_DISPATCH:
		fill_dispatch(op, v, rec);
		return true;
	case RT_AGENT_BARRIER:
		fill_barrier(&op->ev, v, rec);
		return true;
	case RT_AGENT_COPY:
		fill_copy(&op->ev, v, rec);
		return true;
	default:
		return false;
	}
}

void agent_operation__lose(struct trace_stats *stats, unsigned int kind)
{
	uint64_t *const lost[RT_AGENT_KINDS] = {
		[RT_AGENT_DISPATCH] = &stats->lost_dispatches,
		[RT_AGENT_COPY] = &stats->lost_copies,
		[RT_AGENT_BARRIER] = &stats->lost_barriers,
		[RT_AGENT_MEMORY] = &stats->lost_memory,
		[RT_AGENT_SCRATCH] = &stats->lost_scratch,
		[RT_AGENT_QUEUE] = &stats->lost_queues,
		[RT_AGENT_CODE] = &stats->lost_code_objects,
		[RT_AGENT_RUNTIME] = &stats->lost_runtimes,
	};

	stats->lost_gpu++;
	++*lost[kind];
}
