// SPDX-License-Identifier: MIT
/*
 * Tests what roctx calls become: ranges of threads and of processes, and marks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "user/merge/roctx_ranges.h"

static bool no_memory;

/* The linker has them called in the place of the library's: see module.mk. */
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return no_memory ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return no_memory ? NULL : __real_realloc(memory, size);
}

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

/* Of two libraries. */
static const struct function push_of[] = {{.role = ROLE_RANGE_PUSH, .library = 1},
					  {.role = ROLE_RANGE_PUSH, .library = 2}},
			     pop_of[] = {{.role = ROLE_RANGE_POP, .library = 1},
					 {.role = ROLE_RANGE_POP, .library = 2}},
			     start_of[] = {{.role = ROLE_RANGE_START, .library = 1},
					   {.role = ROLE_RANGE_START, .library = 2}},
			     stop_of[] = {{.role = ROLE_RANGE_STOP, .library = 1},
					  {.role = ROLE_RANGE_STOP, .library = 2}},
			     mark_of[] = {{.role = ROLE_MARK}};

static void call(struct process *p, struct thread *th, const struct event *ev,
		 const struct function *fn, const char *message, struct told *t)
{
	assert_int_equal(roctx_ranges__call(p, th, ev, fn, false, message, tell, t), 0);
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

	call(&p, &th, &a, &push_of[0], "outer", &t);
	call(&p, &th, &b, &push_of[0], "inner", &t);
	assert_int_equal(roctx_ranges__at(&th, 250), 12);
	assert_int_equal(roctx_ranges__at(&th, 150), 11);
	assert_int_equal(roctx_ranges__at(&th, 50), 0);
	call(&p, &th, &pop1, &pop_of[0], NULL, &t);
	call(&p, &th, &pop2, &pop_of[0], NULL, &t);
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

	call(&p, &th, &pop, &pop_of[0], NULL, &t);
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

	call(&p, &th, &a, &start_of[0], "a", &t);
	call(&p, &th, &b, &start_of[0], "b", &t);
	call(&p, &th, &stop1, &stop_of[0], NULL, &t);
	call(&p, &th, &stop9, &stop_of[0], NULL, &t);
	assert_int_equal(t.count, 1);
	assert_string_equal(t.events[0].name, "a");
	assert_true(t.events[0].flags & EV_F_PROCESS);
	roctx_ranges__cut_process(&p, 1000, tell, &t);
	assert_int_equal(t.count, 2);
	assert_string_equal(t.events[1].name, "b");
	assert_int_equal(t.events[1].end, 1000);
	assert_true(t.events[1].flags & EV_F_UNFINISHED);
	assert_null(p.started);
}

static void a_library_stops_and_pops_its_own_ranges(void **state)
{
	struct event first = roctx("roctxRangeStartA", 11, 100, 1, 0),
		     second = roctx("roctxRangeStartA", 12, 200, 1, 0),
		     stop = roctx("roctxRangeStop", 13, 300, 0, 1),
		     outer = roctx("roctxRangePushA", 14, 400, 0, 0),
		     inner = roctx("roctxRangePushA", 15, 500, 0, 0),
		     pop = roctx("roctxRangePop", 16, 600, 0, 0);
	struct thread th = {.pid = 5, .tid = 7};
	struct process p = {.pid = 5};
	struct told t = {};

	call(&p, &th, &first, &start_of[0], "a", &t);
	call(&p, &th, &second, &start_of[1], "b", &t);
	call(&p, &th, &stop, &stop_of[0], NULL, &t);
	call(&p, &th, &stop, &stop_of[0], NULL, &t);
	assert_int_equal(t.count, 1);
	assert_string_equal(t.events[0].name, "a");
	call(&p, &th, &stop, &stop_of[1], NULL, &t);
	assert_string_equal(t.events[1].name, "b");

	call(&p, &th, &outer, &push_of[1], "outer", &t);
	call(&p, &th, &inner, &push_of[0], "inner", &t);
	call(&p, &th, &pop, &pop_of[1], NULL, &t);
	assert_string_equal(t.events[2].name, "outer");
	assert_int_equal(roctx_ranges__at(&th, 600), 15);
	call(&p, &th, &pop, &pop_of[1], NULL, &t);
	call(&p, &th, &pop, &pop_of[0], NULL, &t);
	assert_string_equal(t.events[3].name, "inner");
	assert_int_equal(t.events[3].parent, 14);
	assert_int_equal(t.count, 4);
	range_stack__free(&th.ranges);
}

/* A handle that is given twice means the last range that has it, and then the one before. */
static void a_handle_given_twice(void **state)
{
	struct event first = roctx("roctxRangeStartA", 11, 100, 1, 0),
		     second = roctx("roctxRangeStartA", 12, 200, 1, 0),
		     third = roctx("roctxRangeStartA", 13, 300, 2, 0),
		     stop = roctx("roctxRangeStop", 14, 400, 0, 1);
	struct thread th = {.pid = 5, .tid = 7};
	struct process p = {.pid = 5};
	struct told t = {};

	call(&p, &th, &first, &start_of[0], "first", &t);
	call(&p, &th, &second, &start_of[0], "second", &t);
	call(&p, &th, &third, &start_of[0], "third", &t);
	call(&p, &th, &stop, &stop_of[0], NULL, &t);
	assert_string_equal(t.events[0].name, "second");
	call(&p, &th, &stop, &stop_of[0], NULL, &t);
	assert_string_equal(t.events[1].name, "first");
	call(&p, &th, &first, &start_of[0], "first", &t);
	call(&p, &th, &second, &start_of[0], "second", &t);
	started_ranges__free(&p.started);
	assert_null(p.started);
}

static void marks_are_instants(void **state)
{
	struct event m = roctx("roctxMarkA", 11, 100, 0, 0);
	struct thread th = {};
	struct process p = {};
	struct told t = {};

	call(&p, &th, &m, &mark_of[0], "here", &t);
	assert_int_equal(t.count, 1);
	assert_int_equal(t.events[0].kind, EV_MARK);
	assert_int_equal(t.events[0].begin, t.events[0].end);
	assert_string_equal(t.events[0].name, "here");
}

static void one_for_which_there_is_no_memory(void **state)
{
	struct process p = {.pid = 1};
	struct thread th = {.pid = 1, .tid = 7};
	struct told t = {.count = 0};
	struct event push = roctx("roctxRangePushA", 1, 10, 0, 0),
		     start = roctx("roctxRangeStartA", 2, 20, 5, 0),
		     stop = roctx("roctxRangeStop", 3, 30, 0, 5);

	no_memory = true;
	assert_int_equal(roctx_ranges__call(&p, &th, &push, push_of, false, "a", tell, &t),
			 -ENOMEM);
	assert_int_equal(roctx_ranges__call(&p, &th, &start, start_of, false, "b", tell, &t),
			 -ENOMEM);
	no_memory = false;
	call(&p, &th, &stop, stop_of, NULL, &t);
	assert_int_equal(t.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_nest),
		cmocka_unit_test(a_pop_without_a_push_is_no_range),
		cmocka_unit_test(started_ranges_stop_by_handle_in_any_order),
		cmocka_unit_test(a_library_stops_and_pops_its_own_ranges),
		cmocka_unit_test(a_handle_given_twice),
		cmocka_unit_test(marks_are_instants),
		cmocka_unit_test(one_for_which_there_is_no_memory),
	};

	return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}
