// SPDX-License-Identifier: MIT
/*
 * A tool in a preloaded library: has librocprofiler-sdk report all calls of HIP, HSA and ROC-TX, in
 * one context by callbacks, in another by records, and writes to the file RT_CALLS, or RT_CALLS.N
 * if N tools were before it, one line each:
 *
 *   call enter|exit KIND NAME ID ANCESTOR EXTERNAL TID RESULT ARGUMENTS TIME
 *   record KIND NAME ID ANCESTOR EXTERNAL TID BEGIN END [RESULT ARGUMENTS]
 *
 * ARGUMENTS are known of the functions that tests/rocprofiler/callers.c calls, - of others; the
 * result is 0 at enter. The number that a range's message is is the external id of what is in it.
 *
 * RT_CALLS_KINDS=ranges: of ROC-TX, ranges in place of calls.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "tests/rocprofiler/tool.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT	     256

static FILE *out;
static rocprofiler_context_id_t by_callback, by_record;
static rocprofiler_buffer_id_t buffer;
static bool ranges;

static const char *kind_name(rocprofiler_callback_tracing_kind_t kind)
{
	const char *name = "?";

	CHECK(rocprofiler_query_callback_tracing_kind_name(kind, &name, NULL));
	return name;
}

static const char *name_of(rocprofiler_callback_tracing_kind_t kind, int32_t operation)
{
	const char *name = "?";

	CHECK(rocprofiler_query_callback_tracing_kind_operation_name(kind, operation, &name, NULL));
	return name;
}

/* ---- arguments and results ---- */

static void describe_hip(char *text, int32_t operation, const rocprofiler_hip_api_args_t *a)
{
	switch (operation) {
	case ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc:
		snprintf(text, TEXT, "%p,%zu", (void *)a->hipMalloc.ptr, a->hipMalloc.size);
		break;
	case ROCPROFILER_HIP_RUNTIME_API_ID_hipMemcpy:
		snprintf(text, TEXT, "%p,%p,%zu,%d", a->hipMemcpy.dst, a->hipMemcpy.src,
			 a->hipMemcpy.sizeBytes, a->hipMemcpy.kind);
		break;
	case ROCPROFILER_HIP_RUNTIME_API_ID_hipSetDevice:
		snprintf(text, TEXT, "%d", a->hipSetDevice.deviceId);
		break;
	case ROCPROFILER_HIP_RUNTIME_API_ID_hipFree:
		snprintf(text, TEXT, "%p", a->hipFree.ptr);
		break;
	}
}

static void describe_hsa(char *text, int32_t operation, const rocprofiler_hsa_api_args_t *a)
{
	if (operation == ROCPROFILER_HSA_CORE_API_ID_hsa_system_get_info)
		snprintf(text, TEXT, "%d,%p", a->hsa_system_get_info.attribute,
			 a->hsa_system_get_info.value);
}

/* Blanks are written as underscores. */
static void describe_message(char *text, const char *message)
{
	snprintf(text, TEXT, "%s", message);
	for (; *text; text++)
		*text = *text == ' ' ? '_' : *text;
}

static bool is_range(const rocprofiler_callback_tracing_record_t *r)
{
	return r->kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API &&
	       r->operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA;
}

static bool is_call(const rocprofiler_callback_tracing_record_t *r,
		    rocprofiler_marker_core_api_id_t operation)
{
	return r->kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API && r->operation == operation;
}

/* NULL: it has none. */
static const char *message_of(const rocprofiler_callback_tracing_record_t *r)
{
	const rocprofiler_callback_tracing_marker_api_data_t *d = r->payload;

	if (is_range(r))
		return d->args.roctxThreadRangeA.message;
	if (is_call(r, ROCPROFILER_MARKER_CORE_API_ID_roctxRangePushA))
		return d->args.roctxRangePushA.message;
	if (is_call(r, ROCPROFILER_MARKER_CORE_API_ID_roctxMarkA) ||
	    (r->kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API &&
	     r->operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA))
		return d->args.roctxMarkA.message;
	return NULL;
}

/* Returns the result. */
static int describe(char *text, const rocprofiler_callback_tracing_record_t *r)
{
	const rocprofiler_callback_tracing_hip_api_data_t *hip = r->payload;
	const rocprofiler_callback_tracing_hsa_api_data_t *hsa = r->payload;
	const rocprofiler_callback_tracing_marker_api_data_t *marker = r->payload;

	switch (r->kind) {
	case ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API:
		describe_hip(text, r->operation, &hip->args);
		return hip->retval.hipError_t_retval;
	case ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API:
		describe_hsa(text, r->operation, &hsa->args);
		return hsa->retval.hsa_status_t_retval;
	case ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API:
		return hsa->retval.hsa_status_t_retval;
	case ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API:
	case ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API:
		if (message_of(r))
			describe_message(text, message_of(r));
		return marker->retval.int32_t_retval;
	default:
		return 0;
	}
}

/* ---- external correlation ids ---- */

static void change_external(const rocprofiler_callback_tracing_record_t *r)
{
	rocprofiler_user_data_t value;

	if (r->phase == ROCPROFILER_CALLBACK_PHASE_ENTER &&
	    (is_range(r) || is_call(r, ROCPROFILER_MARKER_CORE_API_ID_roctxRangePushA))) {
		value.value = strtoul(message_of(r), NULL, 10);
		CHECK(rocprofiler_push_external_correlation_id(by_callback, r->thread_id, value));
		CHECK(rocprofiler_push_external_correlation_id(by_record, r->thread_id, value));
	} else if (r->phase == ROCPROFILER_CALLBACK_PHASE_EXIT &&
		   (is_range(r) || is_call(r, ROCPROFILER_MARKER_CORE_API_ID_roctxRangePop))) {
		CHECK(rocprofiler_pop_external_correlation_id(by_callback, r->thread_id, &value));
		CHECK(rocprofiler_pop_external_correlation_id(by_record, r->thread_id, NULL));
	}
}

/* ---- calls ---- */

static uint64_t now(void)
{
	rocprofiler_timestamp_t time;

	CHECK(rocprofiler_get_timestamp(&time));
	return time;
}

static void on_call(rocprofiler_callback_tracing_record_t r, rocprofiler_user_data_t *user,
		    void *arg)
{
	bool enters = r.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
	char text[TEXT] = "-";
	int result = describe(text, &r);

	fprintf(out,
		"call %s %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %s %" PRIu64 "\n",
		enters ? "enter" : "exit", kind_name(r.kind), name_of(r.kind, r.operation),
		r.correlation_id.internal, r.correlation_id.ancestor,
		r.correlation_id.external.value, r.thread_id, enters ? 0 : result, text, now());
	change_external(&r);
}

/* Records of calls differ in their arguments alone. */
static void write_record(const rocprofiler_buffer_tracing_hip_api_ext_record_t *r)
{
	const char *kind = "?", *name = "?";

	CHECK(rocprofiler_query_buffer_tracing_kind_name(r->kind, &kind, NULL));
	CHECK(rocprofiler_query_buffer_tracing_kind_operation_name(r->kind, r->operation, &name,
								   NULL));
	fprintf(out,
		"record %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
		kind, name, r->correlation_id.internal, r->correlation_id.ancestor,
		r->correlation_id.external.value, r->thread_id, r->start_timestamp,
		r->end_timestamp);
	if (r->kind == ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT) {
		char text[TEXT] = "-";

		describe_hip(text, r->operation, &r->args);
		fprintf(out, " %d %s", r->retval.hipError_t_retval, text);
	}
	fprintf(out, "\n");
}

/* A line is written at once: other threads write to the same file. */
static void on_records(rocprofiler_context_id_t context, rocprofiler_buffer_id_t from,
		       rocprofiler_record_header_t **headers, size_t count, void *arg,
		       uint64_t dropped)
{
	flockfile(out);
	for (size_t i = 0; i < count; i++)
		write_record(headers[i]->payload);
	if (dropped)
		fprintf(out, "dropped %" PRIu64 "\n", dropped);
	funlockfile(out);
}

/* ---- ---- */

#define KIND(name)                                                                     \
	{                                                                              \
		ROCPROFILER_CALLBACK_TRACING_##name, ROCPROFILER_BUFFER_TRACING_##name \
	}

static const struct {
	rocprofiler_callback_tracing_kind_t callback;
	rocprofiler_buffer_tracing_kind_t buffer;
} kinds[] = {
	KIND(HIP_RUNTIME_API),	     KIND(HIP_COMPILER_API),  KIND(HSA_CORE_API),
	KIND(HSA_AMD_EXT_API),	     KIND(HSA_IMAGE_EXT_API), KIND(HSA_FINALIZE_EXT_API),
	KIND(MARKER_CONTROL_API),    KIND(MARKER_NAME_API),   KIND(MARKER_CORE_API),
	KIND(MARKER_CORE_RANGE_API), /* the last two in turn */
};

static void want(size_t i)
{
	CHECK(rocprofiler_configure_callback_tracing_service(by_callback, kinds[i].callback, NULL,
							     0, on_call, NULL));
	CHECK(rocprofiler_configure_buffer_tracing_service(by_record, kinds[i].buffer, NULL, 0,
							   buffer));
}

static int initialize(rocprofiler_client_finalize_t finalize, void *arg)
{
	CHECK(rocprofiler_create_context(&by_callback));
	CHECK(rocprofiler_create_context(&by_record));
	CHECK(rocprofiler_create_buffer(by_record, 1 << 16, 1 << 15,
					ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_records, NULL,
					&buffer));
	for (size_t i = 0; i < COUNT(kinds) - 2; i++)
		want(i);
	want(COUNT(kinds) - (ranges ? 1 : 2));
	CHECK(rocprofiler_configure_buffer_tracing_service(
		by_record, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT, NULL, 0, buffer));
	CHECK(rocprofiler_start_context(by_callback));
	CHECK(rocprofiler_start_context(by_record));
	return 0;
}

static void finalize(void *arg)
{
	CHECK(rocprofiler_flush_buffer(buffer));
	fprintf(out, "finalize\n");
	fflush(out);
}

static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize, NULL};

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
							   const char *version_string,
							   uint32_t priority,
							   rocprofiler_client_id_t *id)
{
	const char *path = getenv("RT_CALLS"), *wanted = getenv("RT_CALLS_KINDS");
	char name[4096];

	snprintf(name, sizeof(name), priority ? "%s.%u" : "%s", path, priority);
	out = fopen(name, "we");
	ranges = wanted && !strcmp(wanted, "ranges");
	id->name = "call_tool";
	return out ? &result : NULL;
}
