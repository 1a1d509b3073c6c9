/* SPDX-License-Identifier: MIT */
/*
 * Counters of each kernel that is launched. Names and layouts are those of
 * dispatch_counting_service.h of librocprofiler-sdk 1.0. This library does not count.
 */
#ifndef ROCPROFILER_SDK_DISPATCH_COUNTING_SERVICE_H
#define ROCPROFILER_SDK_DISPATCH_COUNTING_SERVICE_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hsa.h>

ROCPROFILER_EXTERN_C_INIT

/* A launch. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_dispatch_counting_service_data_t {
	uint64_t size; /* bytes of this struct */
	rocprofiler_async_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp; /* 0 until it is done */
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_dispatch_counting_service_data_t;

/* The same in a buffer, in front of its values. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_dispatch_counting_service_record_t {
	uint64_t size;	      /* bytes of this struct */
	uint64_t num_records; /* values that follow */
	rocprofiler_async_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_dispatch_counting_service_record_t;

/* Is asked at each launch what is to be counted: *config, 0 for nothing. */
ROCPROFILER_SDK_EXPERIMENTAL
typedef void (*rocprofiler_dispatch_counting_service_cb_t)(
	rocprofiler_dispatch_counting_service_data_t dispatch_data,
	rocprofiler_counter_config_id_t *config, rocprofiler_user_data_t *user_data,
	void *callback_data_args);

/* Is given the values of a launch that is done, with what the function above put in *user_data. */
ROCPROFILER_SDK_EXPERIMENTAL
typedef void (*rocprofiler_dispatch_counting_record_cb_t)(
	rocprofiler_dispatch_counting_service_data_t dispatch_data,
	rocprofiler_counter_record_t *record_data, size_t record_count,
	rocprofiler_user_data_t user_data, void *callback_data_args);

/*
 * The context counts by launch; values go to the buffer.
 * -> CONFIGURATION_LOCKED, CONTEXT_NOT_FOUND, BUFFER_NOT_FOUND, NOT_IMPLEMENTED
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
	rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
	rocprofiler_dispatch_counting_service_cb_t callback,
	void *callback_data_args) ROCPROFILER_API;

/*
 * The same; values go to a function.
 * -> CONFIGURATION_LOCKED, CONTEXT_NOT_FOUND, NOT_IMPLEMENTED
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
	rocprofiler_context_id_t context_id,
	rocprofiler_dispatch_counting_service_cb_t dispatch_callback, void *dispatch_callback_args,
	rocprofiler_dispatch_counting_record_cb_t record_callback,
	void *record_callback_args) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
