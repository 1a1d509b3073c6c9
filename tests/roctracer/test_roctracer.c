// SPDX-License-Identifier: MIT
/*
 * Tests libroctracer64 with a HIP library of our own (fakehip.h), which knows what was called and
 * done: callbacks, records, pools, external ids, errors, and what is enabled while it is in use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_roctx.h"
#include "tests/roctracer/fakehip.h"
#include "tests/roctracer/tooltest.h"

#define HIP_API	   ACTIVITY_DOMAIN_HIP_API
#define HIP_OPS	   ACTIVITY_DOMAIN_HIP_OPS
#define EXT_API	   ACTIVITY_DOMAIN_EXT_API
#define ROCTX	   ACTIVITY_DOMAIN_ROCTX
#define NO_DOMAIN  ACTIVITY_DOMAIN_NUMBER
#define DISPATCH   0
#define COPY	   1
#define FAKE_TIMES 1000000

/* ---- what a tool was told ---- */

#define TOLD_MAX 4096

struct told {
	uint32_t domain, op, phase;
	uint64_t correlation_id, a, b;
	void *arg;
	pthread_t thread;
};

static struct told told[TOLD_MAX];
static uint32_t n_told;

static void remember(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct fake_data *d = data;
	uint32_t i = __atomic_fetch_add(&n_told, 1, __ATOMIC_RELAXED) % TOLD_MAX;

	told[i] = (struct told){domain,	   op,	      d->phase, d->correlation_id,
				d->args.a, d->args.b, arg,	pthread_self()};
}

static activity_record_t records[TOLD_MAX];
static char texts[TOLD_MAX][64];
static uint32_t n_records, n_buffers;
static pthread_t reader;

static void keep(const char *begin, const char *end, void *arg)
{
	const activity_record_t *record = (const void *)begin;

	n_buffers++;
	reader = pthread_self();
	while (record < (const activity_record_t *)end) {
		uint32_t i = n_records++ % TOLD_MAX;

		records[i] = *record;
		texts[i][0] = '\0';
		if ((record->domain == HIP_OPS && record->op == DISPATCH && record->kernel_name) ||
		    (record->domain == EXT_API && record->op == ACTIVITY_EXT_OP_MARK))
			snprintf(texts[i], sizeof(texts[i]), "%s", record->kernel_name);
		assert_ok(roctracer_next_record(record, &record));
	}
}

static const roctracer_properties_t properties = {.buffer_size = 0x1000,
						  .buffer_callback_fun = keep};

static int start(void **state)
{
	n_told = n_records = n_buffers = 0;
	return roctracer_open_pool(&properties);
}

static void call(enum fake_op op, uint64_t a)
{
	fakehip_call(op, a, ~a, NULL, NULL);
}

static const activity_record_t *record_of(uint32_t domain, uint64_t correlation_id)
{
	for (uint32_t i = 0; i < n_records; i++)
		if (records[i].domain == domain && records[i].correlation_id == correlation_id)
			return &records[i];
	return NULL;
}

/* ---- the interface ---- */

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

/* ---- callbacks ---- */

static void callbacks_have_the_arguments_and_one_id_for_both_phases(void **state)
{
	int arg;

	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_TWO, remember, &arg));
	call(FAKE_ONE, 1);
	call(FAKE_TWO, 2);
	call(FAKE_TWO, 3);
	assert_int_equal(n_told, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(told[i].domain, HIP_API);
		assert_int_equal(told[i].op, FAKE_TWO);
		assert_int_equal(told[i].phase, i % 2);
		assert_int_equal(told[i].a, 2 + i / 2);
		assert_int_equal(told[i].b, ~(uint64_t)(2 + i / 2));
		assert_ptr_equal(told[i].arg, &arg);
		assert_int_equal(told[i].correlation_id, told[i & ~1u].correlation_id);
	}
	assert_int_not_equal(told[0].correlation_id, 0);
	assert_int_not_equal(told[0].correlation_id, told[2].correlation_id);
	assert_ok(roctracer_disable_op_callback(HIP_API, FAKE_TWO));
	call(FAKE_TWO, 4);
	assert_int_equal(n_told, 4);
}

#define ALL_TOLD (2 * (FAKE_OPS - FAKE_ONE))

static void a_domain_and_all_domains(void **state)
{
	assert_ok(roctracer_enable_domain_callback(HIP_API, remember, NULL));
	for (enum fake_op op = FAKE_ONE; op < FAKE_OPS; op++)
		call(op, op);
	assert_int_equal(n_told, ALL_TOLD);
	assert_ok(roctracer_disable_op_callback(HIP_API, FAKE_ONE));
	call(FAKE_ONE, 0);
	assert_int_equal(n_told, ALL_TOLD);
	assert_ok(roctracer_disable_domain_callback(HIP_API));
	call(FAKE_TWO, 0);
	assert_int_equal(n_told, ALL_TOLD);
	assert_ok(roctracer_enable_callback(remember, NULL));
	call(FAKE_TWO, 0);
	assert_int_equal(n_told, ALL_TOLD + 2);
	assert_ok(roctracer_disable_callback());
	call(FAKE_TWO, 0);
	assert_int_equal(n_told, ALL_TOLD + 2);
}

static void disable_all(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	remember(domain, op, data, arg);
	assert_ok(roctracer_disable_callback());
}

static void from_inside_of_a_callback(void **state)
{
	assert_ok(roctracer_enable_callback(disable_all, NULL));
	call(FAKE_ONE, 0);
	assert_int_equal(n_told, 1); /* not of its end */
	call(FAKE_ONE, 0);
	assert_int_equal(n_told, 1);
}

static void enable(void *arg)
{
	assert_ok(roctracer_enable_domain_callback(HIP_API, remember, NULL));
	assert_ok(roctracer_enable_domain_activity(HIP_API));
}

static void disable(void *arg)
{
	assert_ok(roctracer_disable_domain_callback(HIP_API));
	assert_ok(roctracer_disable_domain_activity(HIP_API));
}

static void in_the_middle_of_a_call(void **state)
{
	fakehip_call(FAKE_ONE, 0, 0, enable, NULL);
	call(FAKE_TWO, 0);
	assert_int_equal(n_told, 2);
	fakehip_call(FAKE_THREE, 0, 0, disable, NULL);
	assert_int_equal(n_told, 3);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 1);
	assert_int_equal(records[0].op, FAKE_TWO);
}

static void enable_callbacks(void *arg)
{
	assert_ok(roctracer_enable_domain_callback(HIP_API, remember, NULL));
}

/* Of a call whose begin was not told the end is not either, though it is recorded. */
static void callbacks_in_the_middle_of_a_recorded_call(void **state)
{
	assert_ok(roctracer_enable_domain_activity(HIP_API));
	fakehip_call(FAKE_ONE, 0, 0, enable_callbacks, NULL);
	assert_int_equal(n_told, 0);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 1);
}

static int inside, leave_now;
static bool disabled;

static void stay(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct fake_data *d = data;

	if (d->phase)
		return;
	__atomic_store_n(&inside, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&leave_now, __ATOMIC_SEQ_CST))
		usleep(100);
	__atomic_store_n(&inside, 0, __ATOMIC_SEQ_CST);
}

static void *call_one(void *arg)
{
	call(FAKE_ONE, 0);
	return NULL;
}

static void *disable_one(void *arg)
{
	assert_ok(roctracer_disable_op_callback(HIP_API, FAKE_ONE));
	assert_int_equal(__atomic_load_n(&inside, __ATOMIC_SEQ_CST), 0);
	__atomic_store_n(&disabled, true, __ATOMIC_SEQ_CST);
	return NULL;
}

static void disable_waits_for_callbacks_that_run(void **state)
{
	pthread_t caller, disabler;

	inside = leave_now = 0;
	disabled = false;
	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_ONE, stay, NULL));
	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_TWO, remember, NULL));
	pthread_create(&caller, NULL, call_one, NULL);
	while (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
		usleep(100);
	pthread_create(&disabler, NULL, disable_one, NULL);
	/* Others do not wait: what is enabled of other operations, and their calls. */
	assert_ok(roctracer_disable_op_callback(HIP_API, FAKE_TWO));
	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_TWO, remember, NULL));
	call(FAKE_TWO, 0);
	assert_int_equal(n_told, 2);
	usleep(20000);
	assert_false(__atomic_load_n(&disabled, __ATOMIC_SEQ_CST));
	__atomic_store_n(&leave_now, 1, __ATOMIC_SEQ_CST);
	pthread_join(caller, NULL);
	pthread_join(disabler, NULL);
	assert_true(disabled);
}

static void call_again(void *arg)
{
	call(FAKE_TWO, 5);
}

static void calls_inside_of_calls(void **state)
{
	enable(NULL);
	fakehip_call(FAKE_ONE, 4, 0, call_again, NULL);
	assert_int_equal(n_told, 4);
	assert_int_equal(told[1].op, FAKE_TWO);
	assert_int_equal(told[3].op, FAKE_ONE);
	assert_int_equal(told[3].a, 4);
	assert_int_equal(told[3].correlation_id, told[0].correlation_id);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 2);
	assert_int_equal(records[0].correlation_id, told[1].correlation_id);
	assert_int_equal(records[1].correlation_id, told[0].correlation_id);
	assert_true(records[1].begin_ns <= records[0].begin_ns);
	assert_true(records[1].end_ns >= records[0].end_ns);
}

/* ---- records ---- */

/* ns between CLOCK_BOOTTIME and the times of records: these go by the processor's counter. */
#define NEAR 2000

static uint64_t boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void records_of_calls(void **state)
{
	uint64_t before = boot_ns(), after;

	enable(NULL);
	call(FAKE_TWO, 1);
	after = boot_ns();
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 1);
	assert_int_equal(records[0].domain, HIP_API);
	assert_int_equal(records[0].op, FAKE_TWO);
	assert_int_equal(records[0].correlation_id, told[0].correlation_id);
	assert_int_equal(records[0].process_id, getpid());
	assert_int_equal(records[0].thread_id, gettid());
	assert_true(before <= records[0].begin_ns + NEAR &&
		    records[0].begin_ns <= records[0].end_ns && records[0].end_ns <= after + NEAR);
	assert_false(pthread_equal(reader, pthread_self()));
	assert_ok(roctracer_disable_op_activity(HIP_API, FAKE_TWO));
	call(FAKE_TWO, 1);
	call(FAKE_ONE, 1);
	assert_ok(roctracer_disable_domain_activity(HIP_API));
	call(FAKE_ONE, 1);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 2);
}

#define TIMES 300

/* With pauses that are longer, and shorter, than what the counter is trusted for. */
static void times_are_those_of_the_clock(void **state)
{
	static uint64_t before[TIMES], after[TIMES];

	assert_ok(roctracer_enable_domain_activity(HIP_API));
	for (int i = 0; i < TIMES; i++) {
		before[i] = boot_ns();
		call(FAKE_ONE, 0);
		after[i] = boot_ns();
		usleep(i % 3 ? 0 : 3000);
	}
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, TIMES);
	for (int i = 0; i < TIMES; i++) {
		assert_true(before[i] <= records[i].begin_ns + NEAR);
		assert_true(records[i].begin_ns <= records[i].end_ns);
		assert_true(records[i].end_ns <= after[i] + NEAR);
		assert_true(!i || records[i - 1].end_ns <= records[i].begin_ns);
	}
}

static void external_ids_come_right_before_their_call(void **state)
{
	uint64_t id;

	assert_ok(roctracer_enable_op_activity(HIP_API, FAKE_ONE));
	assert_ok(roctracer_activity_push_external_correlation_id(100));
	for (uint64_t i = 0; i < 150; i++) {
		assert_ok(roctracer_activity_push_external_correlation_id(i));
		call(FAKE_ONE, 0);
		assert_ok(roctracer_activity_pop_external_correlation_id(&id));
		assert_int_equal(id, i);
	}
	call(FAKE_ONE, 0);
	assert_ok(roctracer_activity_pop_external_correlation_id(&id));
	assert_int_equal(id, 100);
	call(FAKE_ONE, 0);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 2 * 151 + 1);
	for (uint32_t i = 0; i < 151; i++) {
		const activity_record_t *ext = &records[2 * i];

		assert_int_equal(ext->domain, EXT_API);
		assert_int_equal(ext->op, ACTIVITY_EXT_OP_EXTERN_ID);
		assert_int_equal(ext->external_id, i < 150 ? i : 100);
		assert_int_equal(ext[1].domain, HIP_API);
		assert_int_equal(ext->correlation_id, ext[1].correlation_id);
	}
	assert_int_equal(records[302].domain, HIP_API);
}

static uint32_t split;

static void check_pairs(const char *begin, const char *end, void *arg)
{
	const activity_record_t *first = (const void *)begin, *last = (const void *)end;

	split += last[-1].domain == EXT_API || (last - first) % 2;
	n_records += last - first;
}

static void external_ids_are_not_parted_from_their_call(void **state)
{
	static const size_t sizes[] = {12, 128, 192, 320, 1000, 4096};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		roctracer_properties_t p = {.buffer_size = sizes[i],
					    .buffer_callback_fun = check_pairs};
		roctracer_pool_t *pool;

		n_records = split = 0;
		assert_ok(roctracer_open_pool_expl(&p, &pool));
		assert_ok(roctracer_enable_op_activity_expl(HIP_API, FAKE_ONE, pool));
		assert_ok(roctracer_activity_push_external_correlation_id(1));
		for (int n = 0; n < 500; n++)
			call(FAKE_ONE, 0);
		assert_ok(roctracer_activity_pop_external_correlation_id(NULL));
		assert_ok(roctracer_close_pool_expl(pool));
		assert_int_equal(n_records, 1000);
		assert_int_equal(split, 0);
	}
}

/* ---- what GPUs do ---- */

static struct fake_command kernel = {.op = DISPATCH,
				     .kind = 0x11F0,
				     .begin = FAKE_TIMES,
				     .end = FAKE_TIMES + 7,
				     .device = 3,
				     .queue = 9,
				     .kernel_name = "add(int)"};
static struct fake_command copy = {.op = COPY,
				   .kind = 0x11F3,
				   .begin = FAKE_TIMES + 10,
				   .end = FAKE_TIMES + 20,
				   .bytes = 4711,
				   .device = 1};

static void submit_both(void *arg)
{
	fakehip_submit(&kernel);
	fakehip_submit(&copy);
}

static void submit_one(void *arg)
{
	fakehip_submit(arg);
}

static void records_of_gpus_have_the_id_of_their_call(void **state)
{
	enable(NULL);
	assert_ok(roctracer_enable_domain_activity(HIP_OPS));
	fakehip_call(FAKE_ONE, 0, 0, submit_both, NULL);
	fakehip_done(&copy);
	fakehip_done(&kernel);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 3);
	for (uint32_t i = 0; i < n_records; i++)
		assert_int_equal(records[i].correlation_id, told[0].correlation_id);
	for (uint32_t i = 0; i < n_records; i++) {
		const activity_record_t *r = &records[i];

		if (r->domain != HIP_OPS)
			continue;
		assert_int_equal(r->kind, r->op == COPY ? copy.kind : kernel.kind);
		assert_int_equal(r->begin_ns, r->op == COPY ? copy.begin : kernel.begin);
		assert_int_equal(r->end_ns, r->op == COPY ? copy.end : kernel.end);
		assert_int_equal(r->device_id, r->op == COPY ? 1 : 3);
		assert_int_equal(r->queue_id, r->op == COPY ? 0 : 9);
		if (r->op == COPY)
			assert_int_equal(r->bytes, 4711);
#ifdef TRACER
		else
			assert_string_equal(texts[i], "add(int)");
#endif
	}
}

static void of_gpus_alone_only_what_is_enabled(void **state)
{
	assert_ok(roctracer_enable_op_activity(HIP_OPS, COPY));
	fakehip_call(FAKE_ONE, 0, 0, submit_both, NULL);
	fakehip_done(&kernel);
	fakehip_done(&copy);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 1);
	assert_int_equal(records[0].op, COPY);
	assert_int_equal(records[0].correlation_id, 0); /* the call is not traced */
	/* Submitted while enabled, done when no more. */
	fakehip_call(FAKE_ONE, 0, 0, submit_both, NULL);
	assert_ok(roctracer_disable_domain_activity(HIP_OPS));
	fakehip_done(&copy);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 1);
}

#ifndef TRACER
/* Of a launch, a copy, a fill, and a kernel and a copy of another call, which end in this order. */
static void check_names_and_bytes(void)
{
	static const char *const names[] = {"_Z3addi", "", "", "", ""};
	static const uint64_t bytes[] = {0, 1096, 0, 0, 0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_records; i++) {
		if (records[i].domain != HIP_OPS)
			continue;
		assert_true(n < 5);
		assert_string_equal(texts[i], names[n]);
		if (records[i].op == COPY)
			assert_int_equal(records[i].bytes, bytes[n]);
		n++;
	}
	assert_int_equal(n, 5);
}

/* This HIP tells neither: they are taken from the arguments of the call. */
static void names_and_bytes_are_those_of_the_call(void **state)
{
	struct fake_command bare = copy;
	char name[] = "_Z3addi";

	bare.bytes = 0;
	enable(NULL);
	assert_ok(roctracer_enable_domain_activity(HIP_OPS));
	for (int calls_too = 1; calls_too >= 0; calls_too--) {
		strcpy(name, "_Z3addi");
		fakehip_call(FAKE_LAUNCH, 0 /* HIP refuses it */, 0, NULL, NULL);
		fakehip_call(FAKE_LAUNCH, (uintptr_t)name, 0, submit_one, &kernel);
		fakehip_call(FAKE_COPY, 1000, 96, submit_one, &bare);
		strcpy(name, "gone");
		fakehip_done(&kernel);
		fakehip_done(&bare);
		/* What is filled by a call that copies, and what a call does of which nothing is
		 * known. */
		bare.kind = 0x1207;
		fakehip_call(FAKE_COPY, 1000, 96, submit_one, &bare);
		fakehip_done(&bare);
		bare.kind = copy.kind;
		fakehip_call(FAKE_ONE, 1000, 96, submit_both, NULL);
		fakehip_done(&kernel);
		copy.bytes = 0;
		fakehip_done(&copy);
		copy.bytes = 4711;
		assert_ok(roctracer_flush_activity());
		check_names_and_bytes();
		assert_true(calls_too == (n_told > 0));
		assert_ok(roctracer_disable_callback());
		assert_ok(roctracer_disable_domain_activity(HIP_API));
		n_records = n_told = 0;
	}
}
#else
static void copy_by(enum fake_op op, uint64_t bytes)
{
	copy.bytes = bytes;
	fakehip_call(op, 1000, 96, submit_one, &copy);
	fakehip_done(&copy);
	copy.bytes = 4711;
}

/* HIP 5 does not tell of each: then they are taken from the arguments of the call. */
static void bytes_are_those_of_the_call(void **state)
{
	const uint64_t bytes[] = {FAKE_LONGEST < 1000 ? 1096 : 0, 4711, 0};
	uint32_t n = 0;

	enable(NULL);
	assert_ok(roctracer_enable_domain_activity(HIP_OPS));
	for (int calls_too = 1; calls_too >= 0; calls_too--) {
		n = n_records = n_told = 0;
		copy_by(FAKE_COPY, 0);
		copy_by(FAKE_COPY, 4711);
		copy_by(FAKE_ONE, 0);
		assert_ok(roctracer_flush_activity());
		for (uint32_t i = 0; i < n_records; i++) {
			if (records[i].domain != HIP_OPS)
				continue;
			assert_int_equal(records[i].bytes, bytes[n++]);
			assert_true(calls_too == (records[i].correlation_id != 0));
			assert_true(records[i].correlation_id < 1ULL << 32);
		}
		assert_int_equal(n, 3);
		assert_int_equal(n_records, calls_too ? 6 : 3);
		assert_int_equal(n_told, calls_too ? 6 : 0);
		assert_ok(roctracer_disable_callback());
		assert_ok(roctracer_disable_domain_activity(HIP_API));
	}
}
#endif

static void of_gpus_what_calls_asked_for_before_the_stop(void **state)
{
	enable(NULL);
	assert_ok(roctracer_enable_domain_activity(HIP_OPS));
	fakehip_call(FAKE_ONE, 0, 0, submit_both, NULL);
	roctracer_stop();
	fakehip_done(&copy);
	fakehip_done(&kernel);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 3);
	fakehip_call(FAKE_ONE, 0, 0, submit_both, NULL);
	fakehip_done(&copy);
	roctracer_start();
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 3);
}

#define MANY 100000

static struct fake_command many[MANY];

/* More than have a place of their own, done in another order. */
static void very_many_at_once(void **state)
{
	static uint64_t ids[MANY];
	roctracer_properties_t p = {.buffer_size = 1 << 16, .buffer_callback_fun = keep};
	roctracer_pool_t *pool;

	assert_ok(roctracer_open_pool_expl(&p, &pool));
	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_ONE, remember, NULL));
	assert_ok(roctracer_enable_op_activity_expl(HIP_OPS, COPY, pool));
	for (uint32_t i = 0; i < MANY; i++) {
		many[i] = (struct fake_command){.op = COPY, .bytes = i};
		n_told = 0;
		fakehip_call(FAKE_ONE, 0, 0, submit_one, &many[i]);
		ids[i] = told[0].correlation_id;
	}
	for (uint32_t n = 0; n < 20; n++) {
		n_records = 0;
		for (uint32_t i = n; i < MANY; i += 20)
			if (i / 20 < TOLD_MAX)
				fakehip_done(&many[i]);
		assert_ok(roctracer_flush_activity_expl(pool));
		assert_true(n_records >= TOLD_MAX);
		for (uint32_t i = 0; i < n_records; i++)
			assert_int_equal(records[i].correlation_id, ids[records[i].bytes]);
	}
	assert_ok(roctracer_close_pool_expl(pool));
}

/* ---- pools ---- */

static uint64_t counts[3];

static void several_pools(void **state)
{
	roctracer_pool_t *pools[3], *before = roctracer_default_pool();

	memset(counts, 0, sizeof(counts));
	for (int i = 0; i < 3; i++) {
		roctracer_properties_t p = {.buffer_size = 1024,
					    .buffer_callback_fun = count_records,
					    .buffer_callback_arg = &counts[i]};

		assert_ok(roctracer_open_pool_expl(&p, &pools[i]));
	}
	assert_ok(roctracer_enable_op_activity_expl(HIP_API, FAKE_ONE, pools[0]));
	assert_ok(roctracer_enable_op_activity_expl(HIP_API, FAKE_TWO, pools[1]));
	assert_ptr_equal(roctracer_default_pool_expl(pools[2]), before);
	assert_ptr_equal(roctracer_default_pool(), pools[2]);
	assert_ok(roctracer_enable_op_activity(HIP_API, FAKE_THREE));
	for (int i = 0; i < 100; i++) {
		call(FAKE_ONE, 0);
		call(FAKE_TWO, 0);
		call(FAKE_THREE, 0);
		call(FAKE_THREE, 0);
	}
	assert_ok(roctracer_flush_activity_expl(pools[0]));
	assert_int_equal(counts[0], 100);
	assert_ok(roctracer_close_pool_expl(pools[1]));
	call(FAKE_TWO, 0); /* into no pool any more */
	assert_int_equal(counts[1], 100);
	assert_ok(roctracer_close_pool()); /* the default one */
	assert_int_equal(counts[2], 200);
	assert_null(roctracer_default_pool());
	roctracer_default_pool_expl(before);
	assert_ok(roctracer_close_pool_expl(pools[0]));
}

/* A thread's place in the library, and what it has for a pool there, is used again. */
static void *call_often(void *arg)
{
	for (int i = 0; i < 10; i++)
		call(FAKE_ONE, 0);
	return NULL;
}

static void threads_that_have_ended_leave_their_records(void **state)
{
	pthread_t t;

	assert_ok(roctracer_enable_domain_activity(HIP_API));
	for (int i = 0; i < 100; i++) {
		pthread_create(&t, NULL, call_often, NULL);
		pthread_join(t, NULL);
	}
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 1000);
	for (uint32_t i = 0; i < n_records; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(records[i].correlation_id, records[k].correlation_id);
}

static size_t allocated, asked;
static void *allocator_arg;

static void allocate(char **ptr, size_t size, void *arg)
{
	asked = size;
	allocator_arg = arg;
	if (size) {
		allocated += size;
		*ptr = realloc(*ptr, size);
	} else {
		allocated = 0;
		free(*ptr);
		*ptr = NULL;
	}
}

static void allocate_nothing(char **ptr, size_t size, void *arg)
{
	*ptr = NULL;
}

static void memory_comes_from_the_tools_allocator(void **state)
{
	roctracer_properties_t p = {.buffer_size = 4096,
				    .alloc_fun = allocate,
				    .alloc_arg = &asked,
				    .buffer_callback_fun = keep};
	roctracer_pool_t *pool;

	assert_ok(roctracer_open_pool_expl(&p, &pool));
	assert_int_equal(allocated, 2 * 4096);
	assert_ptr_equal(allocator_arg, &asked);
	assert_ok(roctracer_close_pool_expl(pool));
	assert_int_equal(allocated, 0);
	p.alloc_fun = allocate_nothing;
	expect_error(roctracer_open_pool_expl(&p, &pool), ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION,
		     "no memory");
}

static void marks_have_their_text(void **state)
{
	char long_text[60000];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	roctracer_mark("nobody listens");
	assert_ok(roctracer_enable_domain_activity(EXT_API));
	roctracer_mark("first");
	roctracer_mark(long_text); /* bigger than a buffer */
	roctracer_mark(NULL);
	for (int i = 0; i < 300; i++)
		roctracer_mark("another");
	assert_ok(roctracer_disable_domain_activity(EXT_API));
	roctracer_mark("nobody listens");
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 302);
	assert_int_equal(records[0].op, ACTIVITY_EXT_OP_MARK);
	assert_int_equal(records[0].thread_id, gettid());
	assert_string_equal(texts[0], "first");
	assert_int_equal(strlen(texts[1]), sizeof(texts[1]) - 1);
	for (int i = 2; i < 302; i++)
		assert_string_equal(texts[i], "another");
}

/* The tool makes calls, and changes things, in the callback of the pool itself. */
static roctracer_status_t closed;

static void use_everything(const char *begin, const char *end, void *arg)
{
	const activity_record_t *first = (const void *)begin, *last = (const void *)end;
	roctracer_pool_t **pool = arg;

	n_records += last - first;
	for (; first < last; first++)
		assert_int_equal(first->op, FAKE_ONE);
	if (n_records < 500)
		call(FAKE_ONE, 0);
	assert_ok(roctracer_flush_activity_expl(*pool));
	closed = roctracer_close_pool_expl(*pool);
}

static void from_inside_of_the_pools_callback(void **state)
{
	roctracer_pool_t *pool;
	roctracer_properties_t p = {.buffer_size = 128,
				    .buffer_callback_fun = use_everything,
				    .buffer_callback_arg = &pool};

	assert_ok(roctracer_open_pool_expl(&p, &pool));
	assert_ok(roctracer_enable_op_activity_expl(HIP_API, FAKE_ONE, pool));
	for (int i = 0; i < 100; i++)
		call(FAKE_ONE, 0);
	assert_ok(roctracer_close_pool_expl(pool));
	assert_int_equal(closed, ROCTRACER_STATUS_ERROR);
	assert_true(n_records > 100);
}

/* ---- start and stop ---- */

static int starts, stops;

static void started(void)
{
	starts++;
}

static void stopped(void)
{
	stops++;
}

static void nothing_is_told_while_stopped(void **state)
{
	roctracer_ext_properties_t p = {started, stopped};

	assert_ok(roctracer_set_properties(EXT_API, &p));
	enable(NULL);
	roctracer_start(); /* it goes on: nothing changes */
	roctracer_stop();
	roctracer_stop();
	call(FAKE_ONE, 0);
	roctracer_start();
	call(FAKE_TWO, 0);
	p = (roctracer_ext_properties_t){0};
	assert_ok(roctracer_set_properties(EXT_API, &p));
	roctracer_stop();
	roctracer_start();
	assert_int_equal(starts, 1);
	assert_int_equal(stops, 1);
	assert_int_equal(n_told, 2);
	assert_int_equal(told[0].op, FAKE_TWO);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 1);
}

/* ---- ROC-TX ---- */

static struct {
	uint32_t op;
	const char *message;
	uint64_t id;
} ranges[16];
static uint32_t n_ranges;

static void on_range(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const roctx_api_data_t *d = data;

	assert_int_equal(domain, ROCTX);
	ranges[n_ranges].op = op;
	ranges[n_ranges].message = d->args.message;
	ranges[n_ranges++].id = d->args.id;
}

static void marks_and_ranges(void **state)
{
	uint64_t id;

	n_ranges = 0;
	assert_ok(roctracer_enable_domain_callback(ROCTX, on_range, NULL));
	expect_error(roctracer_enable_op_callback(ROCTX, ROCTX_API_ID_NUMBER, on_range, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation 5");
	roctracer_stop(); /* does not matter to them */
	roctxMarkA("mark");
	assert_int_equal(roctxRangePushA("push"), 0);
	assert_int_equal(roctxRangePop(), 0);
	id = roctxRangeStartA("start");
	roctxRangeStop(id);
	assert_int_equal(n_ranges, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(ranges[i].op, i);
	assert_string_equal(ranges[0].message, "mark");
	assert_string_equal(ranges[1].message, "push");
	assert_null(ranges[2].message);
	assert_string_equal(ranges[3].message, "start");
	assert_int_equal(ranges[3].id, id);
	assert_int_equal(ranges[4].id, id);
	assert_ok(roctracer_disable_op_callback(ROCTX, ROCTX_API_ID_roctxMarkA));
	roctxMarkA("mark");
	assert_ok(roctracer_disable_domain_callback(ROCTX));
	roctxRangePushA("push");
	roctxRangePop();
	assert_int_equal(n_ranges, 5);
	/* Of ranges there are no records. */
	assert_ok(roctracer_enable_domain_activity(ROCTX));
	roctxMarkA("mark");
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 0);
}

/* ---- fork ---- */

static void a_forked_child_goes_on_by_itself(void **state)
{
	int status;
	pid_t pid;

	enable(NULL);
	call(FAKE_ONE, 0);
	pid = fork();
	if (!pid) {
		n_told = 0;
		for (int i = 0; i < 1000; i++)
			call(FAKE_ONE, 0);
		roctracer_flush_activity();
		roctracer_disable_activity();
		roctracer_close_pool();
		_exit(n_told == 2000 && !n_records ? 7 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	call(FAKE_ONE, 0);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 2);
	assert_non_null(record_of(HIP_API, told[0].correlation_id));
}

/* ---- many threads ---- */

#define CALLERS 8
#define ROUNDS	125000

static uint64_t entered, exited, written;
static bool on, done;
static uint64_t toggles; /* so often was something enabled and disabled again */

/* `on` is false before what tells is disabled, and true only when it is enabled. */
static uint64_t strays;

static void count_call(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct fake_data *d = data;

	if (!__atomic_load_n(&on, __ATOMIC_SEQ_CST))
		__atomic_add_fetch(&strays, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(d->phase ? &exited : &entered, 1, __ATOMIC_RELAXED);
}

/* Makes calls until something has been toggled often; of FAKE_ONE so many. */
static void *make_calls(void *arg)
{
	uint64_t *ones = arg;

	for (uint64_t i = 0; i < ROUNDS || __atomic_load_n(&toggles, __ATOMIC_RELAXED) < 20; i++) {
		call(FAKE_ONE + i % 3, i);
		*ones += i % 3 == 0;
	}
	return NULL;
}

/* Callbacks of one operation come and go; those of another are there all the time. */
static void *toggle(void *arg)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		__atomic_store_n(&on, true, __ATOMIC_SEQ_CST);
		assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_TWO, count_call, NULL));
		assert_ok(roctracer_enable_op_activity(HIP_API, FAKE_THREE));
		sched_yield();
		assert_ok(roctracer_disable_op_callback(HIP_API, FAKE_TWO));
		__atomic_store_n(&on, false, __ATOMIC_SEQ_CST); /* none may be told from now on */
		assert_ok(roctracer_disable_op_activity(HIP_API, FAKE_THREE));
		__atomic_add_fetch(&toggles, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static uint64_t always_entered, always_exited;

static void count_always(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct fake_data *d = data;

	__atomic_add_fetch(d->phase ? &always_exited : &always_entered, 1, __ATOMIC_RELAXED);
}

static void enabled_and_disabled_under_load(void **state)
{
	roctracer_properties_t p = {.buffer_size = 1 << 16,
				    .buffer_callback_fun = count_records,
				    .buffer_callback_arg = &written};
	pthread_t callers[CALLERS], toggler;
	uint64_t made[CALLERS] = {0}, ones = 0;
	roctracer_pool_t *pool;

	assert_ok(roctracer_open_pool_expl(&p, &pool));
	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_ONE, count_always, NULL));
	assert_ok(roctracer_enable_op_activity_expl(HIP_API, FAKE_ONE, pool));
	pthread_create(&toggler, NULL, toggle, NULL);
	for (int i = 0; i < CALLERS; i++)
		pthread_create(&callers[i], NULL, make_calls, &made[i]);
	for (int i = 0; i < CALLERS; i++)
		pthread_join(callers[i], NULL);
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(toggler, NULL);
	assert_ok(roctracer_close_pool_expl(pool));
	assert_int_equal(strays, 0);
	for (int i = 0; i < CALLERS; i++)
		ones += made[i];
	assert_true(entered > 0 && exited <= entered);
	assert_int_equal(always_entered, ones);
	assert_int_equal(always_exited, ones);
	assert_int_equal(written, ones);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, disable_everything)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_are_those_that_programs_were_built_with),
		cmocka_unit_test(symbols_have_their_versions),
		cmocka_unit_test(operations_have_names),
		cmocka_unit_test(each_function_has_its_errors),
		cmocka_unit_test(errors_are_of_their_thread),
		cmocka_unit_test(without_hsa_there_is_no_time),
		TEST(callbacks_have_the_arguments_and_one_id_for_both_phases),
		TEST(a_domain_and_all_domains),
		TEST(from_inside_of_a_callback),
		TEST(in_the_middle_of_a_call),
		TEST(callbacks_in_the_middle_of_a_recorded_call),
		TEST(disable_waits_for_callbacks_that_run),
		TEST(calls_inside_of_calls),
		TEST(records_of_calls),
		TEST(times_are_those_of_the_clock),
		TEST(external_ids_come_right_before_their_call),
		TEST(external_ids_are_not_parted_from_their_call),
		TEST(records_of_gpus_have_the_id_of_their_call),
#ifndef TRACER
		TEST(names_and_bytes_are_those_of_the_call),
#else
		TEST(bytes_are_those_of_the_call),
#endif
		TEST(of_gpus_alone_only_what_is_enabled),
		TEST(of_gpus_what_calls_asked_for_before_the_stop),
		TEST(very_many_at_once),
		TEST(several_pools),
		TEST(threads_that_have_ended_leave_their_records),
		TEST(memory_comes_from_the_tools_allocator),
		TEST(marks_have_their_text),
		TEST(from_inside_of_the_pools_callback),
		TEST(nothing_is_told_while_stopped),
		TEST(marks_and_ranges),
		TEST(a_forked_child_goes_on_by_itself),
		TEST(enabled_and_disabled_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
