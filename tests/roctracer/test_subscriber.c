// SPDX-License-Identifier: MIT
/*
 * Tests what libroctracer64 reports to librocprofiler-sdk (abi/roctracer_subscriber.h) with a HIP
 * library of our own: each call that is wanted, from begin to end, whatever a tool of its own
 * enables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "roctracer/roctracer_ext.h"
#include "abi/roctracer_subscriber.h"
#include "tests/roctracer/fakehip.h"
#include "tests/roctracer/tooltest.h"

#define HIP_API ACTIVITY_DOMAIN_HIP_API
#define THREADS 8
#define CHANGES 20000

extern rtrace_subscribe_fn rtrace_subscribe;
extern rtrace_want_fn rtrace_want;

struct heard {
	uint32_t op, phase;
	uint64_t correlation_id, a;
};

static __thread struct heard heard[64];
static __thread uint32_t n_heard;
static uint64_t begun, ended, tool_told;

/* Under load: calls that were made, and whether what is wanted has changed for the last time. */
static uint64_t made;
static bool settled;

static void hear(uint32_t domain, uint32_t op, const void *data)
{
	const struct fake_data *d = data;

	assert_int_equal(domain, HIP_API);
	heard[n_heard++ % 64] = (struct heard){op, d->phase, d->correlation_id, d->args.a};
}

static void begin(uint32_t domain, uint32_t op, const void *data)
{
	hear(domain, op, data);
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
}

static void end(uint32_t domain, uint32_t op, const void *data)
{
	hear(domain, op, data);
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}

static const struct rtrace_subscriber subscriber = {.begin = begin, .end = end};

static void want(enum fake_op op)
{
	uint8_t wanted[FAKE_OPS] = {0};

	wanted[op] = 1;
	assert_int_equal(rtrace_want(HIP_API, wanted, FAKE_OPS), 0);
}

static int set_up(void **state)
{
	n_heard = begun = ended = tool_told = 0;
	assert_int_equal(rtrace_subscribe(RTRACE_SUBSCRIBER_VERSION, &subscriber), 0);
	return 0;
}

static int take_down(void **state)
{
	want(FAKE_NONE);
	return roctracer_disable_callback();
}

static uint64_t tool_id;

static void tool(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct fake_data *d = data;

	tool_id = d->correlation_id;
	__atomic_fetch_add(&tool_told, 1, __ATOMIC_RELAXED);
}

/* ---- */

static void there_is_one_of_this_version(void **state)
{
	static const struct rtrace_subscriber other;

	assert_int_equal(rtrace_subscribe(RTRACE_SUBSCRIBER_VERSION + 1, &subscriber), -EPROTO);
	assert_int_equal(rtrace_subscribe(RTRACE_SUBSCRIBER_VERSION, &other), -EBUSY);
	assert_int_equal(rtrace_want(ACTIVITY_DOMAIN_HIP_OPS, NULL, 0), -EINVAL);
}

static void calls_that_are_wanted(void **state)
{
	want(FAKE_TWO);
	fakehip_call(FAKE_ONE, 1, 0, NULL, NULL);
	fakehip_call(FAKE_TWO, 2, 0, NULL, NULL);
	assert_int_equal(n_heard, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(heard[i].op, FAKE_TWO);
		assert_int_equal(heard[i].phase, i);
		assert_int_equal(heard[i].a, 2);
		assert_int_equal(heard[i].correlation_id, heard[0].correlation_id);
	}
	assert_true(heard[0].correlation_id);
	want(FAKE_NONE);
	fakehip_call(FAKE_TWO, 2, 0, NULL, NULL);
	assert_int_equal(n_heard, 2);
}

static void a_tool_beside_it_has_the_same_ids_and_stops_alone(void **state)
{
	want(FAKE_ONE);
	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_ONE, tool, NULL));
	fakehip_call(FAKE_ONE, 0, 0, NULL, NULL);
	assert_int_equal(tool_told, 2);
	assert_int_equal(n_heard, 2);
	assert_int_equal(tool_id, heard[0].correlation_id);
	roctracer_stop();
	fakehip_call(FAKE_ONE, 0, 0, NULL, NULL);
	roctracer_start();
	assert_int_equal(tool_told, 2);
	assert_int_equal(n_heard, 4);
	assert_ok(roctracer_disable_op_callback(HIP_API, FAKE_ONE));
	fakehip_call(FAKE_ONE, 0, 0, NULL, NULL);
	assert_int_equal(n_heard, 6);
}

static void enable_for_both(void *arg)
{
	want(FAKE_ONE);
	assert_ok(roctracer_enable_op_callback(HIP_API, FAKE_ONE, tool, NULL));
}

static void disable_for_both(void *arg)
{
	want(FAKE_NONE);
	assert_ok(roctracer_disable_op_callback(HIP_API, FAKE_ONE));
}

/* Each begin has its end; of a call that was not wanted when it began, neither is reported. */
static void in_the_middle_of_a_call(void **state)
{
	want(FAKE_TWO); /* registers with a HIP up to 4.3 for good, not during a call */
	fakehip_call(FAKE_ONE, 0, 0, enable_for_both, NULL);
	assert_int_equal(n_heard, 0);
	fakehip_call(FAKE_ONE, 0, 0, disable_for_both, NULL);
	assert_int_equal(n_heard, 2);
	assert_int_equal(tool_told, 1); /* as it was disabled */
}

/* A HIP up to 4.3 would wait for ever, or lose count. */
#ifdef HELD
#define GOES_ON true
#else
#define GOES_ON false
#endif

static void want_nothing(void *arg)
{
	want(FAKE_NONE);
	assert_int_equal(fakehip_looks(), GOES_ON);
}

static void hip_looks_no_more_when_nothing_is_wanted(void **state)
{
	for (uint32_t i = 1; i < 3; i++) {
		want(FAKE_ONE);
		assert_true(fakehip_looks());
		fakehip_call(FAKE_ONE, 0, 0, want_nothing, NULL);
		assert_int_equal(n_heard, 2 * i);
		fakehip_call(FAKE_ONE, 0, 0, NULL, NULL);
		assert_int_equal(n_heard, 2 * i);
	}
}

/* Until nothing changes any more, and once after that. */
static void *call_often(void *arg)
{
	bool last;

	do {
		last = __atomic_load_n(&settled, __ATOMIC_ACQUIRE);
		fakehip_call(FAKE_ONE, __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED), 0, NULL,
			     NULL);
	} while (!last);
	return NULL;
}

static void under_load(void **state)
{
	pthread_t threads[THREADS];

	want(FAKE_ONE);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_often, NULL);
	for (int i = 0; i < CHANGES; i++)
		want(i & 1 ? FAKE_ONE : FAKE_NONE);
	__atomic_store_n(&settled, true, __ATOMIC_RELEASE);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(begun, ended);
	assert_true(begun >= THREADS && begun <= made);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, take_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(there_is_one_of_this_version),
		TEST(calls_that_are_wanted),
		TEST(a_tool_beside_it_has_the_same_ids_and_stops_alone),
		TEST(in_the_middle_of_a_call),
		TEST(hip_looks_no_more_when_nothing_is_wanted),
		TEST(under_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
