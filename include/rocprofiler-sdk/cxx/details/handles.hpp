/* SPDX-License-Identifier: MIT */
/* The types that are a handle and nothing else, for hash.hpp and operators.hpp. */
#pragma once

#include <rocprofiler-sdk/experimental/thread-trace/trace_decoder.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/internal_threading.h>

#define ROCPROFILER_CXX_HANDLES(X)               \
	X(rocprofiler_address_t)                 \
	X(rocprofiler_agent_id_t)                \
	X(rocprofiler_buffer_id_t)               \
	X(rocprofiler_callback_thread_t)         \
	X(rocprofiler_context_id_t)              \
	X(rocprofiler_counter_config_id_t)       \
	X(rocprofiler_counter_id_t)              \
	X(rocprofiler_queue_id_t)                \
	X(rocprofiler_stream_id_t)               \
	X(rocprofiler_thread_trace_decoder_id_t) \
	X(hsa_agent_t)                           \
	X(hsa_amd_memory_pool_t)                 \
	X(hsa_executable_t)                      \
	X(hsa_region_t)                          \
	X(hsa_signal_t)
