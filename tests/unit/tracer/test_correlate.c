// SPDX-License-Identifier: MIT
/*
 * Tests which calls operations of the GPU belong to, and which external IDs hold for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "user/merge/correlate.h"
#include "user/merge/external_ids.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpu_op_gets_the_innermost_call),
		cmocka_unit_test(gpu_op_between_inner_calls_belongs_to_the_outer),
		cmocka_unit_test(gpu_op_outside_of_all_calls_is_uncorrelated),
		cmocka_unit_test(gpu_op_heard_of_late_is_found_among_the_recent_calls),
		cmocka_unit_test(gpu_op_has_the_stream_of_its_outermost_call),
		cmocka_unit_test(an_external_id_holds_from_its_push_on),
		cmocka_unit_test(gpu_op_heard_of_very_late_is_found_among_the_calls_of_a_second),
		cmocka_unit_test(gpu_ops_of_many_inner_calls_are_settled_in_order),
		cmocka_unit_test(gpu_op_belongs_to_the_call_that_its_agent_says),
		cmocka_unit_test(gpu_op_in_a_call_of_the_kernel_goes_by_time),
		cmocka_unit_test(gpu_op_of_a_call_that_is_left_out_is_uncorrelated),
		cmocka_unit_test(gpu_ops_are_given_up_at_the_end),
		cmocka_unit_test(gpu_ops_are_given_up_one_by_one),
	};

	return cmocka_run_group_tests_name("correlate", tests, NULL, NULL);
}
