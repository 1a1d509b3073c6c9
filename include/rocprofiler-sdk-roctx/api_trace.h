/* SPDX-License-Identifier: MIT */
/*
 * The side of librocprofiler-sdk-roctx that faces a tool inside the process: the tables of
 * functions that the public ones call. librocprofiler-register passes them to the tool, which may
 * replace the functions. Names and layouts are those of ROCm's api_trace.h.
 */
#ifndef ROCPROFILER_SDK_ROCTX_API_TRACE_H
#define ROCPROFILER_SDK_ROCTX_API_TRACE_H

#include <stdint.h>

#include "rocprofiler-sdk-roctx/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hsa_agent_s;
struct ihipStream_t;

typedef void (*roctxMarkA_fn_t)(const char *message);
typedef int (*roctxRangePushA_fn_t)(const char *message);
typedef int (*roctxRangePop_fn_t)(void);
typedef roctx_range_id_t (*roctxRangeStartA_fn_t)(const char *message);
typedef void (*roctxRangeStop_fn_t)(roctx_range_id_t id);
typedef int (*roctxGetThreadId_fn_t)(roctx_thread_id_t *tid);
typedef int (*roctxProfilerPause_fn_t)(roctx_thread_id_t tid);
typedef int (*roctxProfilerResume_fn_t)(roctx_thread_id_t tid);
typedef int (*roctxNameOsThread_fn_t)(const char *name);
typedef int (*roctxNameHsaAgent_fn_t)(const char *name, const struct hsa_agent_s *agent);
typedef int (*roctxNameHipDevice_fn_t)(const char *name, int device_id);
typedef int (*roctxNameHipStream_fn_t)(const char *name, const struct ihipStream_t *stream);

/* In each, `size` is that of the table in bytes. */
typedef struct roctxCoreApiTable_t {
	uint64_t size;
	roctxMarkA_fn_t roctxMarkA_fn;
	roctxRangePushA_fn_t roctxRangePushA_fn;
	roctxRangePop_fn_t roctxRangePop_fn;
	roctxRangeStartA_fn_t roctxRangeStartA_fn;
	roctxRangeStop_fn_t roctxRangeStop_fn;
	roctxGetThreadId_fn_t roctxGetThreadId_fn;
} roctxCoreApiTable_t;

typedef struct roctxControlApiTable_t {
	uint64_t size;
	roctxProfilerPause_fn_t roctxProfilerPause_fn;
	roctxProfilerResume_fn_t roctxProfilerResume_fn;
} roctxControlApiTable_t;

typedef struct roctxNameApiTable_t {
	uint64_t size;
	roctxNameOsThread_fn_t roctxNameOsThread_fn;
	roctxNameHsaAgent_fn_t roctxNameHsaAgent_fn;
	roctxNameHipDevice_fn_t roctxNameHipDevice_fn;
	roctxNameHipStream_fn_t roctxNameHipStream_fn;
} roctxNameApiTable_t;

#ifdef __cplusplus
}
#endif

#endif
