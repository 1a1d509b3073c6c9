// SPDX-License-Identifier: MIT
/*
 * librocprofiler-sdk's description of intercept tables: a tool that puts a wrapper around hsa_init
 * and has it traced, too. (In C++, as HSA's header of its tables is up to 5.2.)
 *
 * Writes to the file EXAMPLE_OUT what it receives of the tables. For each call of hsa_init it
 * writes which functions are reached, in which order, and what is returned:
 *
 *   table TYPE VERSION INSTANCE COUNT NAME
 *   -> tool_hsa_init | rocp_hsa_init
 *   <- tool_hsa_init STATUS | rocp_hsa_init STATUS
 */
#define AMD_INTERNAL_BUILD // HSA's: what it includes is beside it
#include <hsa/hsa_api_trace.h>

#include <rocprofiler-sdk/intercept_table.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <cstdio>
#include <cstdlib>

static FILE *out;
static hsa_status_t (*next_hsa_init)();

static hsa_status_t tool_hsa_init()
{
	fprintf(out, "-> tool_hsa_init\n");
	auto status = next_hsa_init();
	fprintf(out, "<- tool_hsa_init %d\n", status);
	return status;
}

static void on_call(rocprofiler_callback_tracing_record_t record,
		    rocprofiler_user_data_t *user_data, void *cb_data)
{
	auto *payload = static_cast<rocprofiler_callback_tracing_hsa_api_data_t *>(record.payload);

	if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		fprintf(out, "-> rocp_hsa_init\n");
	else
		fprintf(out, "<- rocp_hsa_init %d\n", payload->retval.hsa_status_t_retval);
}

static void on_tables(rocprofiler_intercept_table_t type, uint64_t lib_version,
		      uint64_t lib_instance, void **tables, uint64_t num_tables, void *user_data)
{
	auto *table = static_cast<HsaApiTable *>(tables[0]);
	const char *name = nullptr;

	rocprofiler_query_intercept_table_name(type, &name, nullptr);
	fprintf(out, "table %d %lu %lu %lu %s\n", type, (unsigned long)lib_version,
		(unsigned long)lib_instance, (unsigned long)num_tables, name);
	if (user_data != &out)
		return;
	next_hsa_init = table->core_->hsa_init_fn;
	table->core_->hsa_init_fn = tool_hsa_init;
}

static int init(rocprofiler_client_finalize_t finalize, void *tool_data)
{
	const rocprofiler_tracing_operation_t traced = ROCPROFILER_HSA_CORE_API_ID_hsa_init;
	auto ctx = rocprofiler_context_id_t{};

	return rocprofiler_create_context(&ctx) != ROCPROFILER_STATUS_SUCCESS ||
	       rocprofiler_configure_callback_tracing_service(
		       ctx, ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API, &traced, 1, on_call,
		       nullptr) != ROCPROFILER_STATUS_SUCCESS ||
	       rocprofiler_start_context(ctx) != ROCPROFILER_STATUS_SUCCESS;
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
	id->name = "intercept_table";
	if (!out || rocprofiler_at_intercept_table_registration(on_tables, ROCPROFILER_HSA_TABLE,
								&out) != ROCPROFILER_STATUS_SUCCESS)
		return nullptr;
	return &result;
}
