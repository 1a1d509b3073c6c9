/* SPDX-License-Identifier: MIT */
/*
 * Kernels and copies that GPUs are given and a context wants, from just before the submission until
 * the end has been reported.
 *
 * The work belongs to the call that stores to the queue's doorbell for it. If the first such store
 * is another thread's or a later call's, the work belongs to the call that reserved its slot. If no
 * call submits it, it has an id of its own.
 *
 * Callbacks of a submission (KERNEL_DISPATCH with ENQUEUE, MEMORY_COPY with ENTER) run while the
 * queue is locked: they may call HIP and HSA, but must neither wait for a GPU or for a thread that
 * submits, nor create or destroy a stream or a queue. Callbacks of an end run on a thread of this
 * library, and may do anything.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_GPU_WORK_H
#define RTRACE_ROCPROFILER_SOURCES_GPU_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/agent_client.h"
#include "rocprofiler/service/operation.h"

struct gpu_work {
	struct gpu_work *next, *previous; /* in flight, as they began */
	struct gpu_work *next_ended;	  /* to be reported */
	uint64_t number;
	bool is_copy;
	bool ended, telling;
	struct operation operation;
	union {
		rocprofiler_callback_tracing_kernel_dispatch_data_t dispatch;
		rocprofiler_callback_tracing_memory_copy_data_t copy;
	} data;
};

/* For the subscriber: see abi/agent_client.h. */
uint32_t gpu_work__wants(void);
void *gpu_work__submitted(const struct rtrace_operation *op);
void gpu_work__ended(void *work, uint64_t begin_ns, uint64_t end_ns, bool failed);
void gpu_work__release(uint64_t internal); /* what was held by retirement__hold() */

/*
 * Waits until what was submitted so far has ended and been reported, as long as anything comes to
 * an end. With `only_ended` it waits until what has ended is reported. `collect` has ends reported.
 */
void gpu_work__wait(void (*collect)(void), bool only_ended);

/* All tools are finalised. */
void gpu_work__finalize(void);

/* ---- for gpu_ends.c ---- */

/* Reports its end, if that is still to be done, and frees it. */
void gpu_work__tell(struct gpu_work *w);

#endif
