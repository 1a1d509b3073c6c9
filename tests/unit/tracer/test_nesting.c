// SPDX-License-Identifier: MIT
/*
 * Tests which call is around which where the kernel captures some of a thread and an agent others
 * (user/merge/call_nesting.c): against programs of random calls with known nesting.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>

#include "user/merge/call_nesting.h"

struct call {
	uint64_t corr, begin;
	bool by_agent;
};

/* The thread as it is. */
static struct {
	struct call open[RT_DEPTH];
	uint32_t depth;
	uint64_t now, made;
} thread;

static struct nesting nesting;

/* The innermost open call of one kind from there down; NULL: none. */
static const struct call *innermost(uint32_t depth, bool by_agent)
{
	while (depth--)
		if (thread.open[depth].by_agent == by_agent)
			return &thread.open[depth];
	return NULL;
}

static const struct call *outermost(bool by_agent)
{
	for (uint32_t i = 0; i < thread.depth; i++)
		if (thread.open[i].by_agent == by_agent)
			return &thread.open[i];
	return NULL;
}

static uint64_t count(bool by_agent)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < thread.depth; i++)
		n += thread.open[i].by_agent == by_agent;
	return n;
}

static void enter(bool by_agent)
{
	const struct call *inner = innermost(thread.depth, true), *outer = outermost(true);
	struct rt_rec_open rec = {.h = {.kind = RT_REC_OPEN, .ts = ++thread.now}};

	rec.corr = rec.root = ++thread.made;
	rec.depth = count(false);
	if (rec.depth) {
		rec.parent = innermost(thread.depth, false)->corr;
		rec.root = outermost(false)->corr;
	}
	rec.around.depth = count(true);
	if (inner) {
		rec.around.corr = inner->corr;
		rec.around.begin = inner->begin;
		rec.around.root = outer->corr;
	}
	thread.open[thread.depth++] = (struct call){rec.corr, thread.now, by_agent};
	for (int times = 1 + random() % 2; !by_agent && times; times--) /* may be reported twice */
		call_nesting__opened(&nesting, &rec);
}

/* A record says what its own side knows. */
static void leave(void)
{
	const struct call *c = &thread.open[--thread.depth];
	const struct call *inner = innermost(thread.depth, c->by_agent);
	const struct call *outer = outermost(c->by_agent);
	struct nesting_place place;
	struct rt_rec_span rec = {
		.h = {.kind = RT_REC_SPAN,
		      .flags = c->by_agent ? RT_REC_BY_AGENT : 0,
		      .ts = ++thread.now},
		.begin = c->begin,
		.corr = c->corr,
		.parent = inner ? inner->corr : 0,
		.root = outer ? outer->corr : c->corr,
		.depth = count(c->by_agent),
	};

	place = call_nesting__ended(&nesting, &rec);
	assert_int_equal(place.depth, thread.depth);
	assert_int_equal(place.parent, thread.depth ? thread.open[thread.depth - 1].corr : 0);
	assert_int_equal(place.root, thread.open[0].corr); /* c itself, if it was the outermost */
}

static void calls_of_both_kinds_in_any_order(void **state)
{
	srandom(1);
	for (int i = 0; i < 1000000; i++) {
		long dice = random() % 100;

		if (thread.depth && (dice < 50 || thread.depth == RT_DEPTH))
			leave();
		else
			enter(dice % 2);
	}
	while (thread.depth)
		leave();
	assert_int_equal(nesting.count, 0);
}

static void without_calls_of_the_other_kind_it_is_as_it_says(void **state)
{
	const struct rt_rec_span rec = {.corr = 5, .parent = 4, .root = 3, .depth = 2};
	struct nesting_place place = call_nesting__ended(NULL, &rec);

	assert_int_equal(place.parent, 4);
	assert_int_equal(place.root, 3);
	assert_int_equal(place.depth, 2);
	place = call_nesting__ended(&nesting, &rec); /* that it had begun was lost */
	assert_int_equal(place.parent, 4);
}

/* However many ends are lost. */
static void lost_ends(void **state)
{
	struct rt_rec_open open = {};
	struct rt_rec_span rec = {};

	for (uint64_t i = 1; i < 1000; i++) {
		open.corr = i;
		open.depth = i % (RT_DEPTH + 2);
		call_nesting__opened(&nesting, &open);
		assert_in_range(nesting.count, 0, RT_DEPTH);
	}
	rec.corr = 999;
	call_nesting__ended(&nesting, &rec);
	nesting = (struct nesting){};
	open.depth = 0;
	open.corr = 1;
	call_nesting__opened(&nesting, &open);
	open.corr = 2;
	open.depth = 1;
	call_nesting__opened(&nesting, &open);
	rec.corr = 1;
	call_nesting__ended(&nesting, &rec); /* the inner one's end was lost */
	assert_int_equal(nesting.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_both_kinds_in_any_order),
		cmocka_unit_test(without_calls_of_the_other_kind_it_is_as_it_says),
		cmocka_unit_test(lost_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
