// SPDX-License-Identifier: MIT
/*
 * librocprofiler-sdk's examples of callback tracing: a tool with a context for each of them.
 *
 *   selected  hipGetDevice and hipSetDevice alone
 *   repeated  the same, one after the other, of which the second is refused
 *   all       all of HIP's runtime, with the time from ENTER to EXIT
 *   errors    of HSA's functions that return no success, on stderr
 *
 * Writes to the file EXAMPLE_OUT what the services were answered with, then `CONTEXT FUNCTION NS`
 * for each call, in the order of their ends. (The documentation has buffers' kinds in place of
 * callbacks' in the last one.)
 */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

static FILE *out;

static void timed(const char *context, rocprofiler_callback_tracing_record_t record,
		  rocprofiler_user_data_t *user_data)
{
	auto ts = rocprofiler_timestamp_t{};

	rocprofiler_get_timestamp(&ts);
	if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
		user_data->value = ts;
	} else if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) {
		auto delta_ts = (ts - user_data->value);
		const char *name = nullptr;

		rocprofiler_query_callback_tracing_kind_operation_name(
			record.kind, record.operation, &name, nullptr);
		fprintf(out, "%s %s %lu\n", context, name, (unsigned long)delta_ts);
	}
}

static void callback_func(rocprofiler_callback_tracing_record_t record,
			  rocprofiler_user_data_t *user_data, void *cb_data)
{
	timed(static_cast<const char *>(cb_data), record, user_data);
}

static void report_errors(rocprofiler_callback_tracing_record_t record,
			  rocprofiler_user_data_t *user_data, void *cb_data)
{
	static auto hsa_domains = std::unordered_set<rocprofiler_callback_tracing_kind_t>{
		ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,
		ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API,
		ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API,
		ROCPROFILER_CALLBACK_TRACING_HSA_FINALIZE_EXT_API};

	if (hsa_domains.count(record.kind) > 0) {
		auto *payload =
			static_cast<rocprofiler_callback_tracing_hsa_api_data_t *>(record.payload);

		hsa_status_t status = payload->retval.hsa_status_t_retval;
		if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT &&
		    status != HSA_STATUS_SUCCESS) {
			const char *_kind = nullptr;
			const char *_operation = nullptr;

			rocprofiler_query_callback_tracing_kind_name(record.kind, &_kind, nullptr);
			rocprofiler_query_callback_tracing_kind_operation_name(
				record.kind, record.operation, &_operation, nullptr);
			fprintf(stderr, "[domain=%s] %s returned a non-zero exit code: %i\n", _kind,
				_operation, status);
		}
	}
}

static rocprofiler_context_id_t make_context(void)
{
	auto ctx = rocprofiler_context_id_t{};

	if (rocprofiler_create_context(&ctx) != ROCPROFILER_STATUS_SUCCESS)
		abort();
	return ctx;
}

static rocprofiler_status_t want_selected(rocprofiler_context_id_t ctx)
{
	auto operations = std::array<rocprofiler_tracing_operation_t, 2>{
		ROCPROFILER_HIP_RUNTIME_API_ID_hipSetDevice,
		ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDevice};

	return rocprofiler_configure_callback_tracing_service(
		ctx, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, operations.data(),
		operations.size(), callback_func, const_cast<char *>("selected"));
}

static void want_repeated(rocprofiler_context_id_t ctx)
{
	auto operations = std::array<rocprofiler_tracing_operation_t, 2>{
		ROCPROFILER_HIP_RUNTIME_API_ID_hipSetDevice,
		ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDevice};

	for (auto op : operations) {
		auto status = rocprofiler_configure_callback_tracing_service(
			ctx, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, &op, 1, callback_func,
			const_cast<char *>("repeated"));

		fprintf(out, "answered %s\n", rocprofiler_get_status_name(status));
	}
}

static rocprofiler_status_t want_all(rocprofiler_context_id_t ctx)
{
	return rocprofiler_configure_callback_tracing_service(
		ctx, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, nullptr, 0, callback_func,
		const_cast<char *>("all"));
}

static rocprofiler_status_t want_errors(rocprofiler_context_id_t ctx)
{
	for (auto kind : {ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,
			  ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API,
			  ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API,
			  ROCPROFILER_CALLBACK_TRACING_HSA_FINALIZE_EXT_API})
		if (auto status = rocprofiler_configure_callback_tracing_service(
			    ctx, kind, nullptr, 0, report_errors, nullptr);
		    status != ROCPROFILER_STATUS_SUCCESS)
			return status;
	return ROCPROFILER_STATUS_SUCCESS;
}

static int init(rocprofiler_client_finalize_t finalize, void *tool_data)
{
	auto contexts = std::array<rocprofiler_context_id_t, 4>{make_context(), make_context(),
								make_context(), make_context()};

	if (want_selected(contexts[0]) != ROCPROFILER_STATUS_SUCCESS)
		return -1;
	want_repeated(contexts[1]);
	if (want_all(contexts[2]) != ROCPROFILER_STATUS_SUCCESS ||
	    want_errors(contexts[3]) != ROCPROFILER_STATUS_SUCCESS)
		return -1;
	for (auto ctx : contexts)
		if (rocprofiler_start_context(ctx) != ROCPROFILER_STATUS_SUCCESS)
			return -1;
	return 0;
}

static void fini(void *tool_data)
{
	fflush(out);
}

extern "C" rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
								      const char *runtime_version,
								      uint32_t priority,
								      rocprofiler_client_id_t *id)
{
	static auto result = rocprofiler_tool_configure_result_t{
		sizeof(rocprofiler_tool_configure_result_t), init, fini, nullptr};

	out = fopen(getenv("EXAMPLE_OUT"), "we");
	id->name = "callbacks";
	return out ? &result : nullptr;
}
