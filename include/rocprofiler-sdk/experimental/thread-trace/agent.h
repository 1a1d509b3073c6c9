/* SPDX-License-Identifier: MIT */
/*
 * Thread traces of an agent, from start to stop of a context. Names and layouts are those of
 * experimental/thread-trace/agent.h of librocprofiler-sdk 1.0. This library makes none.
 */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_AGENT_H
#define ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_AGENT_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/experimental/thread-trace/core.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>

ROCPROFILER_EXTERN_C_INIT

/*
 * While the context runs, the agent is traced, and the data are passed to `shader_callback`.
 * -> CONFIGURATION_LOCKED, CONTEXT_NOT_FOUND, AGENT_NOT_FOUND, NOT_IMPLEMENTED
 */
rocprofiler_status_t rocprofiler_configure_device_thread_trace_service(
	rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
	rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
	rocprofiler_thread_trace_shader_data_callback_t shader_callback,
	rocprofiler_user_data_t callback_userdata) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
