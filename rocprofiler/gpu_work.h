/* SPDX-License-Identifier: MIT */
/*
 * What GPUs are given and somebody wants to hear of, kernels and copies, from when it is about to
 * be submitted until its end has been told.
 *
 * It belongs to the call that rings the queue's doorbell for it. Where another thread is the first
 * to ring, or a later call, it belongs to that which has reserved its place. Where no call submits
 * it, it has an id of its own.
 *
 * Callbacks of a submission (KERNEL_DISPATCH with ENQUEUE, MEMORY_COPY with ENTER) run while the
 * queue is locked: they may call HIP and HSA, but must neither wait for a GPU or for a thread that
 * submits, nor create or destroy a stream or a queue. Those of an end run on a thread of this
 * library, and may do anything.
 */
#ifndef RTRACE_ROCPROFILER_GPU_WORK_H
#define RTRACE_ROCPROFILER_GPU_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa_agent/client.h"
#include "rocprofiler/operation.h"

struct gpu_work {
	struct gpu_work *next, *previous; /* under way, as they began */
	struct gpu_work *next_ended;	  /* to be told */
	uint64_t number;
	bool is_copy;
	bool ended, telling;
	struct operation operation;
	union {
		rocprofiler_callback_tracing_kernel_dispatch_data_t dispatch;
		rocprofiler_callback_tracing_memory_copy_data_t copy;
	} data;
};

/* For the subscriber: see hsa_agent/client.h. */
uint32_t gpu_work__wants(void);
void *gpu_work__submitted(const struct rtrace_operation *op);
void gpu_work__ended(void *work, uint64_t begin_ns, uint64_t end_ns, bool failed);
void gpu_work__release(uint64_t internal); /* what was held by retirement__hold() */

/*
 * Waits until what was submitted so far has ended and been told, as long as anything comes to an
 * end; with `only_ended`, until what has ended is told. `collect` has ends told.
 */
void gpu_work__wait(void (*collect)(void), bool only_ended);

/* All tools are finalised. */
void gpu_work__finalize(void);

/* ---- for gpu_ends.c ---- */

/* Tells of its end, if that is still to be done, and forgets it. */
void gpu_work__tell(struct gpu_work *w);

#endif
