// SPDX-License-Identifier: MIT
/*
 * libroctracer64: layouts, symbols, names and errors.
 */
#include "tests/roctracer/told.h"

#include <dlfcn.h>

#include "roctracer/roctracer_roctx.h"

static void layouts_are_those_that_programs_were_built_with(void **state)
{
	_Static_assert(sizeof(activity_record_t) == 64, "record");
	_Static_assert(offsetof(activity_record_t, kind) == 4, "kind");
	_Static_assert(offsetof(activity_record_t, op) == 8, "op");
	_Static_assert(offsetof(activity_record_t, correlation_id) == 16, "correlation_id");
	_Static_assert(offsetof(activity_record_t, begin_ns) == 24, "begin_ns");
	_Static_assert(offsetof(activity_record_t, end_ns) == 32, "end_ns");
	_Static_assert(offsetof(activity_record_t, pc_sample.cycle) == 24, "cycle");
	_Static_assert(offsetof(activity_record_t, device_id) == 40, "device_id");
	_Static_assert(offsetof(activity_record_t, queue_id) == 48, "queue_id");
	_Static_assert(offsetof(activity_record_t, process_id) == 40, "process_id");
	_Static_assert(offsetof(activity_record_t, thread_id) == 44, "thread_id");
	_Static_assert(offsetof(activity_record_t, external_id) == 40, "external_id");
	_Static_assert(offsetof(activity_record_t, bytes) == 56, "bytes");
	_Static_assert(offsetof(activity_record_t, kernel_name) == 56, "kernel_name");
	_Static_assert(sizeof(roctracer_properties_t) == 48, "properties");
	_Static_assert(offsetof(roctracer_properties_t, buffer_size) == 8, "buffer_size");
	_Static_assert(offsetof(roctracer_properties_t, buffer_callback_fun) == 32, "callback");
	_Static_assert(sizeof(roctx_api_data_t) == 16, "roctx data");
	_Static_assert(ACTIVITY_DOMAIN_HIP_OPS == 2 && ACTIVITY_DOMAIN_HIP_API == 3 &&
			       ACTIVITY_DOMAIN_ROCTX == 6 && ACTIVITY_DOMAIN_HSA_EVT == 7,
		       "domains");
}

static void symbols_have_their_versions(void **state)
{
	static const char *const v4_0[] = {
		"OnLoad",
		"OnUnload",
		"roctracer_activity_pop_external_correlation_id",
		"roctracer_activity_push_external_correlation_id",
		"roctracer_close_pool_expl",
		"roctracer_default_pool_expl",
		"roctracer_disable_activity",
		"roctracer_disable_callback",
		"roctracer_disable_domain_activity",
		"roctracer_disable_domain_callback",
		"roctracer_disable_op_activity",
		"roctracer_disable_op_callback",
		"roctracer_enable_activity_expl",
		"roctracer_enable_callback",
		"roctracer_enable_domain_activity_expl",
		"roctracer_enable_domain_callback",
		"roctracer_enable_op_activity_expl",
		"roctracer_enable_op_callback",
		"roctracer_error_string",
		"roctracer_flush_activity_expl",
		"roctracer_flush_buf",
		"roctracer_get_timestamp",
		"roctracer_load",
		"roctracer_mark",
		"roctracer_op_code",
		"roctracer_open_pool_expl",
		"roctracer_op_string",
		"roctracer_set_properties",
		"roctracer_start",
		"roctracer_stop",
		"roctracer_unload",
		"roctracer_version_major",
		"roctracer_version_minor",
	};
	static const char *const v4_1[] = {
		"HSA_AMD_TOOL_PRIORITY",
		"roctracer_close_pool",
		"roctracer_default_pool",
		"roctracer_enable_activity",
		"roctracer_enable_domain_activity",
		"roctracer_enable_op_activity",
		"roctracer_flush_activity",
		"roctracer_next_record",
		"roctracer_open_pool",
	};
	void *lib = dlopen("libroctracer64.so.4", RTLD_NOW | RTLD_NOLOAD);

	assert_non_null(lib);
	for (size_t i = 0; i < sizeof(v4_0) / sizeof(*v4_0); i++)
		assert_non_null(dlvsym(lib, v4_0[i], "ROCTRACER_4.0"));
	for (size_t i = 0; i < sizeof(v4_1) / sizeof(*v4_1); i++)
		assert_non_null(dlvsym(lib, v4_1[i], "ROCTRACER_4.1"));
	assert_int_equal(*(const uint32_t *)dlvsym(lib, "HSA_AMD_TOOL_PRIORITY", "ROCTRACER_4.1"),
			 50);
	dlclose(lib);
	assert_int_equal(roctracer_version_major(), 4);
	assert_int_equal(roctracer_version_minor(), 1);
	assert_int_equal(roctracer_load(), 1);
	roctracer_unload();
	roctracer_flush_buf();
}

static void operations_have_names(void **state)
{
	uint32_t op = 77, kind = 77;

	assert_string_equal(roctracer_op_string(HIP_API, FAKE_TWO, 0), "hipTwo");
	assert_string_equal(roctracer_op_string(HIP_OPS, 0, 0x11F0), "KernelExecution");
	assert_string_equal(roctracer_op_string(EXT_API, 1, 0), "EXT_API");
	assert_string_equal(roctracer_op_string(ACTIVITY_DOMAIN_HSA_OPS, 1, 0), "COPY");
	assert_string_equal(roctracer_op_string(ACTIVITY_DOMAIN_HSA_OPS, 3, 0), "PCSAMPLE");
	assert_string_equal(roctracer_op_string(ACTIVITY_DOMAIN_HSA_EVT, 5, 0), "CODEOBJ");
	assert_string_equal(roctracer_op_string(ACTIVITY_DOMAIN_HSA_API, 0, 0), "hsa_init");
	assert_null(roctracer_op_string(ACTIVITY_DOMAIN_HSA_EVT, 6, 0));
	expect_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation 6");
	assert_null(roctracer_op_string(NO_DOMAIN, 0, 0));
	assert_null(roctracer_op_string(ROCTX, 0, 0));

	assert_ok(roctracer_op_code(HIP_API, "hipThree", &op, &kind));
	assert_int_equal(op, FAKE_THREE);
	assert_int_equal(kind, 0);
	assert_ok(roctracer_op_code(ACTIVITY_DOMAIN_HSA_API, "hsa_init", &op, NULL));
	assert_int_equal(op, 0);
	expect_error(roctracer_op_code(HIP_API, "hipFour", &op, &kind),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "hipFour");
	expect_error(roctracer_op_code(ACTIVITY_DOMAIN_HSA_API, "hsa_", &op, &kind),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "hsa_");
	expect_error(roctracer_op_code(HIP_OPS, "COPY", &op, &kind),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "domain 2");
	expect_error(roctracer_op_code(HIP_API, NULL, &op, &kind),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "NULL");
	expect_error(roctracer_op_code(HIP_API, "hipOne", NULL, &kind),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "NULL");
}

static void each_function_has_its_errors(void **state)
{
	const activity_record_t *next;
	uint64_t id = 5;

	expect_error(roctracer_enable_op_callback(NO_DOMAIN, 0, remember, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no domain 8");
	expect_error(roctracer_enable_op_callback(HIP_API, FAKE_OPS, remember, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation 6");
	assert_ok(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HSA_EVT, 3, remember, NULL));
	assert_ok(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HSA_EVT, 5, remember, NULL));
	expect_error(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HSA_EVT, 6, remember, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation 6");
	assert_ok(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HSA_EVT));
	/* There is no libhsakmt here, which is no error. */
	assert_ok(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_KFD_API, remember, NULL));
	assert_ok(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_KFD_API));
	expect_error(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HSA_OPS),
		     ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED, "default");
	expect_error(roctracer_disable_op_activity(ACTIVITY_DOMAIN_HSA_OPS, 4),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation 4");
	assert_ok(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HSA_OPS, remember, NULL));
	expect_error(roctracer_enable_op_callback(HIP_API, FAKE_ONE, NULL, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no callback");
	expect_error(roctracer_enable_domain_callback(NO_DOMAIN, remember, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no domain 8");
	expect_error(roctracer_enable_domain_callback(HIP_API, NULL, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no callback");
	expect_error(roctracer_enable_callback(NULL, NULL), ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
		     "roctracer_enable_callback");
	expect_error(roctracer_disable_op_callback(HIP_API, FAKE_OPS),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation 6");
	expect_error(roctracer_disable_op_callback(NO_DOMAIN, 0),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no domain 8");
	expect_error(roctracer_disable_domain_callback(NO_DOMAIN),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no domain 8");

	expect_error(roctracer_enable_op_activity(HIP_API, FAKE_ONE),
		     ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED, "no pool");
	expect_error(roctracer_enable_op_activity_expl(HIP_API, FAKE_ONE, NULL),
		     ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED, "no pool");
	expect_error(roctracer_enable_domain_activity(HIP_OPS),
		     ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED, "no pool");
	expect_error(roctracer_enable_activity(), ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED,
		     "no pool");
	expect_error(roctracer_enable_op_activity(NO_DOMAIN, 0),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no domain");
	expect_error(roctracer_enable_domain_activity_expl(NO_DOMAIN, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no domain");
	expect_error(roctracer_disable_op_activity(HIP_OPS, 3),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation 3");
	expect_error(roctracer_disable_domain_activity(NO_DOMAIN),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no domain");
	/* EXT_API has nothing that can be enabled alone, and as a whole needs no pool. */
	assert_ok(roctracer_enable_domain_activity(EXT_API));
	assert_ok(roctracer_enable_domain_callback(EXT_API, remember, NULL));
	expect_error(roctracer_enable_op_activity(EXT_API, 0),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation 0");

	expect_error(roctracer_open_pool(NULL), ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
		     "properties");
	expect_error(roctracer_open_pool(&(roctracer_properties_t){.buffer_size = 4096}),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "callback");
	assert_ok(roctracer_open_pool(&properties));
	expect_error(roctracer_open_pool(&properties),
		     ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED, "default pool");
	expect_error(roctracer_open_pool_expl(&properties, NULL),
		     ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED, "default pool");
	assert_ok(roctracer_close_pool());
	assert_ok(roctracer_close_pool());
	assert_ok(roctracer_flush_activity());

	expect_error(roctracer_next_record(NULL, &next), ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
		     "NULL");
	expect_error(roctracer_next_record(records, NULL), ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
		     "NULL");
	expect_error(roctracer_activity_pop_external_correlation_id(&id),
		     ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID, "popped");
	assert_int_equal(id, 0);
	expect_error(roctracer_activity_pop_external_correlation_id(NULL),
		     ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID, "popped");
	expect_error(roctracer_get_timestamp(NULL), ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
		     "NULL");
	expect_error(roctracer_set_properties(NO_DOMAIN, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "domain 8");
	expect_error(roctracer_set_properties(EXT_API, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "NULL");
	assert_ok(roctracer_set_properties(HIP_API, NULL));
}

static void *has_no_error(void *arg)
{
	char *text = (char *)roctracer_error_string();

	assert_string_equal(text, "");
	free(text);
	return NULL;
}

static void errors_are_of_their_thread(void **state)
{
	pthread_t t;

	roctracer_disable_domain_callback(NO_DOMAIN);
	pthread_create(&t, NULL, has_no_error, NULL);
	pthread_join(t, NULL);
}

static void without_hsa_there_is_no_time(void **state)
{
	uint64_t time = 5;

	assert_ok(roctracer_get_timestamp(&time));
	assert_int_equal(time, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_are_those_that_programs_were_built_with),
		cmocka_unit_test(symbols_have_their_versions),
		cmocka_unit_test(operations_have_names),
		cmocka_unit_test(each_function_has_its_errors),
		cmocka_unit_test(errors_are_of_their_thread),
		cmocka_unit_test(without_hsa_there_is_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
