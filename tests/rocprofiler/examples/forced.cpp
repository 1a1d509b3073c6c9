// SPDX-License-Identifier: MIT
/*
 * A program that is its own tool: it registers itself before any runtime starts, starts a context
 * then, and ends the tool while it goes on. Prints the state after each step, the calls reported to
 * it, the counts of those that it made (tests/workloads/count.h) and the result.
 */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/workloads/count.h"

#define ROCPROFILER_CALL(call) CHECK((call) == ROCPROFILER_STATUS_SUCCESS, "%s", #call)

static rocprofiler_client_id_t *client_id;
static rocprofiler_client_finalize_t client_finalize;
static rocprofiler_context_id_t ctx;
static std::map<std::string, int> told;

static void callback_func(rocprofiler_callback_tracing_record_t record,
			  rocprofiler_user_data_t *user_data, void *cb_data)
{
	const char *name = nullptr;

	rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name,
							       nullptr);
	if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT)
		told[name]++;
}

static int init(rocprofiler_client_finalize_t finalize, void *tool_data)
{
	client_finalize = finalize;
	ROCPROFILER_CALL(rocprofiler_create_context(&ctx));
	ROCPROFILER_CALL(rocprofiler_configure_callback_tracing_service(
		ctx, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, nullptr, 0, callback_func,
		nullptr));
	return 0;
}

static void fini(void *tool_data)
{
	printf("fini\n");
}

extern "C" rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
								      const char *runtime_version,
								      uint32_t priority,
								      rocprofiler_client_id_t *id)
{
	static auto result = rocprofiler_tool_configure_result_t{
		sizeof(rocprofiler_tool_configure_result_t), init, fini, nullptr};

	client_id = id;
	printf("configure %u\n", priority);
	return &result;
}

static void print_state(const char *when)
{
	int initialized, finalized, active;

	ROCPROFILER_CALL(rocprofiler_is_initialized(&initialized));
	ROCPROFILER_CALL(rocprofiler_is_finalized(&finalized));
	if (rocprofiler_context_is_active(ctx, &active) != ROCPROFILER_STATUS_SUCCESS)
		active = -1;
	printf("%s: initialized %d finalized %d active %d\n", when, initialized, finalized, active);
}

static void use_hip(void)
{
	void *memory;
	int device;

	CALL(hipGetDevice, (&device));
	CALL(hipMalloc, (&memory, 4096));
	CALL(hipFree, (memory));
}

int main(void)
{
	print_state("at first");
	ROCPROFILER_CALL(rocprofiler_force_configure(&rocprofiler_configure));
	print_state("forced");
	CHECK(rocprofiler_force_configure(&rocprofiler_configure) ==
		      ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED,
	      "it is configured twice");
	ROCPROFILER_CALL(rocprofiler_start_context(ctx));
	print_state("started");
	use_hip();
	use_hip();
	client_finalize(*client_id);
	print_state("ended");
	for (auto &[name, count] : told)
		printf("told %s %d\n", name.c_str(), count);
	count__print();
	count__reset();
	printf("and untraced\n");
	use_hip();
	return count__pass();
}
