/* SPDX-License-Identifier: MIT */
/*
 * Flags of scratch memory, and which event of HSA a callback reports. Numbers are those of
 * librocprofiler-sdk 1.0, and HSA's.
 */
#ifndef ROCPROFILER_SDK_HSA_SCRATCH_MEMORY_ID_H
#define ROCPROFILER_SDK_HSA_SCRATCH_MEMORY_ID_H

#if __has_include(<hsa/hsa_amd_tool.h>)
#include <hsa/hsa.h>
#include <hsa/hsa_amd_tool.h>
#else
/* HSA up to 6.0 has no such events. */
typedef enum {
	HSA_AMD_TOOL_EVENT_MIN = 0,
	HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START,
	HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END,
	HSA_AMD_TOOL_EVENT_SCRATCH_FREE_START,
	HSA_AMD_TOOL_EVENT_SCRATCH_FREE_END,
	HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START,
	HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_END,
	HSA_AMD_TOOL_EVENT_MAX
} hsa_amd_tool_event_kind_t;
#endif

typedef enum rocprofiler_scratch_alloc_flag_t {
	ROCPROFILER_SCRATCH_ALLOC_FLAG_NONE = 0,
	ROCPROFILER_SCRATCH_ALLOC_FLAG_USE_ONCE = 1, /* for one dispatch only */
	ROCPROFILER_SCRATCH_ALLOC_FLAG_ALT = 2,	     /* of the second kind, with fewer slots */
} rocprofiler_scratch_alloc_flag_t;

#endif
