// SPDX-License-Identifier: MIT
/*
 * librocprofiler-sdk's example of arguments: a tool that prints those of hipLaunchKernel and
 * hipMemcpyAsync on stderr.
 */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>

static int print_args(rocprofiler_callback_tracing_kind_t domain_idx,
		      rocprofiler_tracing_operation_t op_idx, uint32_t arg_num,
		      const void *const arg_value_addr, int32_t arg_indirection_count,
		      const char *arg_type, const char *arg_name, const char *arg_value_str,
		      int32_t arg_dereference_count, void *data)
{
	if (arg_num == 0) {
		const char *_kind = nullptr;
		const char *_operation = nullptr;

		rocprofiler_query_callback_tracing_kind_name(domain_idx, &_kind, nullptr);
		rocprofiler_query_callback_tracing_kind_operation_name(domain_idx, op_idx,
								       &_operation, nullptr);

		fprintf(stderr, "\n[%s] %s\n", _kind, _operation);
	}

	char *_arg_type = abi::__cxa_demangle(arg_type, nullptr, nullptr, nullptr);

	fprintf(stderr, "    %u: %-18s %-16s = %s\n", arg_num, _arg_type, arg_name, arg_value_str);

	free(_arg_type);

	// unused in example
	(void)arg_value_addr;
	(void)arg_indirection_count;
	(void)arg_dereference_count;
	(void)data;

	return 0;
}

static void callback_func(rocprofiler_callback_tracing_record_t record,
			  rocprofiler_user_data_t *user_data, void *cb_data)
{
	if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT &&
	    record.kind == ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API &&
	    (record.operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel ||
	     record.operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipMemcpyAsync)) {
		rocprofiler_iterate_callback_tracing_kind_operation_args(record, print_args,
									 record.phase, nullptr);
	}
}

static int init(rocprofiler_client_finalize_t finalize, void *tool_data)
{
	auto ctx = rocprofiler_context_id_t{};

	return rocprofiler_create_context(&ctx) != ROCPROFILER_STATUS_SUCCESS ||
	       rocprofiler_configure_callback_tracing_service(
		       ctx, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, nullptr, 0, callback_func,
		       nullptr) != ROCPROFILER_STATUS_SUCCESS ||
	       rocprofiler_start_context(ctx) != ROCPROFILER_STATUS_SUCCESS;
}

extern "C" rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
								      const char *runtime_version,
								      uint32_t priority,
								      rocprofiler_client_id_t *id)
{
	static auto result = rocprofiler_tool_configure_result_t{
		sizeof(rocprofiler_tool_configure_result_t), init, nullptr, nullptr};

	id->name = "arguments";
	return &result;
}
