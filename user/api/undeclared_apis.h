/* SPDX-License-Identifier: MIT */
/*
 * Prototypes of exported functions that no installed header declares, for scripts/gen-api-tables.
 *
 * Facts about other libraries' interfaces: what compilers emit calls of (HIP's registration of code
 * objects), and the tools libraries' functions that steer a trace. Nothing here is called by
 * rtrace.
 */
#ifndef RTRACE_API_UNDECLARED_APIS_H
#define RTRACE_API_UNDECLARED_APIS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- libamdhip64: called by code that hipcc makes ---- */

#ifdef HIP_VERSION
void **__hipRegisterFatBinary(const void *data);
void __hipUnregisterFatBinary(void **modules);
void __hipRegisterFunction(void **modules, const void *hostFunction, char *deviceFunction,
			   const char *deviceName, unsigned int threadLimit, dim3 *tid, dim3 *bid,
			   dim3 *blockDim, dim3 *gridDim, int *wSize);
void __hipRegisterVar(void **modules, void *var, char *hostVar, char *deviceVar, int ext,
		      size_t size, int constant, int global);
void __hipRegisterManagedVar(void *hipModule, void **pointer, void *init_value, const char *name,
			     size_t size, unsigned int align);
void __hipRegisterSurface(void **modules, void *var, char *hostVar, char *deviceVar, int type,
			  int ext);
void __hipRegisterTexture(void **modules, void *var, char *hostVar, char *deviceVar, int type,
			  int norm, int ext);

/* Of its tools' interface, up to 5.2. */
void hipInitActivityCallback(void *id_callback, void *op_callback, void *arg);
bool hipEnableActivityCallback(unsigned int op, bool enable);
const char *hipGetCmdName(unsigned int id);
#endif

/* ---- libroctracer64 ---- */

typedef enum {
	ROCTRACER_STATUS_SUCCESS = 0,
	ROCTRACER_STATUS_ERROR = -1,
	ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID = -2,
	ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT = -3,
	ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED = -4,
	ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED = -5,
	ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION = -6,
	ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID = -7,
	ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED = -8,
	ROCTRACER_STATUS_UNINIT = 2,
	ROCTRACER_STATUS_BREAK = 3,
	ROCTRACER_STATUS_HIP_API_ERR = 6,
	ROCTRACER_STATUS_HIP_OPS_ERR = 7,
	ROCTRACER_STATUS_ROCTX_ERR = 8,
} roctracer_status_t;

typedef uint64_t activity_correlation_id_t;

void roctracer_start(void);
void roctracer_stop(void);
void roctracer_mark(const char *str);
roctracer_status_t roctracer_activity_push_external_correlation_id(activity_correlation_id_t id);
roctracer_status_t
roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id);

/* ---- librocprofiler-sdk and librocprofiler-sdk-roctx ---- */

typedef struct {
	uint64_t handle;
} rocprofiler_context_id_t;

typedef union {
	uint64_t value;
	void *ptr;
} rocprofiler_user_data_t;

int rocprofiler_push_external_correlation_id(rocprofiler_context_id_t context, uint64_t tid,
					     rocprofiler_user_data_t external_correlation_id);
int rocprofiler_pop_external_correlation_id(rocprofiler_context_id_t context, uint64_t tid,
					    rocprofiler_user_data_t *external_correlation_id);

typedef uint64_t roctx_thread_id_t;
struct hsa_agent_s;
struct ihipStream_t;

int roctxProfilerPause(roctx_thread_id_t tid);
int roctxProfilerResume(roctx_thread_id_t tid);
int roctxNameOsThread(const char *name);
int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent);
int roctxNameHipDevice(const char *name, int device_id);
int roctxNameHipStream(const char *name, const struct ihipStream_t *stream);
int roctxGetThreadId(roctx_thread_id_t *tid);

/* libroctx64's side towards roctracer. */
void roctxRegisterTracerCallback(int (*function)(uint32_t domain, uint32_t operation, void *data));

#ifdef __cplusplus
}
#endif

#endif
