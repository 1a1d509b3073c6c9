// SPDX-License-Identifier: MIT
/*
 * How tools come to librocprofiler-sdk, in which order they are called, and when they end; tables
 * of runtimes; what the library exports. The test is a tool too, when it wants to.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include <rocprofiler-sdk/experimental/thread_trace.h>
#include <rocprofiler-sdk/spm.h>

#include "tests/rocprofiler/sdktest.h"

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count);

/* A table without functions: it begins with its length, as all do. */
struct fake_table {
	uint64_t size;
	char name[16];
};

/* ---- what was noted ---- */

static char notes[4096];

__attribute__((visibility("default"))) void note(const char *line);

void note(const char *line)
{
	strncat(notes, line, sizeof(notes) - strlen(notes) - 2);
	strcat(notes, ";");
}

static void check_notes(const char *expected)
{
	if (strcmp(notes, expected)) {
		fprintf(stderr, "noted: %s\ninstead of: %s\n", notes, expected);
		_exit(1);
	}
	notes[0] = '\0';
}

/* ---- the test's own tools: one that is forced, one found by its symbol ---- */

static rocprofiler_client_finalize_t end_tool;
static rocprofiler_client_id_t own_id;
static int (*own_initialize)(void);
static void (*own_finalize)(void);
static bool is_tool;

static int initialize(rocprofiler_client_finalize_t end, void *data)
{
	end_tool = end;
	note("own initialize");
	return own_initialize ? own_initialize() : 0;
}

static void finalize(void *data)
{
	note("own finalize");
	if (own_finalize)
		own_finalize();
}

static rocprofiler_tool_configure_result_t own_result = {sizeof(own_result), initialize, finalize,
							 &own_id};

static rocprofiler_tool_configure_result_t *forced(uint32_t version, const char *runtime_version,
						   uint32_t priority, rocprofiler_client_id_t *id)
{
	note("forced");
	CHECK_EQUAL(priority, 0);
	CHECK_EQUAL(version, 10000);
	CHECK(!strcmp(runtime_version, "1.0.0"));
	memcpy(&own_id, id, sizeof(own_id));
	return &own_result;
}

__attribute__((visibility("default"))) rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
		      rocprofiler_client_id_t *id)
{
	int status;

	if (!is_tool)
		return NULL;
	CHECK_OK(rocprofiler_is_initialized(&status));
	CHECK_EQUAL(status, -1);
	CHECK_ERROR(rocprofiler_force_configure(forced), CONFIGURATION_LOCKED);
	memcpy(&own_id, id, sizeof(own_id));
	id->name = "own";
	note("own configure");
	return &own_result;
}

/* The first runtime shows up. */
static void show_up(void)
{
	void *table = &table;

	CHECK_EQUAL(rocprofiler_set_api_table("hsa", 10101, 0, &table, 1), 0);
}

static void use_libraries(const char *list)
{
	setenv("ROCP_TOOL_LIBRARIES", list, 1);
}

/* A path of a tool's library, beside this program. */
static const char *library(const char *name)
{
	static char path[4][512];
	static int next;
	char *at = path[next++ % 4];
	ssize_t n = readlink("/proc/self/exe", at, 400);

	at[n] = '\0';
	sprintf(strrchr(at, '/') + 1, "libsdktool_%s.so", name);
	return at;
}

static char *list_of(const char *first, const char *second)
{
	static char list[1200];

	snprintf(list, sizeof(list), "%s:%s", first, second);
	return list;
}

/* ---- order ---- */

static void tools_are_called_in_order(void)
{
	is_tool = true;
	use_libraries(list_of(library("a"), library("b")));
	CHECK_OK(rocprofiler_force_configure(forced));
	check_notes("forced;a configure 1;b configure 2;own configure;linked configure 4;"
		    "own initialize;a initialize 0;b initialize 0;own initialize;"
		    "linked initialize 0;");
	CHECK(!strcmp(getenv("ROCPROFILER_REGISTER_FORCE_LOAD"), "1"));
	show_up();
	check_notes("");
	CHECK_ERROR(rocprofiler_force_configure(forced), CONFIGURATION_LOCKED);
}

static void tools_are_called_when_the_first_runtime_shows_up(void)
{
	int status;

	CHECK_OK(rocprofiler_is_initialized(&status));
	CHECK_EQUAL(status, 0);
	is_tool = true;
	show_up();
	check_notes("own configure;linked configure 1;own initialize;linked initialize 0;");
	CHECK_OK(rocprofiler_is_initialized(&status));
	CHECK_EQUAL(status, 1);
}

static void tools_may_be_forced_without_a_function(void)
{
	CHECK_OK(rocprofiler_force_configure(NULL));
	check_notes("linked configure 1;linked initialize 0;");
}

static void who_returns_nothing_is_out(void)
{
	setenv("TOOL_a", "none", 1);
	use_libraries(list_of(library("a"), library("a")));
	show_up();
	check_notes("a configure 0;linked configure 2;linked initialize 0;");
}

static char *caught_stderr(void (*fn)(void))
{
	static char text[4096];
	FILE *f = tmpfile();
	int before = dup(STDERR_FILENO);
	size_t n;

	dup2(fileno(f), STDERR_FILENO);
	fn();
	dup2(before, STDERR_FILENO);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void what_cannot_be_loaded_is_said_and_left_out(void)
{
	const char *said;

	use_libraries(list_of("/nonexistent/tool.so", library("b")));
	said = caught_stderr(show_up);
	CHECK(!strncmp(said, "rocprofiler-sdk: ROCP_TOOL_LIBRARIES: ", 38));
	CHECK(strstr(said, "/nonexistent/tool.so"));
	CHECK(strchr(said, '\n') == said + strlen(said) - 1);
	check_notes("b configure 0;linked configure 2;b initialize 0;linked initialize 0;");
}

static void what_is_no_tool_is_said(void)
{
	use_libraries(library("none"));
	CHECK(strstr(caught_stderr(show_up), "has no rocprofiler_configure\n"));
	check_notes("linked configure 1;linked initialize 0;");
}

/* ---- initialize functions ---- */

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static int n_told;

static void tell_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
		       void **tables, uint64_t count, void *data)
{
	char line[64];

	CHECK_EQUAL(version, 10101);
	CHECK_EQUAL(count, 1);
	snprintf(line, sizeof(line), "table %d %d %s", type, (int)instance,
		 ((struct fake_table *)tables[0])->name);
	note(line);
	CHECK_EQUAL(*(int *)data, 0);
}

static void ignore_records(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
			   rocprofiler_record_header_t **headers, size_t count, void *data,
			   uint64_t drop_count)
{
}

static int make_things(void)
{
	CHECK_OK(rocprofiler_create_context(&context));
	CHECK_OK(rocprofiler_create_buffer(context, 4096, 4096, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
					   ignore_records, NULL, &buffer));
	CHECK_OK(rocprofiler_start_context(context));
	CHECK_OK(rocprofiler_at_intercept_table_registration(tell_table, 0, &n_told));
	return 0;
}

static int make_things_and_fail(void)
{
	make_things();
	return -1;
}

static void what_a_tool_made_that_failed_is_ignored(void)
{
	own_initialize = make_things_and_fail;
	setenv("TOOL_linked", "fail", 1);
	CHECK_OK(rocprofiler_force_configure(forced));
	notes[0] = '\0';
	CHECK_ERROR(rocprofiler_start_context(context), CONTEXT_NOT_FOUND);
	CHECK_ERROR(rocprofiler_flush_buffer(buffer), BUFFER_NOT_FOUND);
	show_up();
	check_notes("");
	end_tool(own_id);
	check_notes("");
}

static void an_initialize_function_need_not_be(void)
{
	own_result.initialize = NULL;
	own_result.finalize = NULL;
	CHECK_OK(rocprofiler_force_configure(forced));
	check_notes("forced;linked configure 2;linked initialize 0;");
}

/* ---- tables ---- */

static struct fake_table hsa_table = {8, "hsa"}, core = {8, "core"}, control = {8, "control"},
			 name_table = {8, "name"};

static void tables_are_shown(void)
{
	void *tables[] = {&core, &control, &name_table}, *table = &hsa_table;

	own_initialize = make_things;
	CHECK_OK(rocprofiler_force_configure(forced));
	notes[0] = '\0';
	CHECK_EQUAL(rocprofiler_set_api_table("hsa", 10101, 0, &table, 1), 0);
	check_notes("table 1 0 hsa;");
	CHECK_EQUAL(rocprofiler_set_api_table("hip", 10101, 1, &table, 1), 0);
	check_notes("table 2 1 hsa;");
	CHECK_EQUAL(rocprofiler_set_api_table("hip_compiler", 10101, 0, &table, 1), 0);
	check_notes("table 4 0 hsa;");
	CHECK_EQUAL(rocprofiler_set_api_table("roctx", 10101, 0, tables, 3), 0);
	check_notes("table 8 0 core;table 16 0 control;table 32 0 name;");
	CHECK(rocprofiler_set_api_table("roctx", 10101, 0, tables, 2));
	CHECK(rocprofiler_set_api_table("opencl", 10101, 0, &table, 1));
	CHECK(rocprofiler_set_api_table("hsa", 10101, 0, &table, 0));
	CHECK(rocprofiler_set_api_table("hsa", 10101, 0, NULL, 1));
	CHECK(rocprofiler_set_api_table(NULL, 10101, 0, &table, 1));
	check_notes("");
	CHECK_ERROR(rocprofiler_at_intercept_table_registration(tell_table, 0, &n_told),
		    CONFIGURATION_LOCKED);
}

static void tables_are_shown_to_who_asked_for_them(void)
{
	void *table = &hsa_table;

	CHECK_ERROR(rocprofiler_at_intercept_table_registration(tell_table, 1 << 9, &n_told),
		    INVALID_ARGUMENT);
	CHECK_ERROR(rocprofiler_at_intercept_table_registration(NULL, 1, &n_told),
		    INVALID_ARGUMENT);
	CHECK_OK(rocprofiler_at_intercept_table_registration(
		tell_table, ROCPROFILER_HIP_RUNTIME_TABLE | ROCPROFILER_RCCL_TABLE, &n_told));
	CHECK_EQUAL(rocprofiler_set_api_table("hsa", 10101, 0, &table, 1), 0);
	notes[0] = '\0';
	CHECK_EQUAL(rocprofiler_set_api_table("hip", 10101, 0, &table, 1), 0);
	CHECK_EQUAL(rocprofiler_set_api_table("rccl", 10101, 0, &table, 1), 0);
	check_notes("table 2 0 hsa;table 64 0 hsa;");
}

static void tables_have_names(void)
{
	const char *name;
	uint64_t length;

	CHECK_OK(rocprofiler_query_intercept_table_name(ROCPROFILER_HIP_RUNTIME_TABLE, &name,
							&length));
	CHECK(!strcmp(name, "HIP (runtime)"));
	CHECK_EQUAL(length, 13);
	CHECK_OK(rocprofiler_query_intercept_table_name(ROCPROFILER_HSA_TABLE, NULL, NULL));
	CHECK_ERROR(rocprofiler_query_intercept_table_name(3, &name, &length), KIND_NOT_FOUND);
	CHECK(!name && !length);
}

/* ---- the end ---- */

static void check_finalizing(void)
{
	int status;

	CHECK_OK(rocprofiler_is_finalized(&status));
	CHECK_EQUAL(status, -1);
	CHECK_ERROR(rocprofiler_start_context(context), CONFIGURATION_LOCKED);
}

static void check_finalized(int expected)
{
	int status;

	CHECK_OK(rocprofiler_is_finalized(&status));
	CHECK_EQUAL(status, expected);
}

static void a_tool_of_several_ends_alone(void)
{
	int active;

	own_initialize = make_things;
	own_finalize = check_finalizing;
	CHECK_OK(rocprofiler_force_configure(forced));
	notes[0] = '\0';
	check_finalized(0);
	end_tool(own_id);
	check_notes("own finalize;");
	check_finalized(0);
	CHECK_OK(rocprofiler_context_is_active(context, &active));
	CHECK_EQUAL(active, 0);
	end_tool(own_id);
	show_up();
	check_notes("");
}

static void check_end(void)
{
	check_finalized(1);
	check_notes("own finalize;linked finalize 0;");
}

static void all_end_at_exit(void)
{
	atexit(check_end);
	own_initialize = make_things;
	own_finalize = check_finalizing;
	CHECK_OK(rocprofiler_force_configure(forced));
	notes[0] = '\0';
}

static void exit_in_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
			  void **tables, uint64_t count, void *data)
{
	notes[0] = '\0';
	exit(0);
}

static void all_end_at_exit_inside_of_a_callback(void)
{
	atexit(check_end);
	CHECK_OK(rocprofiler_at_intercept_table_registration(exit_in_table, 0, NULL));
	own_initialize = make_things;
	CHECK_OK(rocprofiler_force_configure(forced));
	show_up();
	CHECK(false);
}

/* ---- threads ---- */

static int wait_a_little(void)
{
	usleep(50000);
	return 0;
}

static void *show_up_on_thread(void *arg)
{
	int status;

	show_up();
	CHECK_OK(rocprofiler_is_initialized(&status));
	CHECK_EQUAL(status, 1);
	return NULL;
}

static void runtimes_wait_for_tools_to_be_initialised(void)
{
	pthread_t threads[8];

	is_tool = true;
	own_initialize = wait_a_little;
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, show_up_on_thread, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	check_notes("own configure;linked configure 1;own initialize;linked initialize 0;");
}

static int show_up_inside(void)
{
	show_up();
	return 0;
}

static void a_runtime_may_show_up_in_initialize(void)
{
	is_tool = true;
	own_initialize = show_up_inside;
	show_up();
	check_notes("own configure;linked configure 1;own initialize;linked initialize 0;");
}

/* ---- the library ---- */

static void the_library_tells_what_it_is(void)
{
	rocprofiler_version_triplet_t version;
	rocprofiler_timestamp_t now;
	rocprofiler_thread_id_t tid;
	struct timespec ts;
	uint32_t major;

	CHECK_OK(rocprofiler_get_version(&major, NULL, NULL));
	CHECK_EQUAL(major, 1);
	CHECK_OK(rocprofiler_get_version_triplet(&version));
	CHECK(version.major == 1 && version.minor == 0 && version.patch == 0);
	clock_gettime(CLOCK_BOOTTIME, &ts);
	CHECK_OK(rocprofiler_get_timestamp(&now));
	CHECK(now - (ts.tv_sec * 1000000000ULL + ts.tv_nsec) < 1000000000ULL);
	CHECK_OK(rocprofiler_get_thread_id(&tid));
	CHECK_EQUAL(tid, gettid());
	for (int i = 0; i < ROCPROFILER_STATUS_LAST; i++) {
		CHECK(!strncmp(rocprofiler_get_status_name(i), "ROCPROFILER_STATUS_", 19));
		CHECK(rocprofiler_get_status_string(i));
	}
	CHECK(!rocprofiler_get_status_name(ROCPROFILER_STATUS_LAST));
	CHECK(!rocprofiler_get_status_string(-1));
}

static const char *const functions[] = {
#define FUNCTION(name) "rocprofiler_" #name,
#include "tests/rocprofiler/functions.inc"
};

static void all_functions_are_there(void)
{
	void *handle = dlopen("librocprofiler-sdk.so.1", RTLD_LAZY | RTLD_NOLOAD);

	CHECK(handle);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!dlsym(handle, functions[i])) {
			fprintf(stderr, "%s is missing\n", functions[i]);
			_exit(1);
		}
}

static int configure_unsupported(void)
{
	const rocprofiler_context_id_t none = {0};
	const rocprofiler_buffer_id_t no_buffer = {0};
	const rocprofiler_agent_id_t no_agent = {0};

	make_things();
	CHECK_ERROR(rocprofiler_configure_callback_dispatch_counting_service(context, NULL, NULL,
									     NULL, NULL),
		    NOT_IMPLEMENTED);
	CHECK_ERROR(rocprofiler_configure_callback_dispatch_counting_service(none, NULL, NULL, NULL,
									     NULL),
		    CONTEXT_NOT_FOUND);
	CHECK_ERROR(
		rocprofiler_configure_buffer_dispatch_counting_service(context, buffer, NULL, NULL),
		NOT_IMPLEMENTED);
	CHECK_ERROR(rocprofiler_configure_buffer_dispatch_counting_service(context, no_buffer, NULL,
									   NULL),
		    BUFFER_NOT_FOUND);
	CHECK_ERROR(
		rocprofiler_configure_pc_sampling_service(context, no_agent, 1, 1, 1, buffer, 0),
		AGENT_NOT_FOUND);
	return 0;
}

static void what_is_not_done_says_so(void)
{
	rocprofiler_counter_config_id_t config = {0};
	const rocprofiler_counter_id_t counter = {0};
	int status = 7;

	own_initialize = configure_unsupported;
	CHECK_OK(rocprofiler_force_configure(forced));
	CHECK_ERROR(rocprofiler_configure_spm_service(context, buffer, config, 1),
		    CONFIGURATION_LOCKED);
	CHECK_ERROR(rocprofiler_query_counter_info(counter, 0, &status), NOT_IMPLEMENTED);
	CHECK_ERROR(rocprofiler_destroy_counter_config(config), NOT_IMPLEMENTED);
	CHECK_OK(rocprofiler_ompt_is_initialized(&status));
	CHECK_EQUAL(status, 0);
	CHECK(!rocprofiler_ompt_start_tool(0, ""));
}

/* Kinds and operations by name; all numbers are held against the tables' in test_sdk_tables. */
static int count_kind(rocprofiler_callback_tracing_kind_t kind, void *data)
{
	const char *name;

	CHECK_OK(rocprofiler_query_callback_tracing_kind_name(kind, &name, NULL));
	CHECK(name);
	CHECK_EQUAL(kind, (*(int *)data)++);
	return kind == ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API;
}

static int count_operation(rocprofiler_callback_tracing_kind_t kind, int32_t operation, void *data)
{
	CHECK_EQUAL(operation, (*(int *)data)++);
	return 0;
}

static int count_buffer_kind(rocprofiler_buffer_tracing_kind_t kind, void *data)
{
	(*(int *)data)++;
	return 0;
}

static int count_buffer_operation(rocprofiler_buffer_tracing_kind_t kind, int32_t operation,
				  void *data)
{
	(*(int *)data)++;
	return 0;
}

static void kinds_and_operations_have_names(void)
{
	const char *name;
	uint64_t length;
	int n = 0;

	CHECK_OK(rocprofiler_iterate_callback_tracing_kinds(count_kind, &n));
	CHECK_EQUAL(n, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API + 1);
	n = 0;
	CHECK_OK(rocprofiler_iterate_callback_tracing_kind_operations(
		ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, count_operation, &n));
	CHECK_EQUAL(n, ROCPROFILER_HIP_RUNTIME_API_ID_LAST);
	CHECK_ERROR(rocprofiler_iterate_callback_tracing_kind_operations(0, count_operation, &n),
		    INVALID_ARGUMENT);
	CHECK_ERROR(rocprofiler_iterate_callback_tracing_kind_operations(99, count_operation, &n),
		    KIND_NOT_FOUND);
	CHECK_OK(rocprofiler_query_callback_tracing_kind_operation_name(
		ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
		ROCPROFILER_HIP_RUNTIME_API_ID_hipSetDevice, &name, &length));
	CHECK(!strcmp(name, "hipSetDevice"));
	CHECK_EQUAL(length, 12);
	CHECK_ERROR(rocprofiler_query_callback_tracing_kind_operation_name(0, 0, &name, &length),
		    INVALID_ARGUMENT);
	CHECK_ERROR(rocprofiler_query_callback_tracing_kind_operation_name(99, 0, &name, &length),
		    KIND_NOT_FOUND);
	CHECK_ERROR(rocprofiler_query_callback_tracing_kind_operation_name(1, 9999, &name, &length),
		    OPERATION_NOT_FOUND);
	CHECK_ERROR(rocprofiler_query_callback_tracing_kind_name(99, &name, &length),
		    KIND_NOT_FOUND);
	n = 0;
	CHECK_OK(rocprofiler_iterate_buffer_tracing_kinds(count_buffer_kind, &n));
	CHECK_EQUAL(n, ROCPROFILER_BUFFER_TRACING_LAST);
	n = 0;
	CHECK_OK(rocprofiler_iterate_buffer_tracing_kind_operations(
		ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, count_buffer_operation, &n));
	CHECK_EQUAL(n, ROCPROFILER_MEMORY_COPY_LAST);
	CHECK_ERROR(rocprofiler_iterate_buffer_tracing_kind_operations(
			    ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT,
			    count_buffer_operation, &n),
		    NOT_IMPLEMENTED);
	CHECK_OK(rocprofiler_query_buffer_tracing_kind_name(ROCPROFILER_BUFFER_TRACING_MEMORY_COPY,
							    &name, NULL));
	CHECK(!strcmp(name, "MEMORY_COPY"));
	CHECK_ERROR(rocprofiler_query_buffer_tracing_kind_operation_name(
			    ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT, 0, &name, NULL),
		    NOT_IMPLEMENTED);
	CHECK_ERROR(rocprofiler_query_buffer_tracing_kind_operation_name(
			    ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, 9, &name, NULL),
		    OPERATION_NOT_FOUND);
}

static rocprofiler_status_t count_agents(rocprofiler_agent_version_t version, const void **agents,
					 size_t count, void *data)
{
	*(size_t *)data = count;
	return ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT;
}

static void agents_are_listed_once(void)
{
	size_t n = 12345;

	CHECK_ERROR(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0,
						       count_agents, sizeof(rocprofiler_agent_t),
						       &n),
		    EXCEEDS_HW_LIMIT);
	CHECK(n != 12345);
	CHECK_ERROR(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0,
						       count_agents,
						       sizeof(rocprofiler_agent_t) + 1, &n),
		    INCOMPATIBLE_ABI);
	CHECK_ERROR(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_LAST,
						       count_agents, sizeof(rocprofiler_agent_t),
						       &n),
		    INVALID_ARGUMENT);
}

#define TESTS(test)                                                                                  \
	test(tools_are_called_in_order) test(tools_are_called_when_the_first_runtime_shows_up) test( \
		tools_may_be_forced_without_a_function) test(who_returns_nothing_is_out)             \
		test(what_cannot_be_loaded_is_said_and_left_out) test(                               \
			what_is_no_tool_is_said) test(what_a_tool_made_that_failed_is_ignored)       \
			test(an_initialize_function_need_not_be) test(tables_are_shown) test(        \
				tables_are_shown_to_who_asked_for_them) test(tables_have_names)      \
				test(a_tool_of_several_ends_alone) test(all_end_at_exit) test(       \
					all_end_at_exit_inside_of_a_callback)                        \
					test(runtimes_wait_for_tools_to_be_initialised) test(        \
						a_runtime_may_show_up_in_initialize)                 \
						test(the_library_tells_what_it_is) test(             \
							all_functions_are_there)                     \
							test(what_is_not_done_says_so) test(         \
								kinds_and_operations_have_names)     \
								test(agents_are_listed_once)

TESTS(IN_CHILD)

#define LISTED(name) CHILD_TEST(name),

int main(void)
{
	const struct CMUnitTest tests[] = {TESTS(LISTED)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
