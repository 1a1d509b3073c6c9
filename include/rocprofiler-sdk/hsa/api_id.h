/* SPDX-License-Identifier: MIT */
/* The operations of all kinds that are calls of HSA. */
#ifndef ROCPROFILER_SDK_HSA_API_ID_H
#define ROCPROFILER_SDK_HSA_API_ID_H

#include <rocprofiler-sdk/hsa/amd_ext_api_id.h>
#include <rocprofiler-sdk/hsa/core_api_id.h>
#include <rocprofiler-sdk/hsa/finalize_ext_api_id.h>
#include <rocprofiler-sdk/hsa/image_ext_api_id.h>

#endif
