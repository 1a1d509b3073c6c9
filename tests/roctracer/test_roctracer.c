// SPDX-License-Identifier: MIT
/*
 * libroctracer64: callbacks, and what is enabled while it is in use.
 */
#include "tests/roctracer/told.h"

#include <sched.h>

#include "roctracer/roctracer_roctx.h"

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

/* If the begin of a call was not reported, its end is not either, though the call is recorded. */
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

static void leave_thread(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	pthread_exit(NULL);
}

static void who_has_ended_in_a_callback_is_not_waited_for(void **state)
{
	pthread_t t;

	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_ONE, leave_thread, NULL));
	pthread_create(&t, NULL, call_one, NULL);
	pthread_join(t, NULL);
	assert_ok(roctracer_disable_op_callback(HIP_API, FAKE_ONE));
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

/* ---- many threads ---- */

#define CALLERS 8
#define ROUNDS	125000

static uint64_t entered, exited, written;
static bool on, done;
static uint64_t toggles; /* how often something was enabled and disabled again */

/*
 * Callbacks that came while `on` was false. `on` is set before callbacks are enabled, and cleared
 * after they are disabled.
 */
static uint64_t strays;

static void count_call(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct fake_data *d = data;

	if (!__atomic_load_n(&on, __ATOMIC_SEQ_CST))
		__atomic_add_fetch(&strays, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(d->phase ? &exited : &entered, 1, __ATOMIC_RELAXED);
}

/* Makes calls until something has been toggled often; counts those of FAKE_ONE in `arg`. */
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
		__atomic_store_n(&on, false, __ATOMIC_SEQ_CST); /* no callback from now on */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(callbacks_have_the_arguments_and_one_id_for_both_phases),
		TEST(a_domain_and_all_domains),
		TEST(from_inside_of_a_callback),
		TEST(in_the_middle_of_a_call),
		TEST(callbacks_in_the_middle_of_a_recorded_call),
		TEST(disable_waits_for_callbacks_that_run),
		TEST(who_has_ended_in_a_callback_is_not_waited_for),
		TEST(calls_inside_of_calls),
		TEST(nothing_is_told_while_stopped),
		TEST(marks_and_ranges),
		TEST(enabled_and_disabled_under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
