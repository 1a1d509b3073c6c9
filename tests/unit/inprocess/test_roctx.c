// SPDX-License-Identifier: MIT
/*
 * Tests libroctx64: levels, identifiers, threads, the tool's callback, and the exported symbols.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roctracer/roctx.h"
#include "roctx/roctx_tracer.h"
#include "tests/unit/inprocess/exports.h"

#define VERSION_NODE "ROCTX_4.1"

static const char *const entry_points[] = {
	"roctx_version_major", "roctx_version_minor",
	"roctxMarkA",	       "roctxRangePushA",
	"roctxRangePop",       "roctxRangeStartA",
	"roctxRangeStop",      "roctxRegisterTracerCallback",
};
#define ENTRY_POINTS (sizeof(entry_points) / sizeof(entry_points[0]))

/* What the callback received, newest last. */
struct told {
	uint32_t domain;
	uint32_t operation;
	const char *message;
	uint64_t id;
};

static struct told told[16];
static unsigned int n_told;

static int remember(uint32_t domain, uint32_t operation, void *data)
{
	const struct roctx_tracer_data *d = data;

	if (n_told < sizeof(told) / sizeof(told[0]))
		told[n_told++] = (struct told){domain, operation, d->message, d->id};
	return -1;
}

static void expect_told(unsigned int i, uint32_t operation, const char *message, uint64_t id)
{
	assert_true(i < n_told);
	assert_int_equal(told[i].domain, ROCTX_TRACER_DOMAIN);
	assert_int_equal(told[i].operation, operation);
	assert_ptr_equal(told[i].message, message);
	assert_int_equal(told[i].id, id);
}

static void test_version(void **state)
{
	assert_int_equal(roctx_version_major(), 4);
	assert_int_equal(roctx_version_minor(), 1);
}

static void test_levels(void **state)
{
	assert_int_equal(roctxRangePush("outer"), 0);
	assert_int_equal(roctxRangePush("inner"), 1);
	assert_int_equal(roctxRangePush(NULL), 2);
	roctxMark("a mark changes no level");
	assert_int_equal(roctxRangePop(), 2);
	assert_int_equal(roctxRangePush("again"), 2);
	assert_int_equal(roctxRangePop(), 2);
	assert_int_equal(roctxRangePop(), 1);
	assert_int_equal(roctxRangePop(), 0);
}

static void test_underflow(void **state)
{
	assert_int_equal(roctxRangePop(), -1);
	assert_int_equal(roctxRangePop(), -1);
	assert_int_equal(roctxRangePush("as before"), 0);
	assert_int_equal(roctxRangePop(), 0);
}

static void *push_on_a_new_thread(void *arg)
{
	int *levels = arg;

	levels[0] = roctxRangePop();
	levels[1] = roctxRangePush("first of this thread");
	levels[2] = roctxRangePush("second");
	return NULL;
}

static void test_levels_belong_to_the_thread(void **state)
{
	int levels[3];
	pthread_t thread;

	assert_int_equal(roctxRangePush("main"), 0);
	assert_int_equal(pthread_create(&thread, NULL, push_on_a_new_thread, levels), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(levels[0], -1);
	assert_int_equal(levels[1], 0);
	assert_int_equal(levels[2], 1);
	assert_int_equal(roctxRangePop(), 0);
}

static void test_first_id_is_one(void **state)
{
	assert_int_equal(roctxRangeStart("first"), 1);
	assert_int_equal(roctxRangeStart("second"), 2);
	roctxRangeStop(1);
	roctxRangeStop(2);
	roctxRangeStop(0);
	assert_int_equal(roctxRangeStart("ids are not used again"), 3);
}

#define STARTERS	  4
#define STARTS_PER_THREAD 1000

static void *start_many(void *arg)
{
	roctx_range_id_t *ids = arg;
	int i;

	for (i = 0; i < STARTS_PER_THREAD; i++)
		ids[i] = roctxRangeStart("concurrent");
	return NULL;
}

static int compare_ids(const void *a, const void *b)
{
	roctx_range_id_t x = *(const roctx_range_id_t *)a, y = *(const roctx_range_id_t *)b;

	return (x > y) - (x < y);
}

static void test_ids_are_unique_in_the_process(void **state)
{
	static roctx_range_id_t ids[STARTERS * STARTS_PER_THREAD];
	roctx_range_id_t before = roctxRangeStart("before");
	pthread_t threads[STARTERS];
	int i;

	for (i = 0; i < STARTERS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, start_many, ids + i * STARTS_PER_THREAD),
			0);
	for (i = 0; i < STARTERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	qsort(ids, STARTERS * STARTS_PER_THREAD, sizeof(ids[0]), compare_ids);
	for (i = 0; i < STARTERS * STARTS_PER_THREAD; i++)
		assert_int_equal(ids[i], before + 1 + i);
}

static void test_callback(void **state)
{
	const char *mark = "mark", *push = "push", *start = "start";
	roctx_range_id_t id;

	n_told = 0;
	roctxRegisterTracerCallback(remember);
	roctxMark(mark);
	assert_int_equal(roctxRangePush(push), 0);
	assert_int_equal(roctxRangePop(), 0);
	assert_int_equal(roctxRangePop(), -1);
	id = roctxRangeStart(start);
	roctxRangeStop(id);
	roctxRegisterTracerCallback(NULL);
	roctxMark("nobody listens");

	assert_int_equal(n_told, 6);
	expect_told(0, ROCTX_OPERATION_MARK, mark, 0);
	expect_told(1, ROCTX_OPERATION_RANGE_PUSH, push, 0);
	expect_told(2, ROCTX_OPERATION_RANGE_POP, NULL, 0);
	expect_told(3, ROCTX_OPERATION_RANGE_POP, NULL, 0);
	expect_told(4, ROCTX_OPERATION_RANGE_START, start, id);
	expect_told(5, ROCTX_OPERATION_RANGE_STOP, NULL, id);
}

static void test_soname(void **state)
{
	/* The loader looked for the name that the linker took from the library: its SONAME. */
	const char *slash = strrchr(library_of("roctxMarkA"), '/');

	assert_non_null(slash);
	assert_string_equal(slash + 1, "libroctx64.so.4");
}

static void test_symbol_versions(void **state)
{
	void *library = dlopen(library_of("roctxMarkA"), RTLD_NOW | RTLD_NOLOAD);
	size_t i;

	assert_non_null(library);
	for (i = 0; i < ENTRY_POINTS; i++) {
		assert_non_null(dlvsym(library, entry_points[i], VERSION_NODE));
		assert_null(dlvsym(library, entry_points[i], "ROCTX_4.0"));
	}
	dlclose(library);
}

static void test_exports(void **state)
{
	check_exports(library_of("roctxMarkA"), entry_points, ENTRY_POINTS);
}

int main(void)
{
	/* test_first_id_is_one must come before every other test that starts a range. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_id_is_one),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_underflow),
		cmocka_unit_test(test_levels_belong_to_the_thread),
		cmocka_unit_test(test_ids_are_unique_in_the_process),
		cmocka_unit_test(test_callback),
		cmocka_unit_test(test_soname),
		cmocka_unit_test(test_symbol_versions),
		cmocka_unit_test(test_exports),
	};

	return cmocka_run_group_tests_name("roctx", tests, NULL, NULL);
}
