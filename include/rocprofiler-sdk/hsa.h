/* SPDX-License-Identifier: MIT */
/* All that there is on calls of HSA, and on scratch memory: operations, tables, arguments. */
#ifndef ROCPROFILER_SDK_HSA_H
#define ROCPROFILER_SDK_HSA_H

#include <rocprofiler-sdk/ext_version.h>
#include <rocprofiler-sdk/hsa/api_args.h>
#include <rocprofiler-sdk/hsa/api_id.h>
#include <rocprofiler-sdk/hsa/api_trace_version.h>
#include <rocprofiler-sdk/hsa/scratch_memory_args.h>
#include <rocprofiler-sdk/hsa/scratch_memory_id.h>
#include <rocprofiler-sdk/hsa/table_id.h>

#endif
