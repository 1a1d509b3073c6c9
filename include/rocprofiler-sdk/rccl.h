/* SPDX-License-Identifier: MIT */
/* All that there is on calls of RCCL: operations, tables, arguments. */
#ifndef ROCPROFILER_SDK_RCCL_H
#define ROCPROFILER_SDK_RCCL_H

#include <rocprofiler-sdk/rccl/api_args.h>
#include <rocprofiler-sdk/rccl/api_id.h>
#include <rocprofiler-sdk/rccl/table_id.h>

#endif
