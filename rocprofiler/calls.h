/* SPDX-License-Identifier: MIT */
/*
 * Calls of HIP and HSA: as libroctracer64 tells of them, they become operations of their kinds.
 */
#ifndef RTRACE_ROCPROFILER_CALLS_H
#define RTRACE_ROCPROFILER_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct roctracer_core;

/* On its thread, for the subscriber. */
void calls__begin(uint32_t domain, uint32_t op, const void *data);
void calls__end(uint32_t domain, uint32_t op, const void *data);

/*
 * What services want is wanted of libroctracer64 from now on; with `all` all calls of HIP are,
 * which is how the first one is heard of. HIP's functions are known once HIP is in the process.
 */
void calls__engage(const struct roctracer_core *core, bool all);

#endif
