/* SPDX-License-Identifier: MIT */
/*
 * Thread traces: what a trace is to have. Names and layouts are those of
 * experimental/thread-trace/core.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_CORE_H
#define ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_CORE_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>

ROCPROFILER_EXTERN_C_INIT

typedef enum rocprofiler_thread_trace_parameter_type_t {
	ROCPROFILER_THREAD_TRACE_PARAMETER_TARGET_CU = 0,      /* number of the compute unit */
	ROCPROFILER_THREAD_TRACE_PARAMETER_SHADER_ENGINE_MASK, /* bits */
	ROCPROFILER_THREAD_TRACE_PARAMETER_BUFFER_SIZE,	       /* bytes */
	ROCPROFILER_THREAD_TRACE_PARAMETER_SIMD_SELECT,	       /* bits (GFX9) or number */
	ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTERS_CTRL,  /* period, 1 to 32; 0: off */
	ROCPROFILER_THREAD_TRACE_PARAMETER_PERFCOUNTER,
	ROCPROFILER_THREAD_TRACE_PARAMETER_SERIALIZE_ALL, /* also kernels that are not traced */
	ROCPROFILER_THREAD_TRACE_PARAMETER_LAST
} rocprofiler_thread_trace_parameter_type_t;

/* A parameter: a value, or of PERFCOUNTER a counter and the SIMDs that count. */
typedef struct rocprofiler_thread_trace_parameter_t {
	rocprofiler_thread_trace_parameter_type_t type;
	union {
		uint64_t value;
		struct {
			rocprofiler_counter_id_t counter_id;
			uint64_t simd_mask : 4;
		};
	};
} rocprofiler_thread_trace_parameter_t;

/* Is given data of a shader engine; they are the library's, valid until it returns. */
typedef void (*rocprofiler_thread_trace_shader_data_callback_t)(rocprofiler_agent_id_t agent,
								int64_t shader_engine_id,
								void *data, size_t data_size,
								rocprofiler_user_data_t userdata);

ROCPROFILER_EXTERN_C_FINI

#endif
