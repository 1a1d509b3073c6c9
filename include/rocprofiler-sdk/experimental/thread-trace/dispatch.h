/* SPDX-License-Identifier: MIT */
/*
 * Thread traces of kernels that are launched. Names and layouts are those of
 * experimental/thread-trace/dispatch.h of librocprofiler-sdk 1.0. This library makes none.
 */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_DISPATCH_H
#define ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_DISPATCH_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/experimental/thread-trace/core.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>

ROCPROFILER_EXTERN_C_INIT

typedef enum rocprofiler_thread_trace_control_flags_t {
	ROCPROFILER_THREAD_TRACE_CONTROL_NONE = 0,
	ROCPROFILER_THREAD_TRACE_CONTROL_START_AND_STOP = 3
} rocprofiler_thread_trace_control_flags_t;

/* Is asked at each launch whether it is to be traced. */
typedef rocprofiler_thread_trace_control_flags_t (*rocprofiler_thread_trace_dispatch_callback_t)(
	rocprofiler_agent_id_t agent_id, rocprofiler_queue_id_t queue_id,
	rocprofiler_async_correlation_id_t correlation_id, rocprofiler_kernel_id_t kernel_id,
	rocprofiler_dispatch_id_t dispatch_id, void *userdata_config,
	rocprofiler_user_data_t *userdata_shader);

/*
 * While the context runs, launches on the agent are traced that `dispatch_callback` wants to be.
 * -> CONFIGURATION_LOCKED, CONTEXT_NOT_FOUND, AGENT_NOT_FOUND, NOT_IMPLEMENTED
 */
rocprofiler_status_t rocprofiler_configure_dispatch_thread_trace_service(
	rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
	rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
	rocprofiler_thread_trace_dispatch_callback_t dispatch_callback,
	rocprofiler_thread_trace_shader_data_callback_t shader_callback,
	void *callback_userdata) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
