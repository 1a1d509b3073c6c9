// SPDX-License-Identifier: MIT
/*
 * Tests the stages between the rings and the sinks: order, clock, correlation, ranges, merge.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "user/clock/clock_map.h"
#include "user/merge/correlate.h"
#include "user/merge/external_ids.h"
#include "user/merge/reorder_buffer.h"
#include "user/merge/roctx_ranges.h"
#include "common/string_pool.h"

/* ---- order ---- */

struct seen {
	int values[64];
	size_t count;
};

static void see(const void *rec, size_t size, void *arg)
{
	struct seen *s = arg;

	assert_int_equal(size, sizeof(int));
	memcpy(&s->values[s->count++], rec, size);
}

static void push(struct order *o, uint64_t ts, int value)
{
	assert_int_equal(reorder_buffer__push(o, ts, &value, sizeof(value)), 0);
}

static void order_sorts_and_keeps_what_is_too_young(void **state)
{
	struct order *o = reorder_buffer__new();
	struct seen s = {};

	push(o, 30, 3);
	push(o, 10, 1);
	push(o, 50, 5);
	push(o, 20, 2);
	reorder_buffer__release(o, 30, see, &s);
	assert_int_equal(s.count, 3);
	push(o, 40, 4);
	reorder_buffer__release(o, UINT64_MAX, see, &s);
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
		push(o, 7, i);
	reorder_buffer__release(o, 7, see, &s);
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
			reorder_buffer__release(o, i - 10, see, &s);
			released += s.count;
		}
	}
	assert_int_equal(released, 4990);
	reorder_buffer__free(o);
}

/* ---- clock ---- */

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

/* ---- correlation ---- */

static int settled_count;

static void settled(struct gpu_op *op, void *arg)
{
	settled_count++;
}

static struct event call(uint64_t corr, uint64_t begin, uint64_t end, uint32_t depth)
{
	return (struct event){
		.corr = corr, .root = depth ? 1 : corr, .begin = begin, .end = end, .depth = depth};
}

static struct gpu_op submitted(uint64_t at)
{
	return (struct gpu_op){.ev.gpu.submit = at};
}

static void gpu_op_gets_the_innermost_call(void **state)
{
	struct event inner = call(2, 20, 40, 1), outer = call(1, 10, 50, 0);
	struct gpu_op op = submitted(30);
	struct thread th = {};

	correlate__submit(&th, &op, settled, NULL);
	assert_false(op.settled);
	assert_true(correlate__span(&th, &inner, settled, NULL));
	assert_false(correlate__span(&th, &outer, settled, NULL));
	assert_int_equal(op.ev.corr, 2);
	assert_int_equal(op.ev.root, 1);
}

static void gpu_op_between_inner_calls_belongs_to_the_outer(void **state)
{
	struct event first = call(2, 12, 20, 1), second = call(3, 40, 45, 1),
		     outer = call(1, 10, 50, 0);
	struct gpu_op op = submitted(30);
	struct thread th = {};

	correlate__span(&th, &first, settled, NULL);
	correlate__submit(&th, &op, settled, NULL);
	correlate__span(&th, &second, settled, NULL);
	assert_false(op.settled);
	correlate__span(&th, &outer, settled, NULL);
	assert_int_equal(op.ev.corr, 1);
}

static void gpu_op_outside_of_all_calls_is_uncorrelated(void **state)
{
	struct event before = call(1, 10, 20, 0), after = call(2, 40, 50, 0);
	struct gpu_op op = submitted(30);
	struct thread th = {};

	correlate__span(&th, &before, settled, NULL);
	correlate__submit(&th, &op, settled, NULL);
	correlate__span(&th, &after, settled, NULL);
	assert_true(op.settled);
	assert_int_equal(op.ev.corr, 0);
	assert_true(op.ev.flags & EV_F_UNCORRELATED);
}

static void gpu_op_heard_of_late_is_found_among_the_recent_calls(void **state)
{
	struct event inner = call(2, 20, 40, 1), outer = call(1, 10, 50, 0),
		     next = call(3, 60, 70, 0);
	struct gpu_op op = submitted(30), at_the_edge = submitted(60);
	struct thread th = {};

	correlate__span(&th, &inner, settled, NULL);
	correlate__span(&th, &outer, settled, NULL);
	correlate__span(&th, &next, settled, NULL);
	correlate__submit(&th, &op, settled, NULL);
	correlate__submit(&th, &at_the_edge, settled, NULL);
	assert_int_equal(op.ev.corr, 2);
	assert_int_equal(at_the_edge.ev.corr, 3);
}

/* The outermost call says of what stream an operation is; what the runtime calls in it does not. */
static void gpu_op_has_the_stream_of_its_outermost_call(void **state)
{
	struct event inner = call(2, 20, 40, 1), outer = call(1, 10, 50, 0);
	struct gpu_op before = submitted(30), after = submitted(31), late = submitted(32);
	struct thread th = {};

	outer.stream = 7;
	correlate__submit(&th, &before, settled, NULL);
	correlate__span(&th, &inner, settled, NULL);
	correlate__submit(&th, &after, settled, NULL);
	assert_false(before.settled);
	assert_false(after.settled);
	correlate__span(&th, &outer, settled, NULL);
	correlate__submit(&th, &late, settled, NULL);
	assert_true(late.settled);
	assert_int_equal(before.ev.gpu.stream, 7);
	assert_int_equal(after.ev.gpu.stream, 7);
	assert_int_equal(late.ev.gpu.stream, 7);
}

/* What is reported late has the ID that was on top then. */
static void an_external_id_holds_from_its_push_on(void **state)
{
	struct external_stack s = {};
	uint64_t id = 0;

	assert_int_equal(external_ids__push(&s, 100, 10), 0);
	assert_int_equal(external_ids__push(&s, 200, 20), 0);
	assert_false(external_ids__at(&s, 9, &id));
	assert_true(external_ids__at(&s, 10, &id));
	assert_int_equal(id, 100);
	assert_true(external_ids__at(&s, 19, &id));
	assert_int_equal(id, 100);
	assert_true(external_ids__at(&s, 20, &id));
	assert_int_equal(id, 200);
	external_ids__pop(&s);
	assert_true(external_ids__at(&s, 30, &id));
	assert_int_equal(id, 100);
	external_ids__pop(&s);
	assert_false(external_ids__at(&s, 30, &id));
	external_ids__clear(&s);
}

/* Calls of one second, however many: a packet may wait for an earlier one before it is reported. */
static void gpu_op_heard_of_very_late_is_found_among_the_calls_of_a_second(void **state)
{
	enum { CALLS = 20000, EVERY_NS = 40000 };
	struct thread th = {};
	int64_t i, late;

	for (i = 1; i <= CALLS; i++) {
		struct event outer = call(i, i * EVERY_NS, i * EVERY_NS + 1000, 0);

		correlate__span(&th, &outer, settled, NULL);
		for (late = i; i % 997 == 0 && late > 0; late -= 611) {
			struct gpu_op op = submitted(late * EVERY_NS + 500);
			struct gpu_op outside = submitted(late * EVERY_NS + 2000);

			correlate__submit(&th, &op, settled, NULL);
			assert_int_equal(op.ev.corr, late);
			correlate__submit(&th, &outside, settled, NULL);
			assert_int_equal(outside.ev.corr, 0);
			correlate__give_up(&th, settled, NULL);
		}
	}
	free(th.more_recent);
}

/* Inner calls settle nothing; the outer one does, all in the order of their submissions. */
static void gpu_ops_of_many_inner_calls_are_settled_in_order(void **state)
{
	enum { CALLS = 200000 };
	struct gpu_op *ops = calloc(2 * CALLS, sizeof(*ops));
	struct event outer = call(1, 5, 10 * CALLS + 20, 0);
	struct thread th = {};

	settled_count = 0;
	for (uint64_t i = 0; i < CALLS; i++) {
		struct event inner = call(i + 2, 10 * i + 10, 10 * i + 14, 1);

		ops[2 * i] = submitted(10 * i + 12);
		ops[2 * i + 1] = submitted(10 * i + 16); /* by the outer call itself */
		correlate__submit(&th, &ops[2 * i], settled, NULL);
		assert_true(correlate__span(&th, &inner, settled, NULL));
		correlate__submit(&th, &ops[2 * i + 1], settled, NULL);
	}
	assert_int_equal(settled_count, 0);
	correlate__span(&th, &outer, settled, NULL);
	assert_int_equal(settled_count, 2 * CALLS);
	for (uint64_t i = 0; i < CALLS; i++) {
		assert_int_equal(ops[2 * i].ev.corr, i + 2);
		assert_int_equal(ops[2 * i + 1].ev.corr, 1);
	}
	assert_null(th.unsettled);
	assert_null(th.found);
	free(th.more_recent);
	free(ops);
}

static struct gpu_op said(uint64_t at, uint64_t corr, uint64_t root)
{
	return (struct gpu_op){.ev.gpu.submit = at, .said_corr = corr, .said_root = root};
}

/* The times alone would say something else. */
static void gpu_op_belongs_to_the_call_that_its_agent_says(void **state)
{
	struct event inner = call(2, 20, 40, 1), other = call(3, 41, 43, 1),
		     outer = call(1, 10, 50, 0);
	struct gpu_op a = said(9, 2, 1), b = said(42, 1, 1), late = said(51, 2, 1);
	struct thread th = {};

	correlate__submit(&th, &b, settled, NULL);
	correlate__submit(&th, &a, settled, NULL);
	assert_true(correlate__span(&th, &inner, settled, NULL));
	assert_false(correlate__span(&th, &other, settled, NULL));
	assert_false(a.settled);
	assert_true(correlate__span(&th, &outer, settled, NULL));
	assert_true(a.settled && b.settled);
	assert_int_equal(a.ev.corr, 2);
	assert_int_equal(a.ev.root, 1);
	assert_int_equal(b.ev.corr, 1);
	late.ev.gpu.submit = 30; /* its call has ended */
	correlate__submit(&th, &late, settled, NULL);
	assert_true(late.settled);
	assert_int_equal(late.ev.corr, 2);
	assert_null(th.found);
}

/* A call that the kernel has seen may be in between. */
static void gpu_op_in_a_call_of_the_kernel_goes_by_time(void **state)
{
	struct event inner = call(2, 20, 40, 1), outer = call(1, 10, 50, 0);
	struct gpu_op op = said(30, 1, 1);
	struct nesting nesting = {.count = 1};
	struct thread th = {.nesting = &nesting};

	correlate__submit(&th, &op, settled, NULL);
	assert_true(correlate__span(&th, &inner, settled, NULL));
	assert_false(correlate__span(&th, &outer, settled, NULL));
	assert_int_equal(op.ev.corr, 2);
}

static void gpu_op_of_a_call_that_is_left_out_is_uncorrelated(void **state)
{
	struct gpu_op a = said(30, 2, 1), b = said(35, 4, 3);
	struct thread th = {};

	correlate__submit(&th, &a, settled, NULL);
	correlate__submit(&th, &b, settled, NULL);
	correlate__left_out(&th, 1, settled, NULL);
	assert_true(a.settled && a.ev.flags & EV_F_UNCORRELATED);
	assert_false(b.settled);
	correlate__left_out(&th, 4, settled, NULL);
	assert_true(b.settled && !b.ev.root);
}

static void gpu_ops_are_given_up_at_the_end(void **state)
{
	struct gpu_op a = submitted(30), b = submitted(40);
	struct thread th = {};

	settled_count = 0;
	correlate__submit(&th, &a, settled, NULL);
	correlate__submit(&th, &b, settled, NULL);
	correlate__give_up(&th, settled, NULL);
	assert_int_equal(settled_count, 2);
	assert_true(a.ev.flags & b.ev.flags & EV_F_UNCORRELATED);
	assert_null(th.unsettled);
}

static void gpu_ops_are_given_up_one_by_one(void **state)
{
	struct gpu_op a = submitted(30), b = submitted(40), alone = submitted(50);
	struct event after = call(1, 35, 60, 0);
	struct thread th = {};

	correlate__submit(&th, &a, settled, NULL);
	correlate__submit(&th, &b, settled, NULL);
	correlate__give_up_one(&th, &a, settled, NULL);
	assert_true(a.settled && a.ev.flags & EV_F_UNCORRELATED);
	assert_false(b.settled);
	correlate__submit_alone(&alone, settled, NULL);
	assert_true(alone.settled && alone.ev.flags & EV_F_UNCORRELATED);
	assert_true(correlate__span(&th, &after, settled, NULL));
	assert_int_equal(b.ev.corr, 1);
	assert_null(th.unsettled);
}

/* ---- ranges ---- */

struct told {
	struct event events[8];
	char names[8][16]; /* which live no longer than the call */
	size_t count;
};

static void tell(const struct event *ev, void *arg)
{
	struct told *t = arg;

	t->events[t->count] = *ev;
	t->events[t->count].name = strcpy(t->names[t->count], ev->name);
	t->count++;
}

static struct event roctx(const char *name, uint64_t corr, uint64_t begin, uint64_t ret,
			  uint64_t arg0)
{
	return (struct event){.kind = EV_SPAN,
			      .domain = DOMAIN_ROCTX,
			      .name = name,
			      .corr = corr,
			      .begin = begin,
			      .end = begin + 1,
			      .ret = ret,
			      .args[0] = arg0,
			      .tid = 7};
}

static void ranges_nest(void **state)
{
	struct event a = roctx("roctxRangePushA", 11, 100, 0, 0),
		     b = roctx("roctxRangePushA", 12, 200, 1, 0);
	struct event pop1 = roctx("roctxRangePop", 13, 300, 1, 0),
		     pop2 = roctx("roctxRangePop", 14, 400, 0, 0);
	struct thread th = {.pid = 5, .tid = 7};
	struct process p = {.pid = 5};
	struct told t = {};

	roctx_ranges__call(&p, &th, &a, ROLE_RANGE_PUSH, false, "outer", tell, &t);
	roctx_ranges__call(&p, &th, &b, ROLE_RANGE_PUSH, false, "inner", tell, &t);
	assert_int_equal(roctx_ranges__at(&th, 250), 12);
	assert_int_equal(roctx_ranges__at(&th, 150), 11);
	assert_int_equal(roctx_ranges__at(&th, 50), 0);
	roctx_ranges__call(&p, &th, &pop1, ROLE_RANGE_POP, false, NULL, tell, &t);
	roctx_ranges__call(&p, &th, &pop2, ROLE_RANGE_POP, false, NULL, tell, &t);
	assert_int_equal(t.count, 2);
	assert_string_equal(t.events[0].name, "inner");
	assert_int_equal(t.events[0].parent, 11);
	assert_int_equal(t.events[0].begin, 200);
	assert_int_equal(t.events[0].end, 301);
	assert_string_equal(t.events[1].name, "outer");
	assert_int_equal(t.events[1].parent, 0);
	free(th.ranges.open);
}

static void a_pop_without_a_push_is_no_range(void **state)
{
	struct event pop = roctx("roctxRangePop", 13, 300, -1, 0);
	struct thread th = {};
	struct process p = {};
	struct told t = {};

	roctx_ranges__call(&p, &th, &pop, ROLE_RANGE_POP, false, NULL, tell, &t);
	assert_int_equal(t.count, 0);
}

static void started_ranges_stop_by_handle_in_any_order(void **state)
{
	struct event a = roctx("roctxRangeStartA", 11, 100, 1, 0),
		     b = roctx("roctxRangeStartA", 12, 200, 2, 0);
	struct event stop1 = roctx("roctxRangeStop", 13, 300, 0, 1),
		     stop9 = roctx("roctxRangeStop", 14, 400, 0, 9);
	struct thread th = {.pid = 5, .tid = 7};
	struct process p = {.pid = 5};
	struct told t = {};

	roctx_ranges__call(&p, &th, &a, ROLE_RANGE_START, false, "a", tell, &t);
	roctx_ranges__call(&p, &th, &b, ROLE_RANGE_START, false, "b", tell, &t);
	roctx_ranges__call(&p, &th, &stop1, ROLE_RANGE_STOP, false, NULL, tell, &t);
	roctx_ranges__call(&p, &th, &stop9, ROLE_RANGE_STOP, false, NULL, tell, &t);
	assert_int_equal(t.count, 1);
	assert_string_equal(t.events[0].name, "a");
	assert_true(t.events[0].flags & EV_F_PROCESS);
	roctx_ranges__cut_process(&p, 1000, tell, &t);
	assert_int_equal(t.count, 2);
	assert_string_equal(t.events[1].name, "b");
	assert_int_equal(t.events[1].end, 1000);
	assert_true(t.events[1].flags & EV_F_UNFINISHED);
	free(p.started.open);
}

static void marks_are_instants(void **state)
{
	struct event m = roctx("roctxMarkA", 11, 100, 0, 0);
	struct thread th = {};
	struct process p = {};
	struct told t = {};

	roctx_ranges__call(&p, &th, &m, ROLE_MARK, false, "here", tell, &t);
	assert_int_equal(t.count, 1);
	assert_int_equal(t.events[0].kind, EV_MARK);
	assert_int_equal(t.events[0].begin, t.events[0].end);
	assert_string_equal(t.events[0].name, "here");
}

/* ---- names ---- */

static void names_are_kept_once_and_demangled(void **state)
{
	struct strings *s = string_pool__new();
	const char *a = string_pool__keep(s, "hello", 5),
		   *b = string_pool__keep(s, "hello world", 5);

	assert_ptr_equal(a, b);
	assert_string_equal(string_pool__keep_demangled(s, "_Z4vaddPKfS0_Pfi", 16),
			    "vadd(float const*, float const*, float*, int)");
	assert_string_equal(string_pool__keep_demangled(s, "plain", 5), "plain");
	assert_string_equal(string_pool__keep_demangled(s, "_Z", 2), "_Z");
	string_pool__free(s);
}

/* g(A<int, int>, A<that, that>, A<that, that>, ...): what is written doubles with every argument.
 */
static void a_name_that_stands_for_gigabytes_stays_mangled(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct strings *s = string_pool__new();
	char bomb[512] = "_Z1g1AIiiE", level[16];

	for (int i = 0; i < 34; i++) {
		snprintf(level, sizeof(level), "S_IS%c_S%c_E", digits[i], digits[i]);
		strcat(bomb, level);
	}
	assert_string_equal(string_pool__keep_demangled(s, bomb, strlen(bomb)), bomb);
	bomb[strlen("_Z1g1AIiiES_IS0_S0_E")] = '\0';
	assert_string_equal(string_pool__keep_demangled(s, bomb, strlen(bomb)),
			    "g(A<int, int>, A<A<int, int>, A<int, int> >)");
	string_pool__free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_stands_for_gigabytes_stays_mangled),
		cmocka_unit_test(order_sorts_and_keeps_what_is_too_young),
		cmocka_unit_test(order_keeps_the_order_of_equal_times),
		cmocka_unit_test(order_survives_growth_and_partial_release),
		cmocka_unit_test(clock_without_pairs_changes_nothing),
		cmocka_unit_test(clock_that_is_boottime_is_taken_as_it_is),
		cmocka_unit_test(clock_with_an_offset_is_shifted),
		cmocka_unit_test(clock_with_drift_is_piecewise_linear),
		cmocka_unit_test(clock_ignores_pairs_that_go_backwards),
		cmocka_unit_test(clock_leaves_out_pairs_that_were_read_badly),
		cmocka_unit_test(clock_goes_on_on_either_side_of_a_sleep),
		cmocka_unit_test(clock_keeps_no_more_pairs_than_it_needs),
		cmocka_unit_test(gpu_op_gets_the_innermost_call),
		cmocka_unit_test(gpu_op_between_inner_calls_belongs_to_the_outer),
		cmocka_unit_test(gpu_op_outside_of_all_calls_is_uncorrelated),
		cmocka_unit_test(gpu_op_heard_of_late_is_found_among_the_recent_calls),
		cmocka_unit_test(gpu_op_has_the_stream_of_its_outermost_call),
		cmocka_unit_test(an_external_id_holds_from_its_push_on),
		cmocka_unit_test(gpu_op_heard_of_very_late_is_found_among_the_calls_of_a_second),
		cmocka_unit_test(clock_does_not_wrap_around),
		cmocka_unit_test(clock_knows_times_that_cannot_be),
		cmocka_unit_test(gpu_ops_of_many_inner_calls_are_settled_in_order),
		cmocka_unit_test(gpu_op_belongs_to_the_call_that_its_agent_says),
		cmocka_unit_test(gpu_op_in_a_call_of_the_kernel_goes_by_time),
		cmocka_unit_test(gpu_op_of_a_call_that_is_left_out_is_uncorrelated),
		cmocka_unit_test(gpu_ops_are_given_up_at_the_end),
		cmocka_unit_test(gpu_ops_are_given_up_one_by_one),
		cmocka_unit_test(ranges_nest),
		cmocka_unit_test(a_pop_without_a_push_is_no_range),
		cmocka_unit_test(started_ranges_stop_by_handle_in_any_order),
		cmocka_unit_test(marks_are_instants),
		cmocka_unit_test(names_are_kept_once_and_demangled),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
