// SPDX-License-Identifier: MIT
/*
 * Each function of librocprofiler-sdk's headers returns each status that they name for it, and no
 * other. What they name is read from them (statuses.awk); what was returned is noted, and missed
 * at the end. Runs with the simulated GPU.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include <rocprofiler-sdk-roctx/api_trace.h>
#include <rocprofiler-sdk/experimental/counters.h>
#include <rocprofiler-sdk/experimental/thread_trace.h>
#include <rocprofiler-sdk/spm.h>

#include "tests/rocprofiler/sdktest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MANY	     100000

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count);

/* ---- what is named, and whether it was returned ---- */

static const struct named {
	const char *function;
	rocprofiler_status_t status;
} named[] = {
#define STATUS(function, status) {#function, ROCPROFILER_STATUS_##status},
#include "tests/rocprofiler/statuses.inc"
#undef STATUS
};

/* Tests run in processes of their own. */
static uint8_t *returned;

static void note(const char *function, rocprofiler_status_t status, int line)
{
	for (size_t i = 0; i < COUNT(named); i++)
		if (named[i].status == status && !strcmp(named[i].function, function)) {
			returned[i] = 1;
			return;
		}
	fprintf(stderr, "line %d: no header names %s of %s\n", line,
		rocprofiler_get_status_name(status), function);
	_exit(1);
}

/* The call returns that. */
#define GIVES(code, function, ...)                                             \
	do {                                                                   \
		CHECK_EQUAL(function(__VA_ARGS__), ROCPROFILER_STATUS_##code); \
		note(#function, ROCPROFILER_STATUS_##code, __LINE__);          \
	} while (0)

/* ---- things that are, and that are not ---- */

static const rocprofiler_context_id_t no_context;
static const rocprofiler_buffer_id_t no_buffer;
static const rocprofiler_agent_id_t no_agent;
static const rocprofiler_counter_id_t no_counter;
static const rocprofiler_counter_config_id_t no_config;
static const rocprofiler_thread_trace_decoder_id_t no_decoder;
static const rocprofiler_user_data_t no_data;
static const rocprofiler_callback_thread_t no_thread = {12345};
static const rocprofiler_tracing_operation_t no_operation = MANY;
static const rocprofiler_thread_id_t nobody = 0;

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_agent_id_t agent;
static uint64_t anything[64]; /* for what is not filled in */

static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
		    void *data)
{
}

static void on_records(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
		       rocprofiler_record_header_t **headers, size_t count, void *data,
		       uint64_t dropped)
{
}

static int on_kind(rocprofiler_callback_tracing_kind_t kind,
		   rocprofiler_tracing_operation_t operation, void *data)
{
	return 0;
}

static int on_buffer_kind(rocprofiler_buffer_tracing_kind_t kind,
			  rocprofiler_tracing_operation_t operation, void *data)
{
	return 0;
}

static int on_argument(rocprofiler_callback_tracing_kind_t kind,
		       rocprofiler_tracing_operation_t operation, uint32_t number,
		       const void *const value, int32_t indirections, const char *type,
		       const char *name, const char *text, int32_t dereferenced, void *data)
{
	return 0;
}

static int on_buffer_argument(rocprofiler_buffer_tracing_kind_t kind,
			      rocprofiler_tracing_operation_t operation, uint32_t number,
			      const void *const value, int32_t indirections, const char *type,
			      const char *name, const char *text, void *data)
{
	return 0;
}

static int on_request(rocprofiler_thread_id_t tid, rocprofiler_context_id_t id,
		      rocprofiler_external_correlation_id_request_kind_t kind,
		      rocprofiler_tracing_operation_t operation, uint64_t internal,
		      rocprofiler_user_data_t *external, void *data)
{
	return 0;
}

static void on_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
		     void **tables, uint64_t count, void *data)
{
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
				      size_t count, void *data)
{
	CHECK(count);
	agent = ((const rocprofiler_agent_t *)agents[0])->id;
	return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t
on_counters(rocprofiler_agent_id_t id, rocprofiler_counter_id_t *counters, size_t count, void *data)
{
	return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t
on_configurations(const rocprofiler_pc_sampling_configuration_t *configs, size_t count, void *data)
{
	return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t on_dimensions(rocprofiler_counter_id_t id,
					  const rocprofiler_counter_record_dimension_info_t *info,
					  size_t count, void *data)
{
	return ROCPROFILER_STATUS_SUCCESS;
}

static void on_device_counting(rocprofiler_context_id_t id, rocprofiler_agent_id_t of,
			       rocprofiler_device_counting_agent_cb_t set_config, void *data)
{
}

static void on_decoded(rocprofiler_thread_trace_decoder_record_type_t type, void *events,
		       uint64_t size, void *data)
{
}

/* ---- the tool ---- */

static int (*configure)(void);
static void (*at_end)(void);

static int initialize(rocprofiler_client_finalize_t end, void *data)
{
	CHECK_OK(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
						    sizeof(rocprofiler_agent_t), NULL));
	CHECK_OK(rocprofiler_create_context(&context));
	CHECK_OK(rocprofiler_create_buffer(context, 4096, 4096, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
					   on_records, NULL, &buffer));
	return configure ? configure() : 0;
}

static void finalize(void *data)
{
	if (at_end)
		at_end();
}

static rocprofiler_tool_configure_result_t *tool(uint32_t version, const char *runtime_version,
						 uint32_t priority, rocprofiler_client_id_t *id)
{
	static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize,
							     NULL};

	return &result;
}

static void start(int (*fn)(void))
{
	configure = fn;
	CHECK_OK(rocprofiler_force_configure(tool));
}

/* ---- what is configured: while tools initialise, and not before or after ---- */

#define CALLBACK(kind) ROCPROFILER_CALLBACK_TRACING_##kind
#define BUFFER(kind)   ROCPROFILER_BUFFER_TRACING_##kind
#define LOSSLESS       ROCPROFILER_BUFFER_POLICY_LOSSLESS

static void configure_when_locked(void)
{
	rocprofiler_context_id_t new_context = {0};
	rocprofiler_buffer_id_t new_buffer = {0};

	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_create_context, &new_context);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_create_buffer, context, 1, 1, LOSSLESS,
	      on_records, NULL, &new_buffer);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(HIP_RUNTIME_API), NULL, 0, on_call, NULL);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_buffer_tracing_service, context,
	      BUFFER(HIP_RUNTIME_API), NULL, 0, buffer);
	GIVES(ERROR_CONFIGURATION_LOCKED,
	      rocprofiler_configure_external_correlation_id_request_service, context, NULL, 0,
	      on_request, NULL);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_device_counting_service, context,
	      buffer, agent, on_device_counting, NULL);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_buffer_dispatch_counting_service,
	      context, buffer, NULL, NULL);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_callback_dispatch_counting_service,
	      context, NULL, NULL, NULL, NULL);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_pc_sampling_service, context, agent,
	      1, 1, 1, buffer, 0);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_device_thread_trace_service,
	      context, agent, NULL, 0, NULL, no_data);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_dispatch_thread_trace_service,
	      context, agent, NULL, 0, NULL, NULL, NULL);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_configure_spm_service, context, buffer,
	      no_config, 1);
}

static void not_before_tools_initialise(void)
{
	configure_when_locked();
}

static void not_after_tools_have_initialised(void)
{
	rocprofiler_callback_thread_t thread;

	start(NULL);
	configure_when_locked();
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_force_configure, tool);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_at_intercept_table_registration, on_table, 1,
	      NULL);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_create_callback_thread, &thread);
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_assign_callback_thread, buffer, no_thread);
}

/* ---- contexts, buffers, threads ---- */

static void make_too_many_contexts(void)
{
	rocprofiler_context_id_t id;
	rocprofiler_status_t status;

	for (int i = 0; i < MANY; i++) {
		id.handle = 0;
		status = rocprofiler_create_context(&id);
		if (status)
			break;
	}
	id.handle = 0;
	GIVES(ERROR_CONTEXT_ERROR, rocprofiler_create_context, &id);
}

static void make_too_many_buffers(void)
{
	rocprofiler_buffer_id_t id;
	rocprofiler_status_t status;

	for (int i = 0; i < MANY; i++) {
		id.handle = 0;
		status = rocprofiler_create_buffer(context, 1, 1, LOSSLESS, on_records, NULL, &id);
		if (status)
			break;
	}
	id.handle = 0;
	GIVES(ERROR_OUT_OF_RESOURCES, rocprofiler_create_buffer, context, 1, 1, LOSSLESS,
	      on_records, NULL, &id);
}

static void make_too_many_threads(void)
{
	rocprofiler_callback_thread_t id;

	for (int i = 0; i < MANY && !rocprofiler_create_callback_thread(&id); i++)
		;
	GIVES(ERROR, rocprofiler_create_callback_thread, &id);
}

static int make_too_many(void)
{
	make_too_many_contexts();
	make_too_many_buffers();
	make_too_many_threads();
	return 0;
}

static void there_is_an_end_to_what_can_be_made(void)
{
	start(make_too_many);
}

static int make_wrong_things(void)
{
	rocprofiler_buffer_id_t new_buffer = {0}, made = buffer;
	rocprofiler_context_id_t id = context;

	GIVES(ERROR_CONTEXT_ID_NOT_ZERO, rocprofiler_create_context, &id);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_create_buffer, no_context, 1, 1, LOSSLESS,
	      on_records, NULL, &new_buffer);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_create_buffer, context, 1, 1,
	      ROCPROFILER_BUFFER_POLICY_LAST, on_records, NULL, &new_buffer);
	GIVES(ERROR_SERVICE_ALREADY_CONFIGURED, rocprofiler_create_buffer, context, 1, 1, LOSSLESS,
	      on_records, NULL, &made);
	GIVES(ERROR_THREAD_NOT_FOUND, rocprofiler_assign_callback_thread, buffer, no_thread);
	GIVES(ERROR_BUFFER_NOT_FOUND, rocprofiler_assign_callback_thread, no_buffer,
	      (rocprofiler_callback_thread_t){0});
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_at_intercept_table_registration, on_table,
	      1 << 20, NULL);
	assert_non_null(dlopen("libamdhip64.so", RTLD_NOW));
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_at_intercept_table_registration, on_table,
	      ROCPROFILER_HIP_RUNTIME_TABLE, NULL);
	return 0;
}

static void what_is_not_there_is_not_found(void)
{
	int is;

	start(make_wrong_things);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_start_context, no_context);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_stop_context, context);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_stop_context, no_context);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_context_is_active, no_context, &is);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_context_is_valid, no_context, &is);
	GIVES(ERROR_BUFFER_NOT_FOUND, rocprofiler_flush_buffer, no_buffer);
	GIVES(ERROR_BUFFER_NOT_FOUND, rocprofiler_destroy_buffer, no_buffer);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_push_external_correlation_id, no_context,
	      gettid(), no_data);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_pop_external_correlation_id, no_context,
	      gettid(), NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_push_external_correlation_id, context, nobody,
	      no_data);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_pop_external_correlation_id, context, nobody,
	      NULL);
	GIVES(ERROR_INCOMPATIBLE_ABI, rocprofiler_query_available_agents,
	      ROCPROFILER_AGENT_INFO_VERSION_0, on_agents, sizeof(rocprofiler_agent_t) + 1, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_query_available_agents,
	      ROCPROFILER_AGENT_INFO_VERSION_NONE, on_agents, sizeof(rocprofiler_agent_t), NULL);
}

/* A buffer is busy while its function runs: here, with the record of a mark. */
static roctxCoreApiTable_t core;
static roctxControlApiTable_t control;
static roctxNameApiTable_t names;
static int n_busy;

static void mark(const char *message)
{
}

static void use_buffer(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
		       rocprofiler_record_header_t **headers, size_t count, void *data,
		       uint64_t dropped)
{
	GIVES(ERROR_BUFFER_BUSY, rocprofiler_flush_buffer, from);
	GIVES(ERROR_BUFFER_BUSY, rocprofiler_destroy_buffer, from);
	n_busy++;
}

static int record_marks(void)
{
	rocprofiler_buffer_id_t marks = {0};

	CHECK_OK(
		rocprofiler_create_buffer(context, 4096, 4096, LOSSLESS, use_buffer, NULL, &marks));
	CHECK_OK(rocprofiler_configure_buffer_tracing_service(context, BUFFER(MARKER_CORE_API),
							      NULL, 0, marks));
	CHECK_OK(rocprofiler_start_context(context));
	buffer = marks;
	return 0;
}

static void a_buffer_is_busy_in_its_function(void)
{
	void *tables[] = {&core, &control, &names};

	core.size = sizeof(core);
	core.roctxMarkA_fn = mark;
	control.size = sizeof(control);
	names.size = sizeof(names);
	start(record_marks);
	CHECK_EQUAL(rocprofiler_set_api_table("roctx", 10101, 0, tables, COUNT(tables)), 0);
	core.roctxMarkA_fn("mark");
	CHECK_OK(rocprofiler_flush_buffer(buffer));
	CHECK_EQUAL(n_busy, 1);
}

static void start_at_end(void)
{
	GIVES(ERROR_CONFIGURATION_LOCKED, rocprofiler_start_context, context);
}

static void check_after_end(void)
{
	GIVES(ERROR_FINALIZED, rocprofiler_flush_buffer, buffer);
}

/* What runs at exit runs in reverse order. */
static void the_end_is_the_end(void)
{
	atexit(check_after_end);
	at_end = start_at_end;
	start(NULL);
}

/* ---- services ---- */

static int configure_wrong_callbacks(void)
{
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_callback_tracing_service, no_context,
	      CALLBACK(HIP_RUNTIME_API), NULL, 0, on_call, NULL);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(LAST), NULL, 0, on_call, NULL);
	GIVES(ERROR_OPERATION_NOT_FOUND, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(HIP_RUNTIME_API), &no_operation, 1, on_call, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(HIP_RUNTIME_API), NULL, 0, NULL, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(HIP_RUNTIME_API), NULL, 1, on_call, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(RCCL_API), NULL, 0, on_call, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(OMPT), NULL, 0, on_call, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(ROCDECODE_API), NULL, 0, on_call, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_callback_tracing_service, context,
	      CALLBACK(ROCJPEG_API), NULL, 0, on_call, NULL);
	CHECK_OK(rocprofiler_configure_callback_tracing_service(context, CALLBACK(HIP_RUNTIME_API),
								NULL, 0, on_call, NULL));
	GIVES(ERROR_SERVICE_ALREADY_CONFIGURED, rocprofiler_configure_callback_tracing_service,
	      context, CALLBACK(HIP_RUNTIME_API), NULL, 0, on_call, NULL);
	return 0;
}

static int configure_wrong_buffers(void)
{
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_buffer_tracing_service, no_context,
	      BUFFER(HIP_RUNTIME_API), NULL, 0, buffer);
	GIVES(ERROR_BUFFER_NOT_FOUND, rocprofiler_configure_buffer_tracing_service, context,
	      BUFFER(HIP_RUNTIME_API), NULL, 0, no_buffer);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_configure_buffer_tracing_service, context,
	      BUFFER(NONE), NULL, 0, buffer);
	GIVES(ERROR_OPERATION_NOT_FOUND, rocprofiler_configure_buffer_tracing_service, context,
	      BUFFER(HIP_RUNTIME_API), &no_operation, 1, buffer);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_configure_buffer_tracing_service, context,
	      BUFFER(HIP_RUNTIME_API), NULL, 1, buffer);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_buffer_tracing_service, context,
	      BUFFER(RCCL_API), NULL, 0, buffer);
	for (int kind = BUFFER(KFD_EVENT_PAGE_MIGRATE); kind <= BUFFER(KFD_QUEUE); kind++)
		GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_buffer_tracing_service, context,
		      kind, NULL, 0, buffer);
	CHECK_OK(rocprofiler_configure_buffer_tracing_service(context, BUFFER(HIP_RUNTIME_API),
							      NULL, 0, buffer));
	GIVES(ERROR_SERVICE_ALREADY_CONFIGURED, rocprofiler_configure_buffer_tracing_service,
	      context, BUFFER(HIP_RUNTIME_API), NULL, 0, buffer);
	return 0;
}

static int configure_wrong_requests(void)
{
	const rocprofiler_external_correlation_id_request_kind_t last =
		ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST;

	GIVES(ERROR_CONTEXT_NOT_FOUND,
	      rocprofiler_configure_external_correlation_id_request_service, no_context, NULL, 0,
	      on_request, NULL);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_configure_external_correlation_id_request_service,
	      context, &last, 1, on_request, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_configure_external_correlation_id_request_service,
	      context, &last, 0, on_request, NULL);
	CHECK_OK(rocprofiler_configure_external_correlation_id_request_service(context, NULL, 0,
									       on_request, NULL));
	GIVES(ERROR_SERVICE_ALREADY_CONFIGURED,
	      rocprofiler_configure_external_correlation_id_request_service, context, NULL, 0,
	      on_request, NULL);
	return 0;
}

static int configure_wrong_services(void)
{
	return configure_wrong_callbacks() || configure_wrong_buffers() ||
	       configure_wrong_requests();
}

static void services_are_checked(void)
{
	start(configure_wrong_services);
}

/* ---- names, operations, arguments ---- */

static void kinds_and_operations_are_checked(void)
{
	const char *name;
	uint64_t length;

	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_query_callback_tracing_kind_name, CALLBACK(LAST),
	      &name, &length);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_query_buffer_tracing_kind_name, BUFFER(LAST), &name,
	      &length);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_query_callback_tracing_kind_operation_name,
	      CALLBACK(LAST), 0, &name, &length);
	GIVES(ERROR_OPERATION_NOT_FOUND, rocprofiler_query_callback_tracing_kind_operation_name,
	      CALLBACK(HIP_RUNTIME_API), no_operation, &name, &length);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_query_callback_tracing_kind_operation_name,
	      CALLBACK(NONE), 0, &name, &length);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_query_buffer_tracing_kind_operation_name,
	      BUFFER(LAST), 0, &name, &length);
	GIVES(ERROR_OPERATION_NOT_FOUND, rocprofiler_query_buffer_tracing_kind_operation_name,
	      BUFFER(HIP_RUNTIME_API), no_operation, &name, &length);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_query_buffer_tracing_kind_operation_name,
	      BUFFER(NONE), 0, &name, &length);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_query_buffer_tracing_kind_operation_name,
	      BUFFER(CORRELATION_ID_RETIREMENT), 0, &name, &length);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_iterate_callback_tracing_kind_operations,
	      CALLBACK(LAST), on_kind, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_iterate_callback_tracing_kind_operations,
	      CALLBACK(NONE), on_kind, NULL);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_iterate_buffer_tracing_kind_operations,
	      BUFFER(LAST), on_buffer_kind, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_iterate_buffer_tracing_kind_operations,
	      BUFFER(NONE), on_buffer_kind, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_iterate_buffer_tracing_kind_operations,
	      BUFFER(CORRELATION_ID_RETIREMENT), on_buffer_kind, NULL);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_query_external_correlation_id_request_kind_name,
	      ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST, &name, &length);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_query_intercept_table_name, 3, &name, &length);
}

static rocprofiler_callback_tracing_record_t call_of(rocprofiler_callback_tracing_kind_t kind,
						     uint32_t operation, void *payload)
{
	rocprofiler_callback_tracing_record_t r = {
		.kind = kind, .operation = (int32_t)operation, .payload = payload};

	return r;
}

static void arguments_of_callbacks_are_checked(void)
{
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_iterate_callback_tracing_kind_operation_args,
	      call_of(CALLBACK(NONE), 0, anything), on_argument, 0, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_iterate_callback_tracing_kind_operation_args,
	      call_of(CALLBACK(LAST), 0, anything), on_argument, 0, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_iterate_callback_tracing_kind_operation_args,
	      call_of(CALLBACK(HIP_RUNTIME_API), 1, NULL), on_argument, 0, NULL);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_iterate_callback_tracing_kind_operation_args,
	      call_of(MANY, 0, anything), on_argument, 0, NULL);
	GIVES(ERROR_OPERATION_NOT_FOUND, rocprofiler_iterate_callback_tracing_kind_operation_args,
	      call_of(CALLBACK(HIP_RUNTIME_API), MANY, anything), on_argument, 0, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_iterate_callback_tracing_kind_operation_args,
	      call_of(CALLBACK(CODE_OBJECT), 1, anything), on_argument, 0, NULL);
}

static rocprofiler_record_header_t record_of(rocprofiler_buffer_tracing_kind_t kind, void *payload)
{
	rocprofiler_record_header_t header = {.payload = payload};

	header.category = ROCPROFILER_BUFFER_CATEGORY_TRACING;
	header.kind = kind;
	return header;
}

static void arguments_of_records_are_checked(void)
{
	rocprofiler_buffer_tracing_hip_api_ext_record_t record = {.operation = MANY};
	rocprofiler_record_header_t counters = record_of(BUFFER(HIP_RUNTIME_API_EXT), &record);

	counters.category = ROCPROFILER_BUFFER_CATEGORY_COUNTERS;
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_iterate_buffer_tracing_record_args, counters,
	      on_buffer_argument, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_iterate_buffer_tracing_record_args,
	      record_of(BUFFER(NONE), &record), on_buffer_argument, NULL);
	GIVES(ERROR_INVALID_ARGUMENT, rocprofiler_iterate_buffer_tracing_record_args,
	      record_of(BUFFER(HIP_RUNTIME_API_EXT), NULL), on_buffer_argument, NULL);
	GIVES(ERROR_KIND_NOT_FOUND, rocprofiler_iterate_buffer_tracing_record_args,
	      record_of(MANY, &record), on_buffer_argument, NULL);
	GIVES(ERROR_OPERATION_NOT_FOUND, rocprofiler_iterate_buffer_tracing_record_args,
	      record_of(BUFFER(HIP_RUNTIME_API_EXT), &record), on_buffer_argument, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_iterate_buffer_tracing_record_args,
	      record_of(BUFFER(HIP_RUNTIME_API), &record), on_buffer_argument, NULL);
}

/* ---- what is not done ---- */

static int count_what_cannot_be_counted(void)
{
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_device_counting_service, no_context,
	      buffer, agent, on_device_counting, NULL);
	GIVES(ERROR_BUFFER_NOT_FOUND, rocprofiler_configure_device_counting_service, context,
	      no_buffer, agent, on_device_counting, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_device_counting_service, context, buffer,
	      agent, on_device_counting, NULL);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_buffer_dispatch_counting_service,
	      no_context, buffer, NULL, NULL);
	GIVES(ERROR_BUFFER_NOT_FOUND, rocprofiler_configure_buffer_dispatch_counting_service,
	      context, no_buffer, NULL, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_buffer_dispatch_counting_service,
	      context, buffer, NULL, NULL);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_callback_dispatch_counting_service,
	      no_context, NULL, NULL, NULL, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_callback_dispatch_counting_service,
	      context, NULL, NULL, NULL, NULL);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_spm_service, no_context, buffer,
	      no_config, 1);
	GIVES(ERROR_BUFFER_NOT_FOUND, rocprofiler_configure_spm_service, context, no_buffer,
	      no_config, 1);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_spm_service, context, buffer, no_config,
	      1);
	return 0;
}

static int sample_and_trace(void)
{
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_pc_sampling_service, no_context, agent,
	      1, 1, 1, buffer, 0);
	GIVES(ERROR_AGENT_NOT_FOUND, rocprofiler_configure_pc_sampling_service, context, no_agent,
	      1, 1, 1, buffer, 0);
	GIVES(ERROR_BUFFER_NOT_FOUND, rocprofiler_configure_pc_sampling_service, context, agent, 1,
	      1, 1, no_buffer, 0);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_pc_sampling_service, context, agent, 1,
	      1, 1, buffer, 0);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_device_thread_trace_service,
	      no_context, agent, NULL, 0, NULL, no_data);
	GIVES(ERROR_AGENT_NOT_FOUND, rocprofiler_configure_device_thread_trace_service, context,
	      no_agent, NULL, 0, NULL, no_data);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_device_thread_trace_service, context,
	      agent, NULL, 0, NULL, no_data);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_configure_dispatch_thread_trace_service,
	      no_context, agent, NULL, 0, NULL, NULL, NULL);
	GIVES(ERROR_AGENT_NOT_FOUND, rocprofiler_configure_dispatch_thread_trace_service, context,
	      no_agent, NULL, 0, NULL, NULL, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_configure_dispatch_thread_trace_service, context,
	      agent, NULL, 0, NULL, NULL, NULL);
	return 0;
}

static int configure_what_is_not_done(void)
{
	return count_what_cannot_be_counted() || sample_and_trace();
}

static void use_counters(void)
{
	rocprofiler_counter_config_id_t config = {0};
	rocprofiler_counter_id_t counter;
	size_t n = 0;

	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_query_record_counter_id, 1, &counter);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_query_record_dimension_position, 1, 1, &n);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_query_counter_info, no_counter, 0, anything);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_iterate_counter_dimensions, no_counter,
	      on_dimensions, NULL);
	GIVES(ERROR_AGENT_NOT_FOUND, rocprofiler_query_counter_instance_count, no_agent, no_counter,
	      &n);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_query_counter_instance_count, agent, no_counter,
	      &n);
	GIVES(ERROR_AGENT_NOT_FOUND, rocprofiler_iterate_agent_supported_counters, no_agent,
	      on_counters, NULL);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_iterate_agent_supported_counters, agent,
	      on_counters, NULL);
	GIVES(ERROR_AGENT_NOT_FOUND, rocprofiler_create_counter, "N", 1, "1", 1, "", 0, no_agent,
	      &counter);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_create_counter, "N", 1, "1", 1, "", 0, agent,
	      &counter);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_load_counter_definition, "", 0, 0);
	GIVES(ERROR_AGENT_NOT_FOUND, rocprofiler_create_counter_config, no_agent, NULL, 0, &config);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_create_counter_config, agent, NULL, 0, &config);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_destroy_counter_config, no_config);
	GIVES(ERROR_CONTEXT_NOT_FOUND, rocprofiler_sample_device_counting_service, no_context,
	      no_data, 0, NULL, &n);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_sample_device_counting_service, context, no_data,
	      0, NULL, &n);
}

static void decode(void)
{
	rocprofiler_thread_trace_decoder_id_t decoder;

	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_thread_trace_decoder_create, &decoder, "/");
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_thread_trace_decoder_codeobj_load, no_decoder, 1,
	      0, 0, anything, 0);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_thread_trace_decoder_codeobj_unload, no_decoder,
	      1);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_trace_decode, no_decoder, on_decoded, anything, 0,
	      NULL);
}

static void what_is_not_done_says_so(void)
{
	start(configure_what_is_not_done);
	use_counters();
	GIVES(ERROR_AGENT_NOT_FOUND, rocprofiler_query_pc_sampling_agent_configurations, no_agent,
	      on_configurations, anything);
	GIVES(ERROR_NOT_IMPLEMENTED, rocprofiler_query_pc_sampling_agent_configurations, agent,
	      on_configurations, anything);
	decode();
}

/* ---- ---- */

static void each_that_is_named_was_returned(void **state)
{
	int missing = 0;

	for (size_t i = 0; i < COUNT(named); i++)
		if (!returned[i]) {
			missing++;
			fprintf(stderr, "%s has never returned %s\n", named[i].function,
				rocprofiler_get_status_name(named[i].status));
		}
	assert_int_equal(missing, 0);
	assert_true(COUNT(named) > 100);
}

IN_CHILD(not_before_tools_initialise)
IN_CHILD(not_after_tools_have_initialised)
IN_CHILD(there_is_an_end_to_what_can_be_made)
IN_CHILD(what_is_not_there_is_not_found)
IN_CHILD(a_buffer_is_busy_in_its_function)
IN_CHILD(the_end_is_the_end)
IN_CHILD(services_are_checked)
IN_CHILD(kinds_and_operations_are_checked)
IN_CHILD(arguments_of_callbacks_are_checked)
IN_CHILD(arguments_of_records_are_checked)
IN_CHILD(what_is_not_done_says_so)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHILD_TEST(not_before_tools_initialise),
		CHILD_TEST(not_after_tools_have_initialised),
		CHILD_TEST(there_is_an_end_to_what_can_be_made),
		CHILD_TEST(what_is_not_there_is_not_found),
		CHILD_TEST(a_buffer_is_busy_in_its_function),
		CHILD_TEST(the_end_is_the_end),
		CHILD_TEST(services_are_checked),
		CHILD_TEST(kinds_and_operations_are_checked),
		CHILD_TEST(arguments_of_callbacks_are_checked),
		CHILD_TEST(arguments_of_records_are_checked),
		CHILD_TEST(what_is_not_done_says_so),
		cmocka_unit_test(each_that_is_named_was_returned),
	};

	returned =
		mmap(NULL, COUNT(named), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (returned == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests_name("sdk_status", tests, NULL, NULL);
}
