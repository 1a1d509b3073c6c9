// SPDX-License-Identifier: MIT
#include "tests/rocprofiler/fakeops.h"

rocprofiler_tool_initialize_t fake_initialize;
rocprofiler_tool_finalize_t fake_finalize;
rocprofiler_client_finalize_t fake_end;
rocprofiler_client_id_t fake_id;

static int initialize(rocprofiler_client_finalize_t end, void *data)
{
	fake_end = end;
	return fake_initialize ? fake_initialize(end, data) : 0;
}

static void finalize(void *data)
{
	if (fake_finalize)
		fake_finalize(data);
}

static rocprofiler_tool_configure_result_t *configure(uint32_t version, const char *runtime_version,
						      uint32_t priority,
						      rocprofiler_client_id_t *id)
{
	static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize,
							     NULL};

	CHECK_EQUAL(version, 10000);
	CHECK_EQUAL(id->size, sizeof(*id));
	id->name = "the test";
	memcpy(&fake_id, id, sizeof(fake_id));
	return &result;
}

void fake_start(rocprofiler_tool_initialize_t initialize)
{
	fake_initialize = initialize;
	CHECK_OK(rocprofiler_force_configure(configure));
}

bool fake_call(uint32_t op, void (*inside)(void *arg), void *arg)
{
	rocprofiler_callback_tracing_hip_api_data_t payload = {.size = sizeof(payload)};
	struct operation o OPERATION_GUARDED;
	bool traced;

	payload.args.hipSetDevice.deviceId = 5;
	traced = operation__begin(&o, HIP_CALLBACK, HIP_BUFFER, op, 0, &payload);
	if (inside)
		inside(arg);
	payload.retval.int_retval = 6;
	if (traced)
		operation__end_call(&o, &payload, sizeof(payload));
	return traced;
}

rocprofiler_context_id_t make_context(void)
{
	rocprofiler_context_id_t id = {0};

	CHECK_OK(rocprofiler_create_context(&id));
	CHECK(id.handle);
	return id;
}

rocprofiler_buffer_id_t make_buffer(rocprofiler_context_id_t context, size_t size, size_t watermark,
				    rocprofiler_buffer_policy_t policy,
				    rocprofiler_buffer_tracing_cb_t callback, void *arg)
{
	rocprofiler_buffer_id_t id = {0};

	CHECK_OK(rocprofiler_create_buffer(context, size, watermark, policy, callback, arg, &id));
	return id;
}

void want_calls(rocprofiler_context_id_t context, rocprofiler_callback_tracing_cb_t callback,
		void *arg)
{
	CHECK_OK(rocprofiler_configure_callback_tracing_service(context, HIP_CALLBACK, NULL, 0,
								callback, arg));
}

void want_records(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer)
{
	CHECK_OK(
		rocprofiler_configure_buffer_tracing_service(context, HIP_BUFFER, NULL, 0, buffer));
}

#ifdef __SANITIZE_THREAD__
/* A test forks where there are threads. */
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
#endif
