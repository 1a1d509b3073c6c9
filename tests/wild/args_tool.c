// SPDX-License-Identifier: MIT
/*
 * A tool of librocprofiler-sdk that asks for all arguments of all calls of HIP and HSA, at their
 * begin and end, and follows three pointers. At the end it says on stderr how many it was given.
 */
#include <inttypes.h>
#include <stdio.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#define FOLLOWED 3

static rocprofiler_context_id_t context;
static uint64_t arguments;

static int on_argument(rocprofiler_callback_tracing_kind_t kind,
		       rocprofiler_tracing_operation_t operation, uint32_t number,
		       const void *address, int32_t indirections, const char *type,
		       const char *name, const char *value, int32_t followed, void *data)
{
	__atomic_add_fetch(&arguments, 1, __ATOMIC_RELAXED);
	return 0;
}

static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
		    void *data)
{
	rocprofiler_iterate_callback_tracing_kind_operation_args(record, on_argument, FOLLOWED,
								 NULL);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
	const rocprofiler_callback_tracing_kind_t kinds[] = {
		ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
		ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API,
		ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,
		ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API,
		ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API,
	};
	int failed = (int)rocprofiler_create_context(&context);

	for (size_t i = 0; !failed && i < sizeof(kinds) / sizeof(*kinds); i++)
		failed = rocprofiler_configure_callback_tracing_service(context, kinds[i], NULL, 0,
									on_call, NULL);
	if (!failed)
		failed = rocprofiler_start_context(context);
	return failed ? -1 : 0;
}

static void finalize(void *data)
{
	fprintf(stderr, "args_tool: %" PRIu64 " arguments\n", arguments);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *runtime,
							   uint32_t priority,
							   rocprofiler_client_id_t *id)
{
	static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize,
							     NULL};

	id->name = "args_tool";
	return &result;
}
