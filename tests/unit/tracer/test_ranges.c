// SPDX-License-Identifier: MIT
/*
 * Tests what roctx calls become: ranges of threads and of processes, and marks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "user/merge/roctx_ranges.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_nest),
		cmocka_unit_test(a_pop_without_a_push_is_no_range),
		cmocka_unit_test(started_ranges_stop_by_handle_in_any_order),
		cmocka_unit_test(marks_are_instants),
	};

	return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
