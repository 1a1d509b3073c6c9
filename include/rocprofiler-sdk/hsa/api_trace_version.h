/* SPDX-License-Identifier: MIT */
/* HSA's tables of functions, for tools that replace them (C++ only), and their versions. */
#ifndef ROCPROFILER_SDK_HSA_API_TRACE_VERSION_H
#define ROCPROFILER_SDK_HSA_API_TRACE_VERSION_H

/* With it, and only then, HSA's header finds those that are installed beside it. */
#ifndef AMD_INTERNAL_BUILD
#define AMD_INTERNAL_BUILD
#define ROCPROFILER_DEFINED_AMD_INTERNAL_BUILD 1
#endif

#ifdef __cplusplus
#include <hsa/hsa_api_trace.h>
#elif __has_include(<hsa/hsa_api_trace_version.h>)
#include <hsa/hsa_api_trace_version.h>
#endif

#ifdef ROCPROFILER_DEFINED_AMD_INTERNAL_BUILD
#undef AMD_INTERNAL_BUILD
#undef ROCPROFILER_DEFINED_AMD_INTERNAL_BUILD
#endif

#endif
