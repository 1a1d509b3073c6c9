// SPDX-License-Identifier: MIT
/*
 * Tests of the reorder buffer: against a list that qsort() puts in order, and of what it holds
 * after a burst, by malloc's own account.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "user/merge/reorder_buffer.h"

#define RECORDS 20000
#define MANY	200000
#define ROUNDS	20000 /* of a tracer: twenty seconds */

struct record {
	uint64_t ts, number;
	char text[64]; /* as long as its number says */
};

static struct record expected[RECORDS];
static size_t pushed, released;

static size_t size_of(uint64_t number)
{
	return offsetof(struct record, text) + 1 + number % 64;
}

static void push(struct order *o, uint64_t ts)
{
	struct record r = {.ts = ts, .number = pushed};

	memset(r.text, (int)r.number, size_of(r.number) - offsetof(struct record, text));
	assert_int_equal(reorder_buffer__push(o, ts, &r, size_of(r.number)), 0);
	expected[pushed++] = r;
}

static int by_time_then_number(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void see(const void *rec, size_t size, void *arg)
{
	const struct record *e = &expected[released++];

	assert_true(e->ts <= *(const uint64_t *)arg);
	assert_int_equal(size, size_of(e->number));
	assert_memory_equal(rec, e, size);
}

/* What has been pushed and is not later than that comes out, and nothing else. */
static void release(struct order *o, uint64_t bound)
{
	qsort(expected + released, pushed - released, sizeof(*expected), by_time_then_number);
	reorder_buffer__release(o, bound, see, &bound);
	assert_true(released == pushed || expected[released].ts > bound);
}

static void sources_in_turns(void **state)
{
	struct order *o = reorder_buffer__new();
	uint64_t base = 0, last;

	pushed = released = 0;
	srand(1);
	while (pushed < RECORDS - 1000) {
		for (int source = rand() % 8; source >= 0; source--) {
			last = base + rand() % 100;
			for (int n = rand() % 100; n > 0; n--)
				push(o, last += rand() % 3);
		}
		base += rand() % 50;
		release(o, base); /* some stay */
	}
	release(o, UINT64_MAX);
	assert_int_equal(released, pushed);
	reorder_buffer__free(o);
}

static void in_no_order_at_all(void **state)
{
	struct order *o = reorder_buffer__new();

	pushed = released = 0;
	srand(2);
	while (pushed < 5000)
		push(o, rand() % 1000);
	release(o, 500);
	release(o, UINT64_MAX);
	assert_int_equal(released, pushed);
	reorder_buffer__free(o);
}

static void ignore(const void *rec, size_t size, void *arg)
{
}

static size_t held(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* A round of a tracer: some more, of which some stay for the next. */
static void round_of(struct order *o, int records, uint64_t *now)
{
	struct record r = {};

	for (int i = 0; i < records; i++) {
		r.ts = ++*now;
		assert_int_equal(reorder_buffer__push(o, r.ts, &r, sizeof(r)), 0);
	}
	reorder_buffer__release(o, *now - records / 2, ignore, NULL);
}

static void a_burst_is_forgotten(void **state)
{
	size_t before, most;
	struct order *o;
	uint64_t now = 0;

	if (!held()) {
		print_message("needs malloc's account, which a sanitizer's does not keep\n");
		skip();
	}
	o = reorder_buffer__new();
	for (int i = 0; i < ROUNDS; i++)
		round_of(o, 20, &now);
	before = held();
	round_of(o, MANY, &now);
	most = held();
	for (int i = 0; i < ROUNDS; i++)
		round_of(o, 20, &now);
	assert_true(most > before + MANY * sizeof(struct record)); /* or there is nothing to test */
	assert_true(held() < before + (most - before) / 16);
	reorder_buffer__free(o);
}

struct seen {
	int values[64];
	size_t count;
};

static void note_value(const void *rec, size_t size, void *arg)
{
	struct seen *s = arg;

	assert_int_equal(size, sizeof(int));
	memcpy(&s->values[s->count++], rec, size);
}

static void push_value(struct order *o, uint64_t ts, int value)
{
	assert_int_equal(reorder_buffer__push(o, ts, &value, sizeof(value)), 0);
}

static void order_sorts_and_keeps_what_is_too_young(void **state)
{
	struct order *o = reorder_buffer__new();
	struct seen s = {};

	push_value(o, 30, 3);
	push_value(o, 10, 1);
	push_value(o, 50, 5);
	push_value(o, 20, 2);
	reorder_buffer__release(o, 30, note_value, &s);
	assert_int_equal(s.count, 3);
	push_value(o, 40, 4);
	reorder_buffer__release(o, UINT64_MAX, note_value, &s);
	assert_int_equal(s.count, 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(s.values[i], i + 1);
	reorder_buffer__free(o);
}

static void order_keeps_the_order_of_equal_times(void **state)
{
	struct order *o = reorder_buffer__new();
	struct seen s = {};

	for (int i = 0; i < 40; i++)
		push_value(o, 7, i);
	reorder_buffer__release(o, 7, note_value, &s);
	assert_int_equal(s.count, 40);
	for (int i = 0; i < 40; i++)
		assert_int_equal(s.values[i], i);
	reorder_buffer__free(o);
}

static void order_survives_growth_and_partial_release(void **state)
{
	struct order *o = reorder_buffer__new();
	uint64_t released = 0;
	char rec[1000] = {};

	for (uint64_t i = 0; i < 5000; i++) {
		struct seen s = {};

		assert_int_equal(reorder_buffer__push(o, i, rec, sizeof(int)), 0);
		if (i % 50 == 49) {
			reorder_buffer__release(o, i - 10, note_value, &s);
			released += s.count;
		}
	}
	assert_int_equal(released, 4990);
	reorder_buffer__free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_in_turns),
		cmocka_unit_test(in_no_order_at_all),
		cmocka_unit_test(a_burst_is_forgotten),
		cmocka_unit_test(order_sorts_and_keeps_what_is_too_young),
		cmocka_unit_test(order_keeps_the_order_of_equal_times),
		cmocka_unit_test(order_survives_growth_and_partial_release),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
