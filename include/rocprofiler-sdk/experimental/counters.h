/* SPDX-License-Identifier: MIT */
/*
 * Definitions of counters that a tool brings itself. Names are those of experimental/counters.h of
 * librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_COUNTERS_H
#define ROCPROFILER_SDK_EXPERIMENTAL_COUNTERS_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/*
 * Takes these definitions, `size` bytes of YAML, in place of those that there are, or besides them
 * with ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION; before any counter was asked for.
 * -> NOT_IMPLEMENTED
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_load_counter_definition(const char *yaml, size_t size,
				    rocprofiler_counter_flag_t flags) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
