// SPDX-License-Identifier: MIT
// ROC-TX through librocprofiler-sdk: ranges, and threads.

#include "tests/rocprofiler/marker_tool.h"

// ---- ranges ----

static void range_is_around_its_calls(void **state)
{
	const struct event *enter, *exit;
	char message[] = "range";

	on(calls);
	on(ranges);
	assert_int_equal(core.roctxRangePushA_fn(message), 0);
	strcpy(message, "other");
	core.roctxMarkA_fn("mark");
	assert_int_equal(core.roctxRangePop_fn(), 0);
	assert_int_equal(event_count, 10);

	enter = assert_event(0, RANGE(roctxThreadRangeA), ENTER);
	assert_string_equal(enter->message, "range");
	assert_int_equal(ancestor_of(enter), 0);
	assert_int_equal(ancestor_of(assert_event(1, CORE(roctxRangePushA), ENTER)), id_of(enter));
	assert_event(2, CORE(roctxRangePushA), EXIT);
	assert_int_equal(ancestor_of(assert_event(3, RANGE(roctxMarkA), ENTER)), id_of(enter));
	assert_string_equal(events[3].message, "mark");
	assert_int_equal(ancestor_of(assert_event(4, CORE(roctxMarkA), ENTER)), id_of(&events[3]));
	assert_event(5, CORE(roctxMarkA), EXIT);
	assert_event(6, RANGE(roctxMarkA), EXIT);
	assert_int_equal(ancestor_of(assert_event(7, CORE(roctxRangePop), ENTER)), id_of(enter));
	assert_event(8, CORE(roctxRangePop), EXIT);
	exit = assert_event(9, RANGE(roctxThreadRangeA), EXIT);
	assert_pair(enter, exit);
	assert_int_equal(exit->payload.retval.int32_t_retval, 0);
	core.roctxMarkA_fn("mark");
	assert_int_equal(ancestor_of(&events[10]), 0);
}

static void ranges_in_ranges(void **state)
{
	on(ranges);
	core.roctxRangePushA_fn("outer");
	core.roctxRangePushA_fn(NULL);
	assert_int_equal(core.roctxRangePop_fn(), 1);
	assert_int_equal(core.roctxRangePop_fn(), 0);
	assert_int_equal(core.roctxRangePop_fn(), -1);
	assert_int_equal(event_count, 4);
	assert_int_equal(ancestor_of(&events[1]), id_of(&events[0]));
	assert_pair(&events[1], assert_event(2, RANGE(roctxThreadRangeA), EXIT));
	assert_null(events[2].payload.args.roctxThreadRangeA.message);
	assert_int_equal(events[2].payload.retval.int32_t_retval, 1);
	assert_pair(&events[0], assert_event(3, RANGE(roctxThreadRangeA), EXIT));
	assert_int_equal(rocprofiler_flush_buffer(buffer), 0);
	assert_int_equal(record_count, 2);
	assert_int_equal(records[0].correlation_id.internal, id_of(&events[1]));
	assert_true(records[1].start_timestamp <= records[0].start_timestamp);
	assert_true(records[0].end_timestamp <= records[1].end_timestamp);
}

static void *stop_it(void *arg)
{
	core.roctxRangeStop_fn(*(roctx_range_id_t *)arg);
	return NULL;
}

static void range_ends_on_another_thread(void **state)
{
	roctx_range_id_t id;
	pthread_t thread;

	on(ranges);
	id = core.roctxRangeStartA_fn("range");
	core.roctxMarkA_fn("is in no range");
	assert_int_equal(pthread_create(&thread, NULL, stop_it, &id), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(stopped, id);
	assert_int_equal(event_count, 4);
	assert_event(0, RANGE(roctxProcessRangeA), ENTER);
	assert_int_equal(ancestor_of(assert_event(1, RANGE(roctxMarkA), ENTER)), 0);
	assert_pair(&events[0], assert_event(3, RANGE(roctxProcessRangeA), EXIT));
	assert_int_equal(events[3].payload.retval.roctx_range_id_t_retval, id);
	assert_string_equal(events[3].message, "range");
	assert_int_equal(rocprofiler_flush_buffer(buffer), 0);
	assert_int_equal(record_count, 2);
	assert_int_equal(records[1].kind, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API);
	assert_int_equal(records[1].operation,
			 ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA);
	assert_int_equal(records[1].thread_id, gettid());
}

static void ranges_that_overlap(void **state)
{
	roctx_range_id_t one, two;

	on(ranges);
	one = core.roctxRangeStartA_fn("one");
	two = core.roctxRangeStartA_fn("two");
	core.roctxRangeStop_fn(one);
	core.roctxRangeStop_fn(one);
	core.roctxRangeStop_fn(two);
	assert_int_equal(event_count, 4);
	assert_pair(&events[0], assert_event(2, RANGE(roctxProcessRangeA), EXIT));
	assert_pair(&events[1], assert_event(3, RANGE(roctxProcessRangeA), EXIT));
	assert_int_equal(ancestor_of(&events[1]), 0);
}

static void what_began_is_ended(void **state)
{
	roctx_range_id_t id;

	on(ranges);
	core.roctxRangePushA_fn("pushed");
	id = core.roctxRangeStartA_fn("started");
	off(ranges);
	core.roctxRangePushA_fn("not told");
	assert_int_equal(core.roctxRangePop_fn(), 1);
	assert_int_equal(event_count, 2);
	assert_int_equal(core.roctxRangePop_fn(), 0);
	assert_pair(&events[0], assert_event(2, RANGE(roctxThreadRangeA), EXIT));
	core.roctxRangeStop_fn(id);
	assert_pair(&events[1], assert_event(3, RANGE(roctxProcessRangeA), EXIT));
}

static void what_did_not_begin_is_not_ended(void **state)
{
	roctx_range_id_t id;

	core.roctxRangePushA_fn("not told");
	id = core.roctxRangeStartA_fn("not told");
	on(ranges);
	core.roctxRangePushA_fn("told");
	assert_int_equal(core.roctxRangePop_fn(), 1);
	assert_int_equal(event_count, 2);
	assert_int_equal(core.roctxRangePop_fn(), 0);
	core.roctxRangeStop_fn(id);
	assert_int_equal(event_count, 2);
}

static int print_argument(rocprofiler_callback_tracing_kind_t kind,
			  rocprofiler_tracing_operation_t operation, uint32_t number,
			  const void *address, int32_t indirections, const char *type,
			  const char *name, const char *value, int32_t followed, void *data)
{
	snprintf(data, 64, "%d %d %s=%s", kind, operation, name, value);
	return 0;
}

static void arguments_of_ranges(void **state)
{
	char text[64], expected[64];

	on(ranges);
	core.roctxRangeStop_fn(core.roctxRangeStartA_fn("a range"));
	events[0].record.payload = &events[0].payload;
	events[0].payload.args.roctxProcessRangeA.message = "a range";
	assert_int_equal(rocprofiler_iterate_callback_tracing_kind_operation_args(
				 events[0].record, print_argument, 0, text),
			 0);
	snprintf(expected, sizeof(expected), "%d %d message=a range", RANGE(roctxProcessRangeA));
	assert_string_equal(text, expected);
}

// ---- threads ----

static void *push_and_end(void *arg)
{
	core.roctxRangePushA_fn("never popped");
	core.roctxRangePushA_fn("never popped");
	return NULL;
}

static void thread_ends_in_a_range(void **state)
{
	pthread_t thread;

	on(ranges);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(pthread_create(&thread, NULL, push_and_end, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	assert_int_equal(event_count, 20);
	core.roctxMarkA_fn("mark");
	assert_int_equal(ancestor_of(&events[20]), 0);
}

// What an exception unwinds a thread's end does, too.
static void *start_and_leave(void *arg)
{
	core.roctxRangeStartA_fn("left");
	return (void *)1;
}

static void *push_and_leave(void *arg)
{
	core.roctxRangePushA_fn("left");
	return (void *)1;
}

static void tool_leaves_its_callback(void **state)
{
	pthread_t threads[2];
	void *results[2];

	on(calls);
	on(ranges);
	leaves = true;
	assert_int_equal(pthread_create(&threads[0], NULL, start_and_leave, NULL), 0);
	assert_int_equal(pthread_join(threads[0], &results[0]), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, push_and_leave, NULL), 0);
	assert_int_equal(pthread_join(threads[1], &results[1]), 0);
	leaves = false;
	assert_null(results[0]);
	assert_null(results[1]);
	assert_int_equal(event_count, 2);
	core.roctxMarkA_fn("mark");
	assert_int_equal(ancestor_of(assert_event(2, RANGE(roctxMarkA), ENTER)), 0);
}

#define ROUNDS	 100000
#define STARTERS 3

static roctx_range_id_t passed[ROUNDS];

static void *start_all(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		core.roctxRangePushA_fn("push");
		__atomic_store_n(&passed[i], core.roctxRangeStartA_fn("start"), __ATOMIC_RELEASE);
		core.roctxRangePop_fn();
	}
	return NULL;
}

static void *stop_all(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		while (!__atomic_load_n(&passed[i], __ATOMIC_ACQUIRE))
			;
		core.roctxRangeStop_fn(passed[i]);
	}
	return NULL;
}

static void *push_all(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		core.roctxRangePushA_fn("push");
		core.roctxRangePushA_fn("push");
		core.roctxRangePop_fn();
		core.roctxRangePop_fn();
	}
	return NULL;
}

static void contexts_come_and_go(void **state)
{
	void *(*functions[])(void *) = {start_all, stop_all, push_all};
	pthread_t threads[STARTERS];

	on(counting);
	for (int i = 0; i < STARTERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, functions[i], NULL), 0);
	for (int i = 0; i < 300; i++) {
		usleep(100);
		off(counting);
		on(counting);
	}
	off(counting);
	for (int i = 0; i < STARTERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_true(entered);
	assert_int_equal(entered, exited);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(range_is_around_its_calls),    TEST(ranges_in_ranges),
		TEST(range_ends_on_another_thread), TEST(ranges_that_overlap),
		TEST(what_began_is_ended),	    TEST(what_did_not_begin_is_not_ended),
		TEST(arguments_of_ranges),	    TEST(thread_ends_in_a_range),
		TEST(tool_leaves_its_callback),	    TEST(contexts_come_and_go),
	};

	return cmocka_run_group_tests_name("marker_ranges", tests, set_up, NULL);
}
