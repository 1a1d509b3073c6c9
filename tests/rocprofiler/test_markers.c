// SPDX-License-Identifier: MIT
// ROC-TX through librocprofiler-sdk: its calls, and its tables.

#include "tests/rocprofiler/marker_tool.h"

// ---- calls ----

static void who_runs_from_the_begin_is_told(void **state)
{
	assert_int_equal(controls.roctxProfilerPause_fn(0), 11);
	assert_int_equal(early_count, 2);
	off(early);
	assert_int_equal(controls.roctxProfilerPause_fn(0), 11);
	assert_int_equal(early_count, 2);
}

static void nobody_is_told(void **state)
{
	roctx_thread_id_t tid = 0;
	int before = marks;

	core.roctxMarkA_fn("a");
	assert_int_equal(marks, before + 1);
	assert_int_equal(core.roctxRangePushA_fn("b"), 0);
	assert_int_equal(core.roctxRangePushA_fn("c"), 1);
	assert_int_equal(core.roctxRangePop_fn(), 1);
	assert_int_equal(core.roctxRangePop_fn(), 0);
	assert_int_equal(core.roctxRangePop_fn(), -1);
	core.roctxRangeStop_fn(core.roctxRangeStartA_fn("d"));
	assert_int_equal(stopped, last_id);
	assert_int_equal(core.roctxGetThreadId_fn(&tid), 10);
	assert_int_equal(tid, 4321);
	assert_int_equal(controls.roctxProfilerPause_fn(0), 11);
	assert_int_equal(names.roctxNameHipStream_fn("e", NULL), 16);
	assert_int_equal(event_count, 0);
}

static void assert_call(int kind, int operation, int result)
{
	const struct event *enter = assert_event(event_count - 2, kind, operation, ENTER);
	const struct event *exit = assert_event(event_count - 1, kind, operation, EXIT);

	assert_pair(enter, exit);
	assert_int_equal(ancestor_of(enter), 0);
	assert_int_equal(exit->payload.retval.int32_t_retval, result);
	assert_memory_equal(&enter->payload.args, &exit->payload.args, sizeof(exit->payload.args));
}

#define CONTROL(function)                                \
	ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API, \
		ROCPROFILER_MARKER_CONTROL_API_ID_##function
#define NAME(function) \
	ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API, ROCPROFILER_MARKER_NAME_API_ID_##function

static void calls_are_told(void **state)
{
	rocprofiler_marker_api_args_t *args = &events[0].payload.args;
	roctx_thread_id_t tid = 0;
	roctx_range_id_t id;

	on(calls);
	core.roctxMarkA_fn("mark");
	assert_call(CORE(roctxMarkA), 0);
	assert_string_equal(args->roctxMarkA.message, "mark");
	assert_int_equal(core.roctxRangePushA_fn("push"), 0);
	assert_call(CORE(roctxRangePushA), 0);
	assert_string_equal(events[2].payload.args.roctxRangePushA.message, "push");
	assert_int_equal(core.roctxRangePop_fn(), 0);
	assert_call(CORE(roctxRangePop), 0);
	id = core.roctxRangeStartA_fn("start");
	assert_int_equal(id, last_id);
	assert_call(CORE(roctxRangeStartA), id);
	core.roctxRangeStop_fn(id);
	assert_call(CORE(roctxRangeStop), 0);
	assert_int_equal(events[9].payload.args.roctxRangeStop.id, id);
	assert_int_equal(core.roctxGetThreadId_fn(&tid), 10);
	assert_call(CORE(roctxGetThreadId), 10);
	assert_ptr_equal(events[11].payload.args.roctxGetThreadId.tid, &tid);
	assert_int_equal(controls.roctxProfilerPause_fn(5), 11);
	assert_call(CONTROL(roctxProfilerPause), 11);
	assert_int_equal(controls.roctxProfilerResume_fn(6), 12);
	assert_call(CONTROL(roctxProfilerResume), 12);
	assert_int_equal(events[15].payload.args.roctxProfilerResume.tid, 6);
	assert_int_equal(names.roctxNameOsThread_fn("thread"), 13);
	assert_call(NAME(roctxNameOsThread), 13);
	assert_int_equal(names.roctxNameHsaAgent_fn("agent", NULL), 14);
	assert_call(NAME(roctxNameHsaAgent), 14);
	assert_int_equal(names.roctxNameHipDevice_fn("device", 7), 15);
	assert_call(NAME(roctxNameHipDevice), 15);
	assert_int_equal(events[21].payload.args.roctxNameHipDevice.device_id, 7);
	assert_int_equal(names.roctxNameHipStream_fn("stream", NULL), 16);
	assert_call(NAME(roctxNameHipStream), 16);
	assert_int_equal(event_count, 24);
}

static void calls_are_recorded(void **state)
{
	on(calls);
	core.roctxMarkA_fn("mark");
	controls.roctxProfilerPause_fn(5);
	names.roctxNameOsThread_fn("thread");
	assert_int_equal(rocprofiler_flush_buffer(buffer), 0);
	assert_int_equal(record_count, 3);
	assert_int_equal(records[0].kind, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_API);
	assert_int_equal(records[1].kind, ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API);
	assert_int_equal(records[2].kind, ROCPROFILER_BUFFER_TRACING_MARKER_NAME_API);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(records[i].size, sizeof(records[i]));
		assert_int_equal(records[i].operation, 0);
		assert_int_equal(records[i].thread_id, gettid());
		assert_int_equal(records[i].correlation_id.internal, id_of(&events[2 * i]));
		assert_true(records[i].start_timestamp);
		assert_true(records[i].start_timestamp <= records[i].end_timestamp);
	}
}

static void only_what_is_wanted_is_told(void **state)
{
	on(only_pushes);
	core.roctxMarkA_fn("mark");
	core.roctxRangePushA_fn("push");
	core.roctxRangePop_fn();
	assert_int_equal(event_count, 2);
	assert_event(0, CORE(roctxRangePushA), ENTER);
	assert_event(1, CORE(roctxRangePushA), EXIT);
}

// ---- tables ----

static void small_tables_are_respected(void **state)
{
	roctxCoreApiTable_t less = plain_core;
	roctxControlApiTable_t none = plain_controls;
	roctxNameApiTable_t holes = plain_names;
	void *tables[] = {&less, &none, &holes};

	less.size = offsetof(roctxCoreApiTable_t, roctxRangePop_fn) + 4;
	none.size = 0;
	holes.size += 80;
	holes.roctxNameHsaAgent_fn = NULL;
	assert_int_equal(rocprofiler_set_api_table("roctx", 10000, 1, tables, 3), 0);
	assert_ptr_equal(less.roctxMarkA_fn, core.roctxMarkA_fn);
	assert_ptr_equal(less.roctxRangePushA_fn, core.roctxRangePushA_fn);
	assert_ptr_equal(less.roctxRangePop_fn, pop);
	assert_ptr_equal(less.roctxGetThreadId_fn, thread_id);
	assert_ptr_equal(none.roctxProfilerPause_fn, pause_profiler);
	assert_ptr_equal(holes.roctxNameOsThread_fn, names.roctxNameOsThread_fn);
	assert_null(holes.roctxNameHsaAgent_fn);
	assert_ptr_equal(holes.roctxNameHipStream_fn, names.roctxNameHipStream_fn);
}

static void tables_may_come_twice(void **state)
{
	void *tables[] = {&core, &controls, &names};

	assert_int_equal(rocprofiler_set_api_table("roctx", 10000, 0, tables, 3), 0);
	assert_int_not_equal(rocprofiler_set_api_table("roctx", 10000, 0, tables, 2), 0);
	on(calls);
	assert_int_equal(core.roctxRangePushA_fn("push"), 0);
	assert_int_equal(core.roctxRangePop_fn(), 0);
	assert_int_equal(event_count, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_runs_from_the_begin_is_told),
		TEST(nobody_is_told),
		TEST(calls_are_told),
		TEST(calls_are_recorded),
		TEST(only_what_is_wanted_is_told),
		TEST(small_tables_are_respected),
		TEST(tables_may_come_twice),
	};

	return cmocka_run_group_tests_name("markers", tests, set_up, NULL);
}
