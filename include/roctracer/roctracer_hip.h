/* SPDX-License-Identifier: MIT */
/*
 * What callbacks of ACTIVITY_DOMAIN_HIP_API receive, hip_api_data_t, is in HIP's own header; here
 * are the operations of ACTIVITY_DOMAIN_HIP_OPS.
 */
#ifndef ROCTRACER_HIP_H_
#define ROCTRACER_HIP_H_

#include "roctracer.h"

#include <hip/hip_runtime.h>
#if __has_include(<hip/hip_deprecated.h>)
#include <hip/hip_deprecated.h>
#endif
#include <hip/amd_detail/hip_prof_str.h>

/*
 * Their contents are what HIP reports, and differ from release to release. Up to 5.3.0 it names no
 * kernels and reports no bytes; later HIP 5 reports no bytes of some copies. Then records have the
 * bytes of the call's arguments. For a graph they have the bytes that HSA knows, where
 * librtrace-agent.so is in the process (HSA_TOOLS_LIB names it, or this library); for fills none.
 * HIP 6 reports copies in graphs as kernels of its own (__amd_rocclr_copyBuffer), and some copies
 * of boxes as fills. HSA_OPS has them as GPUs ran them.
 */
typedef enum {
	HIP_OP_ID_DISPATCH = 0,
	HIP_OP_ID_COPY = 1, /* and fills */
	HIP_OP_ID_BARRIER = 2,
	HIP_OP_ID_NUMBER = 3
} hip_op_id_t;

#endif
