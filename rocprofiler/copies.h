/* SPDX-License-Identifier: MIT */
/*
 * Copies that GPUs are given by HSA's asynchronous functions: MEMORY_COPY, whose operations are the
 * directions.
 */
#ifndef RTRACE_ROCPROFILER_COPIES_H
#define RTRACE_ROCPROFILER_COPIES_H

#include "rocprofiler/gpu_work.h"

bool copies__are_wanted(void);

/* Its operation is open after that, if somebody wants to hear of it. */
void copies__begin(struct gpu_work *w, const struct rtrace_operation *op,
		   const struct submitter *by);

void copies__set_times(struct gpu_work *w, uint64_t begin_ns, uint64_t end_ns);
void copies__record(struct gpu_work *w);
void copies__tell_end(struct gpu_work *w);

#endif
