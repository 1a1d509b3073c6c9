/* SPDX-License-Identifier: MIT */
/*
 * RCCL's header, or, where it is not installed, the types that rccl/api_args.h needs: enums have
 * their names and sizes, but only one of their values. A program may define
 * ROCPROFILER_SDK_USE_SYSTEM_RCCL to 0 or 1 to decide it.
 */
#ifndef ROCPROFILER_SDK_RCCL_TYPES_H
#define ROCPROFILER_SDK_RCCL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime_api.h>

#ifndef ROCPROFILER_SDK_USE_SYSTEM_RCCL
#if __has_include(<rccl/rccl.h>)
#define ROCPROFILER_SDK_USE_SYSTEM_RCCL 1
#else
#define ROCPROFILER_SDK_USE_SYSTEM_RCCL 0
#endif
#endif

#if ROCPROFILER_SDK_USE_SYSTEM_RCCL > 0
#include <rccl/rccl.h>
#else
typedef const struct ncclComm *ncclComm_t;
typedef struct {
	char internal[128];
} ncclUniqueId;
typedef struct ncclConfig_v21700 ncclConfig_t;
typedef enum { ncclSuccess = 0 } ncclResult_t;
typedef enum { ncclSum = 0 } ncclRedOp_t;
typedef enum { ncclInt8 = 0 } ncclDataType_t;
typedef enum { ncclScalarDevice = 0 } ncclScalarResidence_t;
typedef int mscclAlgoHandle_t;
#endif

#endif
