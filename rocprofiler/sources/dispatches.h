/* SPDX-License-Identifier: MIT */
/*
 * Kernels that GPUs are given: KERNEL_DISPATCH, with callbacks for ENQUEUE, at both phases, and
 * COMPLETE, and with a record.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_DISPATCHES_H
#define RTRACE_ROCPROFILER_SOURCES_DISPATCHES_H

#include "rocprofiler/sources/gpu_work.h"

bool dispatches__are_wanted(void);

/* Opens its operation, if a context wants it. */
void dispatches__begin(struct gpu_work *w, const struct rtrace_operation *op,
		       const struct submitter *by);

void dispatches__set_times(struct gpu_work *w, uint64_t begin_ns, uint64_t end_ns);
void dispatches__record(struct gpu_work *w);
void dispatches__tell_end(struct gpu_work *w);

#endif
