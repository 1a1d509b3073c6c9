// SPDX-License-Identifier: MIT
/*
 * See sdk_tool.h. A library, which is preloaded, or loaded when the process has been measured
 * without it.
 */
#include "tests/bench/sdk_tool.h"

#include <stdio.h>
#include <stdlib.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#define WISHES	    4
#define BUFFER_SIZE (1 << 20)

#define MUST(call) must(call, #call)

static rocprofiler_context_id_t contexts[WISHES];

static void must(rocprofiler_status_t status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "sdk_tool: %s: %s\n", what, rocprofiler_get_status_string(status));
	exit(1);
}

static void on_operation(rocprofiler_callback_tracing_record_t record,
			 rocprofiler_user_data_t *user_data, void *arg)
{
}

static void on_records(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer,
		       rocprofiler_record_header_t **headers, size_t count, void *arg,
		       uint64_t lost)
{
}

static void tell_of(rocprofiler_context_id_t *context, rocprofiler_callback_tracing_kind_t kind)
{
	MUST(rocprofiler_configure_callback_tracing_service(*context, kind, NULL, 0, on_operation,
							    NULL));
}

static void record(rocprofiler_context_id_t *context, rocprofiler_buffer_tracing_kind_t kind)
{
	rocprofiler_buffer_id_t buffer = {0};

	MUST(rocprofiler_create_buffer(*context, BUFFER_SIZE, BUFFER_SIZE / 2,
				       ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_records, NULL,
				       &buffer));
	MUST(rocprofiler_configure_buffer_tracing_service(*context, kind, NULL, 0, buffer));
}

static int init(rocprofiler_client_finalize_t end, void *arg)
{
	for (int i = 0; i < WISHES; i++)
		MUST(rocprofiler_create_context(&contexts[i]));
	tell_of(&contexts[0], ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API);
	record(&contexts[1], ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API);
	tell_of(&contexts[2], ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH);
	tell_of(&contexts[2], ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY);
	record(&contexts[3], ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH);
	record(&contexts[3], ROCPROFILER_BUFFER_TRACING_MEMORY_COPY);
	return 0;
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
							   const char *runtime_version,
							   uint32_t priority,
							   rocprofiler_client_id_t *client)
{
	static rocprofiler_tool_configure_result_t result = {.size = sizeof(result),
							     .initialize = init};

	client->name = "bench";
	return &result;
}

void sdk_tool__want(unsigned int wishes)
{
	static unsigned int before;

	if (!contexts[0].handle)
		MUST(rocprofiler_force_configure(rocprofiler_configure));
	for (int i = 0; i < WISHES; i++)
		if (wishes & ~before & 1U << i)
			MUST(rocprofiler_start_context(contexts[i]));
		else if (~wishes & before & 1U << i)
			MUST(rocprofiler_stop_context(contexts[i]));
	before = wishes;
}
