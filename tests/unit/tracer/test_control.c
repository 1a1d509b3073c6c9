// SPDX-License-Identifier: MIT
/*
 * Tests the memory of when tracing was off, and the external IDs of threads.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "user/merge/trace_control.h"
#include "user/merge/external_ids.h"
#include "user/merge/processes.h"

/* ---- when it was off ---- */

static void it_is_on_at_first(void **state)
{
	const struct off_times o = {};

	assert_false(off_times__at(&o, 0));
	assert_false(off_times__at(&o, UINT64_MAX));
}

static void off_and_on(void **state)
{
	struct off_times o = {};

	off_times__set(&o, RT_OFF_STOPPED, true, 100);
	assert_false(off_times__at(&o, 99));
	assert_true(off_times__at(&o, 100));
	assert_true(off_times__at(&o, UINT64_MAX));
	off_times__set(&o, RT_OFF_STOPPED, false, 200);
	assert_true(off_times__at(&o, 200));
	assert_false(off_times__at(&o, 201));
	off_times__set(&o, RT_OFF_STOPPED, false, 300); /* says nothing new */
	assert_false(off_times__at(&o, 250));
	off_times__set(&o, RT_OFF_STOPPED, true, 400);
	assert_true(off_times__at(&o, 150));
	assert_false(off_times__at(&o, 399));
	assert_true(off_times__at(&o, 400));
}

static void two_reasons(void **state)
{
	struct off_times o = {};

	off_times__set(&o, RT_OFF_STOPPED, true, 100);
	off_times__set(&o, RT_OFF_PAUSED, true, 200);
	off_times__set(&o, RT_OFF_STOPPED, false, 300);
	assert_true(off_times__at(&o, 350));
	off_times__set(&o, RT_OFF_PAUSED, false, 400);
	assert_true(off_times__at(&o, 350));
	assert_false(off_times__at(&o, 401));
}

static void the_latest_times_are_kept(void **state)
{
	struct off_times o = {};
	const uint64_t n = 3 * OFF_TIMES + 5;

	for (uint64_t i = 1; i <= n; i++) {
		off_times__set(&o, RT_OFF_PAUSED, true, i * 100);
		off_times__set(&o, RT_OFF_PAUSED, false, i * 100 + 50);
	}
	for (uint64_t i = n - OFF_TIMES + 1; i <= n; i++) {
		assert_true(off_times__at(&o, i * 100 + 25));
		assert_false(off_times__at(&o, i * 100 + 75));
	}
	assert_false(off_times__at(&o, 125)); /* forgotten */
}

/* ---- what control functions do ---- */

static void tell(struct tasks *tasks, uint32_t pid, enum rt_control what, uint64_t thread,
		 uint64_t begin)
{
	const struct rt_rec_span rec = {
		.h = {.pid = pid, .tid = pid, .ts = begin + 10},
		.begin = begin,
		.args[0] = thread,
	};

	trace_control__call(tasks, processes__process(tasks, pid), what, &rec);
}

/* It is off from the entry of what switches off to the return of what switches on. */
static void calls_switch_processes(void **state)
{
	struct tasks *tasks = processes__new();
	const struct off_times *mine = &processes__process(tasks, 1)->off;
	const struct off_times *other = &processes__process(tasks, 2)->off;

	tell(tasks, 1, RT_CONTROL_STOP, 0, 100);
	tell(tasks, 1, RT_CONTROL_START, 0, 200);
	assert_true(off_times__at(mine, 100));
	assert_true(off_times__at(mine, 205));
	assert_false(off_times__at(mine, 211));
	assert_false(off_times__at(other, 150));
	tell(tasks, 1, RT_CONTROL_PAUSE, 0, 300);
	assert_true(off_times__at(mine, 300));
	tell(tasks, 1, RT_CONTROL_START, 0, 400);
	assert_true(off_times__at(mine, 500));
	tell(tasks, 1, RT_CONTROL_RESUME, 0, 500);
	assert_false(off_times__at(mine, 511));
	processes__free(tasks);
}

static void calls_switch_threads_by_their_own_ids(void **state)
{
	struct tasks *tasks = processes__new();
	struct thread *th = processes__thread(tasks, 1, 1007);

	processes__set_ns_tid(tasks, th, 7);
	tell(tasks, 1, RT_CONTROL_PAUSE, 7, 100);
	assert_true(off_times__at(&th->off, 150));
	assert_false(off_times__at(&processes__process(tasks, 1)->off, 150));
	tell(tasks, 1, RT_CONTROL_RESUME, 7, 200);
	assert_false(off_times__at(&th->off, 250));
	tell(tasks, 1, RT_CONTROL_PAUSE, 7, 300);
	tell(tasks, 1, RT_CONTROL_RESUME, 0, 400); /* all of them */
	assert_true(off_times__at(&th->off, 350));
	assert_false(off_times__at(&th->off, 450));
	processes__free(tasks);
}

static void children_begin_as_their_parents_programs_as_programs(void **state)
{
	struct tasks *tasks = processes__new();
	struct process *child;
	uint64_t id;

	processes__set_initially_off(tasks, RT_OFF_PAUSED);
	assert_true(off_times__at(&processes__process(tasks, 1)->off, 0));
	tell(tasks, 1, RT_CONTROL_RESUME, 0, 100);
	assert_int_equal(external_ids__push(&processes__thread(tasks, 1, 1)->external, 77, 150), 0);
	processes__fork(tasks, 1, 1, 2);
	child = processes__process(tasks, 2);
	assert_true(off_times__at(&child->off, 50));
	assert_false(off_times__at(&child->off, 200));
	assert_true(external_ids__at(&processes__thread(tasks, 2, 2)->external, 200, &id));
	assert_int_equal(id, 77);
	tell(tasks, 2, RT_CONTROL_STOP, 0, 300);
	assert_false(off_times__at(&processes__process(tasks, 1)->off, 350));
	processes__exec(tasks, 2, 2, 400);
	assert_true(off_times__at(&child->off, 450));
	assert_int_equal(child->off.why, RT_OFF_PAUSED);
	assert_false(external_ids__at(&processes__thread(tasks, 2, 2)->external, 450, &id));
	processes__fork(tasks, 98, 98, 99); /* nothing is known of either */
	processes__exec(tasks, 97, 97, 500);
	processes__free(tasks);
}

/* ---- external IDs ---- */

static void the_id_on_top_at_a_time(void **state)
{
	struct external_stack s = {};
	uint64_t id = 5;

	assert_false(external_ids__at(&s, 100, &id));
	external_ids__pop(&s); /* of nothing */
	assert_int_equal(external_ids__push(&s, 11, 100), 0);
	assert_int_equal(external_ids__push(&s, 0, 200), 0);
	assert_int_equal(external_ids__push(&s, UINT64_MAX, 300), 0);
	assert_false(external_ids__at(&s, 99, &id));
	assert_int_equal(id, 5);
	assert_true(external_ids__at(&s, 199, &id));
	assert_int_equal(id, 11);
	assert_true(external_ids__at(&s, 200, &id));
	assert_int_equal(id, 0);
	assert_true(external_ids__at(&s, 400, &id));
	assert_true(id == UINT64_MAX);
	external_ids__pop(&s);
	assert_true(external_ids__at(&s, 400, &id));
	assert_int_equal(id, 0);
	external_ids__clear(&s);
	assert_false(external_ids__at(&s, 400, &id));
}

static void a_program_that_never_pops(void **state)
{
	struct external_stack s = {};
	uint64_t id, kept = 0;

	for (uint64_t i = 1; i <= 100000; i++)
		kept += !external_ids__push(&s, i, i);
	assert_in_range(kept, 1000, 10000);
	assert_int_equal(external_ids__push(&s, 1, 1), -E2BIG);
	/* The top is not known until as many were popped as could not be kept. */
	assert_false(external_ids__at(&s, UINT64_MAX, &id));
	for (uint64_t i = kept; i < 100000; i++)
		external_ids__pop(&s);
	assert_false(external_ids__at(&s, UINT64_MAX, &id));
	external_ids__pop(&s);
	assert_true(external_ids__at(&s, UINT64_MAX, &id));
	assert_int_equal(id, kept);
	external_ids__pop(&s);
	assert_true(external_ids__at(&s, UINT64_MAX, &id));
	assert_int_equal(id, kept - 1);
	external_ids__clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_on_at_first),
		cmocka_unit_test(off_and_on),
		cmocka_unit_test(two_reasons),
		cmocka_unit_test(the_latest_times_are_kept),
		cmocka_unit_test(calls_switch_processes),
		cmocka_unit_test(calls_switch_threads_by_their_own_ids),
		cmocka_unit_test(children_begin_as_their_parents_programs_as_programs),
		cmocka_unit_test(the_id_on_top_at_a_time),
		cmocka_unit_test(a_program_that_never_pops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
