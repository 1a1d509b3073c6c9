/* SPDX-License-Identifier: MIT */
/*
 * Calls of HIP and HSA: as libroctracer64 reports them, they become operations of their kinds.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_CALLS_H
#define RTRACE_ROCPROFILER_SOURCES_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct roctracer_core;

/* On its thread, for the subscriber. */
void calls__begin(uint32_t domain, uint32_t op, const void *data);
void calls__end(uint32_t domain, uint32_t op, const void *data);

/*
 * Asks libroctracer64 for the calls that services want now. With `all` it asks for all calls of
 * HIP, so that the first one is reported. HIP's functions are known once HIP is in the process.
 */
void calls__engage(const struct roctracer_core *core, bool all);

#endif
