// SPDX-License-Identifier: MIT
/*
 * libroctracer64: records of what GPUs do, as HIP reports it.
 */
#include "tests/roctracer/told.h"

#define FAKE_TIMES 1000000

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

/* This HIP reports neither: they are taken from the arguments of the call. */
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

/* HIP 5 does not report all bytes: then they are taken from the arguments of the call. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_of_gpus_have_the_id_of_their_call),
#ifndef TRACER
		TEST(names_and_bytes_are_those_of_the_call),
#else
		TEST(bytes_are_those_of_the_call),
#endif
		TEST(of_gpus_alone_only_what_is_enabled),
		TEST(of_gpus_what_calls_asked_for_before_the_stop),
		TEST(very_many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
