/* SPDX-License-Identifier: MIT */
/*
 * Hardware counters of agents. Names and layouts are those of counters.h of librocprofiler-sdk 1.0.
 * This library has none.
 */
#ifndef ROCPROFILER_SDK_COUNTERS_H
#define ROCPROFILER_SDK_COUNTERS_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

#include <rocprofiler-sdk/deprecated/counters.h>

ROCPROFILER_EXTERN_C_INIT

/* A counter. Its strings are the library's, and stay. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_counter_info_v0_t {
	rocprofiler_counter_id_t id;
	const char *name;
	const char *description;
	const char *block;	 /* of the hardware; of those that are not derived */
	const char *expression;	 /* of those that are derived */
	uint8_t is_constant : 1; /* a property of the agent, no count */
	uint8_t is_derived : 1;	 /* computed of others */
} rocprofiler_counter_info_v0_t;

/* A place in one dimension. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_counter_dimension_info_t {
	uint64_t size; /* bytes of this struct */
	const char *dimension_name;
	size_t index; /* from 0 */
} rocprofiler_counter_dimension_info_t;

/* An instance of a counter: its place in each of the counter's dimensions. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_counter_record_dimension_instance_info_t {
	uint64_t size; /* bytes of this struct */
	rocprofiler_counter_instance_id_t instance_id;
	uint64_t counter_id;
	uint64_t dimensions_count;
	const rocprofiler_counter_dimension_info_t **dimensions;
} rocprofiler_counter_record_dimension_instance_info_t;

/* A counter with its dimensions and instances. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_counter_info_v1_t {
	uint64_t size; /* bytes of this struct */
	rocprofiler_counter_id_t id;
	const char *name;
	const char *description;
	const char *block;
	const char *expression;
	uint8_t is_constant : 1;
	uint8_t is_derived : 1;
	uint64_t dimensions_count;
	const rocprofiler_counter_record_dimension_info_t **dimensions;
	uint64_t dimensions_instances_count;
	const rocprofiler_counter_record_dimension_instance_info_t **dimensions_instances;
} rocprofiler_counter_info_v1_t;

/* The counter that an instance is of. -> NOT_IMPLEMENTED */
ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_status_t rocprofiler_query_record_counter_id(
	rocprofiler_counter_instance_id_t id, rocprofiler_counter_id_t *counter_id) ROCPROFILER_API
	ROCPROFILER_NONNULL(2);

/* The place of an instance in the dimension, from 0. -> NOT_IMPLEMENTED */
ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_status_t rocprofiler_query_record_dimension_position(
	rocprofiler_counter_instance_id_t id, rocprofiler_counter_dimension_id_t dim,
	size_t *pos) ROCPROFILER_API ROCPROFILER_NONNULL(3);

/* Fills in the struct of that version. -> NOT_IMPLEMENTED */
ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_status_t rocprofiler_query_counter_info(
	rocprofiler_counter_id_t counter_id, rocprofiler_counter_info_version_id_t version,
	void *info) ROCPROFILER_API ROCPROFILER_NONNULL(3);

/* Is given an agent's counters; the array is valid until it returns. */
ROCPROFILER_SDK_EXPERIMENTAL typedef rocprofiler_status_t (*rocprofiler_available_counters_cb_t)(
	rocprofiler_agent_id_t agent_id, rocprofiler_counter_id_t *counters, size_t num_counters,
	void *user_data);

/*
 * Calls `cb` once, on this thread, and returns what it returns.
 * -> AGENT_NOT_FOUND, NOT_IMPLEMENTED
 */
ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(
	rocprofiler_agent_id_t agent_id, rocprofiler_available_counters_cb_t cb,
	void *user_data) ROCPROFILER_API ROCPROFILER_NONNULL(2);

/*
 * Makes a derived counter of an expression over the agent's others. Strings are copied; their
 * lengths are without NUL.
 * -> AGENT_NOT_FOUND, NOT_IMPLEMENTED
 */
ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_status_t rocprofiler_create_counter(
	const char *name, size_t name_len, const char *expr, size_t expr_len,
	const char *description, size_t description_len, rocprofiler_agent_id_t agent,
	rocprofiler_counter_id_t *counter_id) ROCPROFILER_NONNULL(1, 3, 8);

ROCPROFILER_EXTERN_C_FINI

#endif
