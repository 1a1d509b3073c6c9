// SPDX-License-Identifier: MIT
/*
 * librocprofiler-sdk's sequence of events of code objects: a tool that writes them to the file
 * EXAMPLE_OUT as they come, and when the application launches a kernel in between:
 *
 *   load object ID
 *   load kernel ID OBJECT-ID NAME
 *   launch KERNEL-ID
 *   unload kernel ID OBJECT-ID NAME
 *   unload object ID
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

static FILE *out;

static const char *phase_name(rocprofiler_callback_phase_t phase)
{
	return phase == ROCPROFILER_CALLBACK_PHASE_LOAD ? "load" : "unload";
}

static void on_code(rocprofiler_callback_tracing_record_t record,
		    rocprofiler_user_data_t *user_data, void *cb_data)
{
	const rocprofiler_callback_tracing_code_object_load_data_t *object =
		(const rocprofiler_callback_tracing_code_object_load_data_t *)record.payload;
	const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel =
		(const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *)
			record.payload;

	if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD)
		fprintf(out, "%s object %" PRIu64 "\n", phase_name(record.phase),
			object->code_object_id);
	else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER)
		fprintf(out, "%s kernel %" PRIu64 " %" PRIu64 " %s\n", phase_name(record.phase),
			kernel->kernel_id, kernel->code_object_id, kernel->kernel_name);
}

static void on_dispatch(rocprofiler_callback_tracing_record_t record,
			rocprofiler_user_data_t *user_data, void *cb_data)
{
	const rocprofiler_callback_tracing_kernel_dispatch_data_t *dispatch =
		(const rocprofiler_callback_tracing_kernel_dispatch_data_t *)record.payload;

	if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		fprintf(out, "launch %" PRIu64 "\n", dispatch->dispatch_info.kernel_id);
}

static int init(rocprofiler_client_finalize_t finalize, void *tool_data)
{
	rocprofiler_context_id_t ctx = {0};

	return rocprofiler_create_context(&ctx) ||
	       rocprofiler_configure_callback_tracing_service(
		       ctx, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, NULL, 0, on_code, NULL) ||
	       rocprofiler_configure_callback_tracing_service(
		       ctx, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, NULL, 0, on_dispatch,
		       NULL) ||
	       rocprofiler_start_context(ctx);
}

static void fini(void *tool_data)
{
	fflush(out);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
							   const char *runtime_version,
							   uint32_t priority,
							   rocprofiler_client_id_t *client_id)
{
	static rocprofiler_tool_configure_result_t result = {sizeof(result), init, fini, NULL};

	out = fopen(getenv("EXAMPLE_OUT"), "we");
	client_id->name = "code_objects";
	return out ? &result : NULL;
}
