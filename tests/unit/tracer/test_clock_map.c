// SPDX-License-Identifier: MIT
/*
 * Tests how the times of another clock become CLOCK_BOOTTIME.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "user/clock/clock_map.h"

static uint64_t to_boot(const struct clock_map *map, uint64_t ticks)
{
	return clock_map__to_boot(map, (struct clock_span){ticks, ticks}, 0).begin;
}

static void add_pair(struct clock_map *map, uint64_t boot, uint64_t hsa, uint64_t error)
{
	struct clock_pair pair = {boot, hsa, error};

	assert_int_equal(clock_map__add(map, &pair), 0);
}

static void clock_without_pairs_changes_nothing(void **state)
{
	struct clock_map map = {};

	assert_int_equal(to_boot(&map, 12345), 12345);
}

static void clock_that_is_boottime_is_taken_as_it_is(void **state)
{
	struct clock_map map = {};

	add_pair(&map, 1000000, 1000020, 50);
	add_pair(&map, 2000000, 1999990, 50);
	assert_int_equal(to_boot(&map, 1500001), 1500001);
	clock_map__free(&map);
}

static void clock_with_an_offset_is_shifted(void **state)
{
	struct clock_map map = {};

	add_pair(&map, 1000000, 5000000, 50);
	assert_int_equal(to_boot(&map, 5000123), 1000123);
	assert_int_equal(to_boot(&map, 4999000), 999000);
	clock_map__free(&map);
}

/* 200 ppm fast from the second pair on: each segment has its own slope, the ends go on. */
static void clock_with_drift_is_piecewise_linear(void **state)
{
	struct clock_map map = {};
	const uint64_t s = 1000000000;

	add_pair(&map, 10 * s, 1 * s, 50);
	add_pair(&map, 11 * s, 2 * s, 50);
	add_pair(&map, 12 * s, 3 * s + 200000, 50);
	assert_int_equal(to_boot(&map, 1 * s + s / 2), 10 * s + s / 2);
	assert_in_range(to_boot(&map, 2 * s + 500100000), 11 * s + s / 2 - 1, 11 * s + s / 2 + 1);
	assert_in_range(to_boot(&map, 4 * s + 400000), 13 * s - 1, 13 * s + 1);
	assert_int_equal(to_boot(&map, s / 2), 9 * s + s / 2);
	clock_map__free(&map);
}

static void clock_ignores_pairs_that_go_backwards(void **state)
{
	struct clock_map map = {};

	add_pair(&map, 2000, 12000, 10);
	add_pair(&map, 1000, 13000, 10);
	add_pair(&map, 3000, 11000, 10);
	assert_int_equal(map.count, 1);
	clock_map__free(&map);
}

static void clock_leaves_out_pairs_that_were_read_badly(void **state)
{
	const uint64_t ms = 1000000;
	struct clock_map map = {};

	add_pair(&map, 1000 * ms + 90000, 100 * ms, 200000); /* 90 us off */
	add_pair(&map, 1004 * ms, 104 * ms, 300);
	add_pair(&map, 1100 * ms, 200 * ms, 500);
	add_pair(&map, 1200 * ms + 5000, 300 * ms, 12000); /* 5 us off */
	add_pair(&map, 1300 * ms, 400 * ms, 1900);
	for (uint64_t t = 100; t <= 400; t += 50)
		assert_int_equal(to_boot(&map, t * ms), (t + 900) * ms);
	/* A bad one is better than none. */
	add_pair(&map, 2300 * ms + 5000, 1400 * ms, 12000);
	assert_true(clock_map__covers(&map, 1400 * ms));
	assert_int_equal(to_boot(&map, 1400 * ms), 2300 * ms + 5000);
	clock_map__free(&map);
}

/* A clock of 25 MHz; the machine sleeps for an hour between the third pair and the fourth. */
static void clock_goes_on_on_either_side_of_a_sleep(void **state)
{
	const uint64_t ms = 1000000, tick = 25000, hour = 3600000 * ms;
	struct clock_map map = {};
	struct clock_span span;

	for (uint64_t n = 1; n <= 6; n++)
		add_pair(&map, n * 100 * ms + (n > 3 ? hour : 0), n * 100 * tick, 50);
	assert_int_equal(to_boot(&map, 250 * tick), 250 * ms);
	/* It ended before the machine slept, ... */
	span = clock_map__to_boot(&map, (struct clock_span){320 * tick, 330 * tick}, 310 * ms);
	assert_int_equal(span.begin, 320 * ms);
	assert_int_equal(span.end, 330 * ms);
	/* ... it was submitted when that had awoken. */
	span = clock_map__to_boot(&map, (struct clock_span){370 * tick, 380 * tick},
				  hour + 365 * ms);
	assert_int_equal(span.begin, hour + 370 * ms);
	assert_int_equal(span.end, hour + 380 * ms);
	assert_int_equal(to_boot(&map, 450 * tick), hour + 450 * ms);
	assert_true(clock_map__covers(&map, 600 * tick));
	assert_false(clock_map__covers(&map, 600 * tick + 1));
	clock_map__free(&map);
}

/* A clock of 100 MHz, read late by one tick at last. */
static void clock_goes_on_after_pairs_that_are_near(void **state)
{
	const uint64_t ms = 1000000, tick = 100000, hour = 3600000 * ms;
	struct clock_map map = {};

	add_pair(&map, 100 * ms, 10 * tick, 1900);
	add_pair(&map, 112 * ms, 22 * tick, 1900);
	add_pair(&map, 112 * ms + 100000, 22 * tick + tick / 10 - 1, 1900);
	assert_in_range(to_boot(&map, 42 * tick), 132 * ms - 20, 132 * ms + 20);
	/* The machine sleeps, and the first two pairs after that are near. */
	add_pair(&map, hour + 200 * ms, 50 * tick, 50);
	add_pair(&map, hour + 200 * ms + 100000, 50 * tick + tick / 10, 50);
	assert_int_equal(to_boot(&map, 60 * tick), hour + 210 * ms);
	clock_map__free(&map);
}

static void clock_keeps_no_more_pairs_than_it_needs(void **state)
{
	struct clock_map map = {};

	for (uint64_t n = 1; n <= 100000; n++)
		add_pair(&map, n * 1000, n * 25, 50);
	assert_true(map.count <= 16384);
	assert_int_equal(to_boot(&map, 99999 * 25), 99999000);
	clock_map__free(&map);
}

/* What no clock can have meant is the nearest that can be said, not something in between. */
static void clock_does_not_wrap_around(void **state)
{
	struct clock_map map = {};
	const uint64_t year = 31536000ull * 1000000000;

	add_pair(&map, 1000, 1000000, 50);
	add_pair(&map, year, 1000001, 50);
	add_pair(&map, 2 * year, 1000002, 50);
	assert_int_equal(to_boot(&map, 0), 0);
	assert_int_equal(to_boot(&map, UINT64_MAX), UINT64_MAX);
	assert_int_equal(to_boot(&map, 1ull << 63), UINT64_MAX);
	assert_int_equal(to_boot(&map, 999999), 0);
	clock_map__free(&map);
}

static void clock_knows_times_that_cannot_be(void **state)
{
	const uint64_t now = 1000 * CLOCK_SLACK_NS, submit = now / 2, slack = CLOCK_SLACK_NS;
	const struct {
		struct clock_span span;
		bool sane;
	} cases[] = {
		{{submit, submit}, true},	    {{submit - slack, now + slack}, true},
		{{submit + 1, submit}, false},	    {{submit - slack - 1, now}, false},
		{{submit, now + slack + 1}, false}, {{0, now}, false},
		{{0, UINT64_MAX}, false},	    {{UINT64_MAX, UINT64_MAX}, false},
		{{UINT64_MAX, 0}, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(clock_span__is_sane(&cases[i].span, submit, now), cases[i].sane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_without_pairs_changes_nothing),
		cmocka_unit_test(clock_that_is_boottime_is_taken_as_it_is),
		cmocka_unit_test(clock_with_an_offset_is_shifted),
		cmocka_unit_test(clock_with_drift_is_piecewise_linear),
		cmocka_unit_test(clock_ignores_pairs_that_go_backwards),
		cmocka_unit_test(clock_leaves_out_pairs_that_were_read_badly),
		cmocka_unit_test(clock_goes_on_on_either_side_of_a_sleep),
		cmocka_unit_test(clock_goes_on_after_pairs_that_are_near),
		cmocka_unit_test(clock_keeps_no_more_pairs_than_it_needs),
		cmocka_unit_test(clock_does_not_wrap_around),
		cmocka_unit_test(clock_knows_times_that_cannot_be),
	};

	return cmocka_run_group_tests_name("clock_map", tests, NULL, NULL);
}
