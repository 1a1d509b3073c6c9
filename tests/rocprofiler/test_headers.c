// SPDX-License-Identifier: MIT
// The public headers of librocprofiler-sdk, in C and in C++: layouts and numbers are those of 1.0
// (layouts.txt), and programs that are written for it compile.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>
#include <rocprofiler-sdk/spm.h>

#include <rocprofiler-sdk/experimental/counters.h>
#include <rocprofiler-sdk/experimental/thread_trace.h>

#ifdef __cplusplus
#define ASSERT static_assert
#define NAME   "headers_in_cxx"
#else
#define ASSERT _Static_assert
#define NAME   "headers_in_c"
#endif

#define SIZE(type, n) ASSERT(sizeof(type) == (n), #type);
#define MEMBER(type, member, offset, size)                             \
	ASSERT(offsetof(type, member) == (offset), #type "." #member); \
	ASSERT(sizeof(((type *)0)->member) == (size), #type "." #member);
#define VALUE(enumerator, n) ASSERT((int)(enumerator) == (n), #enumerator);
#include "tests/rocprofiler/layouts.inc"

ASSERT(ROCPROFILER_VERSION == 10000 && ROCPROFILER_SDK_VERSION == 10000, "version");
ASSERT(ROCPROFILER_SDK_COMPUTE_VERSION(6, 4, 1) == 60401, "version");
ASSERT(ROCPROFILER_IS_ROCPROFILER_SDK &&ROCPROFILER_SDK_BETA_COMPAT_SUPPORTED, "macros");
ASSERT(sizeof(rocprofiler_profile_config_id_t) == 8, "names of before 1.0");

// ---- a tool ----

static unsigned int calls;

static void on_call(rocprofiler_callback_tracing_record_t record,
		    rocprofiler_user_data_t *user_data, void *data)
{
	if (record.kind == ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API) {
		rocprofiler_callback_tracing_hsa_api_data_t *payload =
			(rocprofiler_callback_tracing_hsa_api_data_t *)record.payload;

		calls += payload->retval.hsa_status_t_retval == HSA_STATUS_SUCCESS;
	} else if (record.operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel) {
		rocprofiler_callback_tracing_hip_api_data_t *payload =
			(rocprofiler_callback_tracing_hip_api_data_t *)record.payload;

		calls += payload->args.hipLaunchKernel.numBlocks.x;
		calls += payload->args.hipMemcpy.kind == hipMemcpyDeviceToHost;
		calls += payload->retval.hipError_t_retval == hipSuccess;
	}
	if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		user_data->value = record.correlation_id.internal;
	else
		*(uint64_t *)data = user_data->value + record.correlation_id.ancestor;
}

static void on_records(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer,
		       rocprofiler_record_header_t **headers, size_t count, void *data,
		       uint64_t drop_count)
{
	for (size_t i = 0; i < count; i++) {
		rocprofiler_buffer_tracing_kernel_dispatch_record_t *record =
			(rocprofiler_buffer_tracing_kernel_dispatch_record_t *)headers[i]->payload;

		if (headers[i]->category == ROCPROFILER_BUFFER_CATEGORY_TRACING &&
		    headers[i]->kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH)
			*(uint64_t *)data += record->dispatch_info.grid_size.x;
	}
}

static void a_tool_is_called(void **state)
{
	rocprofiler_callback_tracing_cb_t callback = on_call;
	rocprofiler_buffer_tracing_cb_t buffer_callback = on_records;
	rocprofiler_callback_tracing_record_t record;
	rocprofiler_buffer_tracing_kernel_dispatch_record_t dispatch;
	rocprofiler_callback_tracing_hip_api_data_t payload;
	rocprofiler_record_header_t header, *headers[] = {&header};
	rocprofiler_user_data_t user_data = {0};
	rocprofiler_buffer_id_t buffer = {1};
	uint64_t seen = 0;

	memset(&record, 0, sizeof(record));
	memset(&payload, 0, sizeof(payload));
	memset(&dispatch, 0, sizeof(dispatch));
	record.kind = ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API;
	record.operation = ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel;
	record.payload = &payload;
	payload.args.hipLaunchKernel.numBlocks.x = 40;
	callback(record, &user_data, &seen);
	assert_int_equal(calls, 41);

	header.hash = rocprofiler_record_header_compute_hash(
		ROCPROFILER_BUFFER_CATEGORY_TRACING, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
	header.payload = &dispatch;
	dispatch.dispatch_info.grid_size.x = 7;
	buffer_callback(ROCPROFILER_CONTEXT_NONE, buffer, headers, 1, &seen, 0);
	assert_int_equal(seen, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tool_is_called),
	};

	return cmocka_run_group_tests_name(NAME, tests, NULL, NULL);
}
