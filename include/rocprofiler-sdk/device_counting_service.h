/* SPDX-License-Identifier: MIT */
/*
 * Counters of an agent, read when the tool asks for them. Names are those of
 * device_counting_service.h of librocprofiler-sdk 1.0. This library does not count.
 */
#ifndef ROCPROFILER_SDK_DEVICE_COUNTING_SERVICE_H
#define ROCPROFILER_SDK_DEVICE_COUNTING_SERVICE_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* The library's: sets what is counted. */
ROCPROFILER_SDK_EXPERIMENTAL
typedef rocprofiler_status_t (*rocprofiler_device_counting_agent_cb_t)(
	rocprofiler_context_id_t context_id, rocprofiler_counter_config_id_t config_id);

/* The tool's: is called when the context starts, and calls set_config(). */
ROCPROFILER_SDK_EXPERIMENTAL
typedef void (*rocprofiler_device_counting_service_cb_t)(
	rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
	rocprofiler_device_counting_agent_cb_t set_config, void *user_data);

/*
 * The context counts on this agent; values go to the buffer.
 * -> CONFIGURATION_LOCKED, CONTEXT_NOT_FOUND, BUFFER_NOT_FOUND, NOT_IMPLEMENTED
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_device_counting_service(
	rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
	rocprofiler_agent_id_t agent_id, rocprofiler_device_counting_service_cb_t cb,
	void *user_data) ROCPROFILER_NONNULL(4) ROCPROFILER_API;

/*
 * Reads the counters. With `output_records`, which holds *rec_count records, they are put there
 * too, and *rec_count is how many; that does not go with ROCPROFILER_COUNTER_FLAG_ASYNC.
 * -> CONTEXT_NOT_FOUND, NOT_IMPLEMENTED
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_sample_device_counting_service(
	rocprofiler_context_id_t context_id, rocprofiler_user_data_t user_data,
	rocprofiler_counter_flag_t flags, rocprofiler_counter_record_t *output_records,
	size_t *rec_count) ROCPROFILER_API;

#if ROCPROFILER_SDK_BETA_COMPAT > 0
ROCPROFILER_SDK_DEPRECATED("it is rocprofiler_device_counting_agent_cb_t now")
typedef rocprofiler_device_counting_agent_cb_t rocprofiler_agent_set_profile_callback_t;
#endif

ROCPROFILER_EXTERN_C_FINI

#endif
