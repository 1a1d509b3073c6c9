/* SPDX-License-Identifier: MIT */
/*
 * HIP's headers, and the types of HIP 7.0's functions that older ones lack, so that hip/api_args.h
 * has the same layout with all of them: a pointer's target may stay incomplete, and an enum has its
 * name and size, but no values.
 */
#ifndef ROCPROFILER_SDK_HIP_TYPES_H
#define ROCPROFILER_SDK_HIP_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#if __has_include(<hip/hip_deprecated.h>)
#include <hip/hip_deprecated.h>
#endif
/* Up to 5.7 hip_runtime_api.h has what is in it. */
#if __has_include(<hip/amd_detail/amd_hip_gl_interop.h>)
#include <hip/amd_detail/amd_hip_gl_interop.h>
#endif
/* The tables of functions, for tools that replace them. */
#if __has_include(<hip/amd_detail/hip_api_trace.hpp>)
#include <hip/amd_detail/hip_api_trace.hpp>
#endif

#if HIP_VERSION < 50300000
typedef enum hipGraphMemAttributeType { hipGraphMemAttributeUnknown } hipGraphMemAttributeType;
typedef struct hipUserObject *hipUserObject_t;
#endif

#if HIP_VERSION < 50500000
typedef struct hipFunctionLaunchParams_t hipFunctionLaunchParams;
typedef struct hipMemAllocNodeParams hipMemAllocNodeParams;
#endif

#if HIP_VERSION < 50700000
typedef struct hipExternalSemaphoreSignalNodeParams hipExternalSemaphoreSignalNodeParams;
typedef struct hipExternalSemaphoreWaitNodeParams hipExternalSemaphoreWaitNodeParams;
#endif

#if HIP_VERSION < 60000000
typedef struct hipDeviceProp_tR0000 hipDeviceProp_tR0000;
typedef struct hipDeviceProp_tR0600 hipDeviceProp_tR0600;
typedef struct hipExternalMemoryMipmappedArrayDesc_st hipExternalMemoryMipmappedArrayDesc;
#endif

#if HIP_VERSION < 60100000
typedef struct hipGraphNodeParams hipGraphNodeParams;
#endif

#if HIP_VERSION < 60200000
typedef enum hipDriverProcAddressQueryResult {
	hipDriverProcAddressQueryUnknown
} hipDriverProcAddressQueryResult;
typedef struct hipGraphEdgeData hipGraphEdgeData;
typedef struct hipGraphInstantiateParams hipGraphInstantiateParams;
#endif

#if HIP_VERSION < 60400000
typedef struct hipBatchMemOpNodeParams hipBatchMemOpNodeParams;
typedef enum hipJitInputType { hipJitInputUnknown } hipJitInputType;
typedef struct ihipLinkState_t *hipLinkState_t;
typedef union hipStreamBatchMemOpParams_union hipStreamBatchMemOpParams;
#endif

#if HIP_VERSION < 70000000
typedef struct hipLaunchConfig_st hipLaunchConfig_t;
typedef struct HIP_LAUNCH_CONFIG_st HIP_LAUNCH_CONFIG;
typedef enum hipMemRangeHandleType { hipMemRangeHandleTypeUnknown } hipMemRangeHandleType;
#endif

/* What hipCtxGetApiVersion() fills in: HIP 7 has another type. */
#if HIP_VERSION < 70000000
typedef int rocprofiler_hip_ctx_api_version_t;
#else
typedef unsigned int rocprofiler_hip_ctx_api_version_t;
#endif

/* What hipDrvGraphAddMemsetNode() is given: so has step 13 of HIP's table. */
#if defined(HIP_RUNTIME_API_TABLE_STEP_VERSION) && HIP_RUNTIME_API_TABLE_STEP_VERSION < 13
typedef HIP_MEMSET_NODE_PARAMS rocprofiler_hip_memset_params_t;
#else
typedef hipMemsetParams rocprofiler_hip_memset_params_t;
#endif

#endif
