// SPDX-License-Identifier: MIT
/*
 * libroctracer64: records of calls, external ids, and pools.
 */
#include "tests/roctracer/told.h"

#include <sys/wait.h>
#include <time.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_of_calls),
		TEST(times_are_those_of_the_clock),
		TEST(external_ids_come_right_before_their_call),
		TEST(external_ids_are_not_parted_from_their_call),
		TEST(several_pools),
		TEST(threads_that_have_ended_leave_their_records),
		TEST(memory_comes_from_the_tools_allocator),
		TEST(marks_have_their_text),
		TEST(from_inside_of_the_pools_callback),
		TEST(a_forked_child_goes_on_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
