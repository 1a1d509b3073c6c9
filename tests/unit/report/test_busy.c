// SPDX-License-Identifier: MIT
/*
 * The union of intervals, against one that is counted instant by instant.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "user/live/busy_time.h"

#define INSTANTS 100000

static uint64_t count_instants(unsigned char *covered, uint64_t begin, uint64_t end)
{
	uint64_t fresh = 0;

	for (uint64_t at = begin; at < end; at++) {
		fresh += !covered[at];
		covered[at] = 1;
	}
	return fresh;
}

/* Ends go up, but for the last few, which are reported late; begins are up to `longest` before. */
static void check_random(unsigned int seed, int longest, int late)
{
	static unsigned char covered[INSTANTS];
	struct busy b = {};
	uint64_t at = 1000;

	memset(covered, 0, sizeof(covered));
	srandom(seed);
	while (at < INSTANTS - 200) {
		uint64_t end = at - random() % late, begin = end - random() % longest;

		assert_int_equal(busy_time__add(&b, begin, end),
				 count_instants(covered, begin, end));
		at += random() % 40;
	}
}

static void test_queues_side_by_side(void **state)
{
	for (unsigned int seed = 1; seed < 50; seed++) {
		check_random(seed, 1 + (int)seed * 10, 1);
		check_random(seed, 1 + (int)seed * 5, 100);
	}
}

static void test_edges(void **state)
{
	struct busy b = {};

	assert_int_equal(busy_time__add(&b, 5, 5), 0);
	assert_int_equal(busy_time__add(&b, 9, 3), 0);
	assert_int_equal(busy_time__add(&b, 100, 110), 10);
	assert_int_equal(busy_time__add(&b, 100, 110), 0);
	assert_int_equal(busy_time__add(&b, 110, 120), 10);
	assert_int_equal(busy_time__add(&b, 10, 20), 10); /* before the first one */
	assert_int_equal(busy_time__add(&b, 0, UINT64_MAX), UINT64_MAX - 30);
	assert_int_equal(busy_time__add(&b, 200, 300), 0);
}

/* More gaps than are kept: never more than there is. */
static void test_old_gaps(void **state)
{
	struct busy b = {};
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 10 * BUSY_GAPS; i++)
		sum += busy_time__add(&b, i * 10, i * 10 + 5);
	assert_int_equal(sum, 10 * BUSY_GAPS * 5);
	assert_int_equal(busy_time__add(&b, 0, 10 * BUSY_GAPS * 10), BUSY_GAPS * 5 + 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queues_side_by_side),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_old_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
