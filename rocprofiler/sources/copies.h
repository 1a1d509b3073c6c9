/* SPDX-License-Identifier: MIT */
/*
 * Copies that HSA's asynchronous functions submit to GPUs: MEMORY_COPY. The operations of this kind
 * are the directions.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_COPIES_H
#define RTRACE_ROCPROFILER_SOURCES_COPIES_H

#include "rocprofiler/sources/gpu_work.h"

bool copies__are_wanted(void);

/* Opens its operation, if a context wants it. */
void copies__begin(struct gpu_work *w, const struct rtrace_operation *op,
		   const struct submitter *by);

void copies__set_times(struct gpu_work *w, uint64_t begin_ns, uint64_t end_ns);
void copies__record(struct gpu_work *w);
void copies__tell_end(struct gpu_work *w);

#endif
