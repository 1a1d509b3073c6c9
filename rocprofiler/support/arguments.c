// SPDX-License-Identifier: MIT
/*
 * Passes the arguments of a call to a tool, one by one. Values are written on the stack, so that
 * nothing has to be freed if the tool's function throws.
 */
#include <stddef.h>

#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>

#include "rocprofiler/support/tables.h"
#include "rocprofiler/support/values.h"

#define PAYLOAD_ARGS(library) offsetof(rocprofiler_callback_tracing_##library##_api_data_t, args)
#define RECORD_ARGS(library)  offsetof(rocprofiler_buffer_tracing_##library##_api_ext_record_t, args)

/* Where the arguments are in a callback's payload; 0: it has none. */
static size_t args_of_payload(rocprofiler_callback_tracing_kind_t kind)
{
	switch (kind) {
	case ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API:
	case ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API:
	case ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API:
	case ROCPROFILER_CALLBACK_TRACING_HSA_FINALIZE_EXT_API:
		return PAYLOAD_ARGS(hsa);
	case ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API:
	case ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API:
		return PAYLOAD_ARGS(hip);
	case ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API:
	case ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API:
	case ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API:
	case ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API:
		return PAYLOAD_ARGS(marker);
	default:
		return 0;
	}
}

static size_t args_of_record(rocprofiler_buffer_tracing_kind_t kind)
{
	switch (kind) {
	case ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT:
	case ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT:
		return RECORD_ARGS(hip);
	default:
		return 0;
	}
}

/* NONE and LAST are what 1.0 has this code for. */
static rocprofiler_status_t unknown_kind(const struct sdk_kind *kind, uint32_t number,
					 uint32_t last)
{
	if (!number || number == last)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	return kind ? ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED
		    : ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}

static void tell_callback(const rocprofiler_callback_tracing_record_t *record,
			  const struct sdk_operation *operation, const char *args,
			  rocprofiler_callback_tracing_operation_args_cb_t callback, int32_t max,
			  void *data)
{
	char text[VALUES_MAX];

	for (uint32_t i = 0; i < operation->argument_count; i++) {
		const struct sdk_argument *a = &operation->arguments[i];
		const void *value = args + a->offset;
		int followed = values__write(text, sizeof(text), a->type, value, max);

		if (callback(record->kind, record->operation, i, value, a->indirections,
			     a->type_name, a->name, text, followed, data))
			return;
	}
}

static void tell_buffer(rocprofiler_buffer_tracing_kind_t kind,
			rocprofiler_tracing_operation_t number,
			const struct sdk_operation *operation, const char *args,
			rocprofiler_buffer_tracing_operation_args_cb_t callback, void *data)
{
	char text[VALUES_MAX];

	for (uint32_t i = 0; i < operation->argument_count; i++) {
		const struct sdk_argument *a = &operation->arguments[i];
		const void *value = args + a->offset;

		values__write(text, sizeof(text), a->type, value, 0);
		if (callback(kind, number, i, value, a->indirections, a->type_name, a->name, text,
			     data))
			return;
	}
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operation_args(
	rocprofiler_callback_tracing_record_t record,
	rocprofiler_callback_tracing_operation_args_cb_t callback, int32_t max_dereference_count,
	void *user_data)
{
	const struct sdk_kind *kind = tables__callback_kind(record.kind);
	const struct sdk_operation *operation = tables__operation(kind, record.operation);
	size_t args = args_of_payload(record.kind);

	if (!args)
		return unknown_kind(kind, record.kind, ROCPROFILER_CALLBACK_TRACING_LAST);
	if (!operation)
		return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
	if (!record.payload)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	tell_callback(&record, operation, (const char *)record.payload + args, callback,
		      max_dereference_count, user_data);
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_record_args(
	rocprofiler_record_header_t record, rocprofiler_buffer_tracing_operation_args_cb_t callback,
	void *user_data)
{
	const rocprofiler_buffer_tracing_hip_api_ext_record_t *call = record.payload;
	const struct sdk_kind *kind = tables__buffer_kind(record.kind);
	const struct sdk_operation *operation;
	size_t args = args_of_record(record.kind);

	if (record.category != ROCPROFILER_BUFFER_CATEGORY_TRACING)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	if (!args)
		return unknown_kind(kind, record.kind, ROCPROFILER_BUFFER_TRACING_LAST);
	if (!call)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	operation = tables__operation(kind, call->operation);
	if (!operation)
		return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
	tell_buffer(record.kind, call->operation, operation, (const char *)call + args, callback,
		    user_data);
	return ROCPROFILER_STATUS_SUCCESS;
}
