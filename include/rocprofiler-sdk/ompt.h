/* SPDX-License-Identifier: MIT */
/*
 * Callbacks of OpenMP's tools interface, OMPT: operations, arguments, and how an OpenMP runtime
 * comes to the library. Names are those of ompt.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_OMPT_H
#define ROCPROFILER_SDK_OMPT_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/ompt/api_args.h>
#include <rocprofiler-sdk/ompt/api_id.h>
#include <rocprofiler-sdk/ompt/omp-tools.h>

ROCPROFILER_EXTERN_C_INIT

/* *status: 1 when an OpenMP runtime has initialised this tool, else 0. No errors. */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_ompt_is_initialized(int *status) ROCPROFILER_API
	ROCPROFILER_NONNULL(1);

/* *status: 1 when it has finalised it, else 0. No errors. */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_ompt_is_finalized(int *status) ROCPROFILER_API
	ROCPROFILER_NONNULL(1);

/*
 * For a program that has an ompt_start_tool() of its own to call in it: returns what that returns,
 * NULL if nothing is to be traced. The struct is the library's.
 */
ROCPROFILER_SDK_EXPERIMENTAL
ompt_start_tool_result_t *rocprofiler_ompt_start_tool(unsigned int omp_version,
						      const char *runtime_version) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
