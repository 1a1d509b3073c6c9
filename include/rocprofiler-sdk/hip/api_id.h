/* SPDX-License-Identifier: MIT */
/* The operations of all kinds that are calls of HIP. */
#ifndef ROCPROFILER_SDK_HIP_API_ID_H
#define ROCPROFILER_SDK_HIP_API_ID_H

#include <rocprofiler-sdk/hip/compiler_api_id.h>
#include <rocprofiler-sdk/hip/runtime_api_id.h>

#endif
