// SPDX-License-Identifier: MIT
/*
 * Tests collection periods: what is accepted, and when tracing is on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "user/record/collection_periods.h"

#define SEC 1000000000ULL

static struct periods parsed(const char *text, uint64_t unit)
{
	struct periods p = {};

	assert_true(collection_periods__add(&p, text, unit));
	assert_int_equal(p.count, 1);
	return p;
}

static void none_is_always_on(void **state)
{
	const struct periods p = {};

	assert_true(collection_periods__on(&p, 0));
	assert_true(collection_periods__on(&p, UINT64_MAX));
}

static void one_period(void **state)
{
	struct periods p = parsed("2:3", SEC);

	assert_false(collection_periods__on(&p, 0));
	assert_false(collection_periods__on(&p, 2 * SEC - 1));
	assert_true(collection_periods__on(&p, 2 * SEC));
	assert_true(collection_periods__on(&p, 5 * SEC - 1));
	assert_false(collection_periods__on(&p, 5 * SEC));
	assert_false(collection_periods__on(&p, 7 * SEC)); /* where a repetition would be on */
}

static void repeated(void **state)
{
	struct periods p = parsed("1:2:3", SEC);

	for (uint64_t i = 0; i < 3; i++) {
		assert_false(collection_periods__on(&p, 3 * i * SEC));
		assert_true(collection_periods__on(&p, (3 * i + 1) * SEC));
		assert_true(collection_periods__on(&p, (3 * i + 3) * SEC - 1));
	}
	assert_false(collection_periods__on(&p, 10 * SEC));
}

static void for_ever(void **state)
{
	struct periods p = parsed("1:1:0", SEC);

	assert_false(collection_periods__on(&p, 1000000 * SEC));
	assert_true(collection_periods__on(&p, 1000001 * SEC));
	/* What follows never comes. */
	assert_true(collection_periods__add(&p, "0:5", SEC));
	assert_false(collection_periods__on(&p, 1000000 * SEC));
}

static void one_after_the_other(void **state)
{
	struct periods p = parsed("0:1:2", SEC);

	assert_true(collection_periods__add(&p, "1:1", SEC));
	assert_true(collection_periods__on(&p, 0));
	assert_true(collection_periods__on(&p, 2 * SEC - 1));
	assert_false(collection_periods__on(&p, 2 * SEC));
	assert_true(collection_periods__on(&p, 3 * SEC));
	assert_false(collection_periods__on(&p, 4 * SEC));
}

static void units_and_fractions(void **state)
{
	struct periods p = parsed("0.5:1.25", SEC);

	assert_int_equal(p.period[0].delay, 500000000);
	assert_int_equal(p.period[0].length, 1250000000);
	p = parsed("1:.5:18446744073709551615", collection_periods__unit("hour"));
	assert_int_equal(p.period[0].delay, 3600 * SEC);
	assert_int_equal(p.period[0].length, 1800 * SEC);
	assert_true(p.period[0].repeat == UINT64_MAX);
	assert_int_equal(collection_periods__unit("min"), 60 * SEC);
	assert_int_equal(collection_periods__unit("sec"), SEC);
	assert_int_equal(collection_periods__unit("msec"), 1000000);
	assert_int_equal(collection_periods__unit("usec"), 1000);
	assert_int_equal(collection_periods__unit("nsec"), 1);
	assert_int_equal(collection_periods__unit("s"), 0);
	assert_int_equal(collection_periods__unit(""), 0);
}

/* The longest that are accepted: no sum of theirs overflows. */
static void the_longest(void **state)
{
	struct periods p = parsed("1000000000:1000000000:18446744073709551615", SEC);

	assert_false(collection_periods__on(&p, 0));
	assert_true(collection_periods__on(&p, 1000000000 * SEC));
	assert_true(collection_periods__add(&p, "0:1", SEC));
	collection_periods__on(&p, UINT64_MAX);
	assert_false(collection_periods__add(&p, "1000000001:1", SEC));
}

static void what_is_no_period(void **state)
{
	static const char *const bad[] = {
		"",
		"1",
		"1:",
		":1",
		"1:0",
		"0:0",
		"0:0.0000000001",
		"1:1:",
		"1:1:x",
		"1:1 ",
		" 1:1",
		"1: 1",
		"-1:1",
		"1:-1",
		"1:1:-",
		"1:1:+1",
		"+1:1",
		"1e3:1",
		"0x1:1",
		"nan:1",
		"inf:1",
		"1:inf",
		"1:1:1:",
		"1:1:1:1",
		"1.2.3:1",
		".:1",
		"1:.",
		"1:1:18446744073709551616",
	};
	struct periods p = {};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (collection_periods__add(&p, bad[i], SEC))
			fail_msg("'%s' is taken for a period", bad[i]);
	assert_int_equal(p.count, 0);
}

static void too_many(void **state)
{
	struct periods p = {};

	for (int i = 0; i < PERIODS_MAX; i++)
		assert_true(collection_periods__add(&p, "1:1", SEC));
	assert_false(collection_periods__add(&p, "1:1", SEC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_always_on),
		cmocka_unit_test(one_period),
		cmocka_unit_test(repeated),
		cmocka_unit_test(for_ever),
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(units_and_fractions),
		cmocka_unit_test(the_longest),
		cmocka_unit_test(what_is_no_period),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
