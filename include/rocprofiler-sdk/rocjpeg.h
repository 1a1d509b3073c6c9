/* SPDX-License-Identifier: MIT */
/* All that there is on calls of rocJPEG: operations, tables, arguments. */
#ifndef ROCPROFILER_SDK_ROCJPEG_H
#define ROCPROFILER_SDK_ROCJPEG_H

#include <rocprofiler-sdk/rocjpeg/api_args.h>
#include <rocprofiler-sdk/rocjpeg/api_id.h>
#include <rocprofiler-sdk/rocjpeg/table_id.h>

#endif
