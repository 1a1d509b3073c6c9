// SPDX-License-Identifier: MIT
// Calls and ranges of ROC-TX as a tool is told of them, with tables of the test.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <unistd.h>

#include <cmocka.h>

#include <rocprofiler-sdk-roctx/api_trace.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count);

// ---- ROC-TX ----

static __thread int level;
static uint64_t last_id, stopped;
static int marks;

static void mark(const char *message)
{
	marks++;
}

static int push(const char *message)
{
	return level++;
}

static int pop(void)
{
	return level ? --level : -1;
}

static roctx_range_id_t start(const char *message)
{
	return __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
}

static void stop_range(roctx_range_id_t id)
{
	__atomic_store_n(&stopped, id, __ATOMIC_RELAXED);
}

static int thread_id(roctx_thread_id_t *tid)
{
	*tid = 4321;
	return 10;
}

static int pause_profiler(roctx_thread_id_t tid)
{
	return 11;
}

static int resume_profiler(roctx_thread_id_t tid)
{
	return 12;
}

static int name_thread(const char *name)
{
	return 13;
}

static int name_agent(const char *name, const struct hsa_agent_s *agent)
{
	return 14;
}

static int name_device(const char *name, int device_id)
{
	return 15;
}

static int name_stream(const char *name, const struct ihipStream_t *stream)
{
	return 16;
}

static const roctxCoreApiTable_t plain_core = {
	sizeof(plain_core), mark, push, pop, start, stop_range, thread_id,
};
static const roctxControlApiTable_t plain_controls = {
	sizeof(plain_controls),
	pause_profiler,
	resume_profiler,
};
static const roctxNameApiTable_t plain_names = {
	sizeof(plain_names), name_thread, name_agent, name_device, name_stream,
};

static roctxCoreApiTable_t core;
static roctxControlApiTable_t controls;
static roctxNameApiTable_t names;

// ---- the tool ----

#define EVENTS 64
#define ENTER  ROCPROFILER_CALLBACK_PHASE_ENTER
#define EXIT   ROCPROFILER_CALLBACK_PHASE_EXIT

static struct event {
	rocprofiler_callback_tracing_record_t record;
	rocprofiler_callback_tracing_marker_api_data_t payload;
	char message[32];
	uint64_t user_data;
} events[EVENTS];
static uint32_t event_count;

static rocprofiler_context_id_t calls, ranges, only_pushes, counting, early;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_buffer_tracing_marker_api_record_t records[EVENTS];
static uint32_t record_count;
static uint64_t entered, exited;
static uint32_t early_count;
static bool leaves;

static void copy_message(struct event *e)
{
	const char *message = e->payload.args.roctxMarkA.message;
	bool has = e->record.kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API &&
		   e->record.operation != ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxGetThreadId;

	if (has && message)
		snprintf(e->message, sizeof(e->message), "%s", message);
}

static void told(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user_data,
		 void *arg)
{
	struct event *e = &events[event_count++ % EVENTS];

	assert_ptr_equal(arg, &calls);
	memset(e, 0, sizeof(*e));
	e->record = record;
	memcpy(&e->payload, record.payload, sizeof(e->payload));
	assert_int_equal(e->payload.size, sizeof(e->payload));
	copy_message(e);
	if (record.phase == ENTER)
		user_data->value = 1000 + event_count;
	e->user_data = user_data->value;
	if (leaves)
		pthread_exit(NULL);
}

static void count(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user_data,
		  void *arg)
{
	uint64_t *counter = record.phase == ENTER ? &entered : &exited;

	if (record.phase == EXIT && user_data->value != record.correlation_id.internal)
		abort();
	user_data->value = record.correlation_id.internal;
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static void read_buffer(rocprofiler_context_id_t context, rocprofiler_buffer_id_t id,
			rocprofiler_record_header_t **headers, size_t n, void *data,
			uint64_t dropped)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(headers[i]->category, ROCPROFILER_BUFFER_CATEGORY_TRACING);
		records[record_count++ % EVENTS] =
			*(rocprofiler_buffer_tracing_marker_api_record_t *)headers[i]->payload;
	}
}

static void told_early(rocprofiler_callback_tracing_record_t record,
		       rocprofiler_user_data_t *user_data, void *arg)
{
	++*(uint32_t *)arg;
}

static void configure_callback(rocprofiler_context_id_t context,
			       rocprofiler_callback_tracing_kind_t kind)
{
	assert_int_equal(rocprofiler_configure_callback_tracing_service(context, kind, NULL, 0,
									told, &calls),
			 0);
}

static void configure_buffer(rocprofiler_context_id_t context,
			     rocprofiler_buffer_tracing_kind_t kind)
{
	assert_int_equal(
		rocprofiler_configure_buffer_tracing_service(context, kind, NULL, 0, buffer), 0);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
	rocprofiler_tracing_operation_t number = ROCPROFILER_MARKER_CORE_API_ID_roctxRangePushA;

	rocprofiler_create_context(&calls);
	rocprofiler_create_context(&ranges);
	rocprofiler_create_context(&only_pushes);
	rocprofiler_create_context(&counting);
	rocprofiler_create_context(&early);
	rocprofiler_start_context(early);
	assert_int_equal(rocprofiler_create_buffer(calls, 65536, 65536,
						   ROCPROFILER_BUFFER_POLICY_LOSSLESS, read_buffer,
						   NULL, &buffer),
			 0);
	configure_callback(calls, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API);
	configure_callback(calls, ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API);
	configure_callback(calls, ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API);
	configure_callback(ranges, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API);
	configure_buffer(calls, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_API);
	configure_buffer(calls, ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API);
	configure_buffer(calls, ROCPROFILER_BUFFER_TRACING_MARKER_NAME_API);
	configure_buffer(ranges, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API);
	rocprofiler_configure_callback_tracing_service(only_pushes,
						       ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API,
						       &number, 1, told, &calls);
	rocprofiler_configure_callback_tracing_service(
		counting, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, NULL, 0, count, NULL);
	rocprofiler_configure_callback_tracing_service(
		early, ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API, NULL, 0, told_early,
		&early_count);
	return 0;
}

static rocprofiler_tool_configure_result_t *configure(uint32_t version, const char *runtime_version,
						      uint32_t priority,
						      rocprofiler_client_id_t *id)
{
	static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, NULL,
							     NULL};

	id->name = "test_markers";
	return &result;
}

static int set_up(void **state)
{
	void *tables[] = {&core, &controls, &names};

	core = plain_core;
	controls = plain_controls;
	names = plain_names;
	assert_int_equal(rocprofiler_force_configure(configure), 0);
	return rocprofiler_set_api_table("roctx", 10000, 0, tables, 3);
}

static void on(rocprofiler_context_id_t context)
{
	assert_int_equal(rocprofiler_start_context(context), 0);
}

static void off(rocprofiler_context_id_t context)
{
	assert_int_equal(rocprofiler_stop_context(context), 0);
}

static int tear_down(void **state)
{
	rocprofiler_stop_context(calls);
	rocprofiler_stop_context(ranges);
	rocprofiler_stop_context(only_pushes);
	rocprofiler_flush_buffer(buffer);
	event_count = record_count = 0;
	level = 0;
	return 0;
}

// ---- what was told ----

#define CORE(function) \
	ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API, ROCPROFILER_MARKER_CORE_API_ID_##function
#define RANGE(function)                                     \
	ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, \
		ROCPROFILER_MARKER_CORE_RANGE_API_ID_##function

static const struct event *assert_event(uint32_t i, int kind, int operation, int phase)
{
	const struct event *e = &events[i];

	assert_true(i < event_count);
	assert_int_equal(e->record.kind, kind);
	assert_int_equal(e->record.operation, operation);
	assert_int_equal(e->record.phase, phase);
	return e;
}

static uint64_t id_of(const struct event *e)
{
	return e->record.correlation_id.internal;
}

static uint64_t ancestor_of(const struct event *e)
{
	return e->record.correlation_id.ancestor;
}

static void assert_pair(const struct event *enter, const struct event *exit)
{
	assert_int_equal(id_of(enter), id_of(exit));
	assert_int_equal(ancestor_of(enter), ancestor_of(exit));
	assert_int_equal(enter->record.thread_id, exit->record.thread_id);
	assert_int_equal(enter->user_data, exit->user_data);
	assert_string_equal(enter->message, exit->message);
}

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
		cmocka_unit_test_teardown(who_runs_from_the_begin_is_told, tear_down),
		cmocka_unit_test_teardown(nobody_is_told, tear_down),
		cmocka_unit_test_teardown(calls_are_told, tear_down),
		cmocka_unit_test_teardown(calls_are_recorded, tear_down),
		cmocka_unit_test_teardown(only_what_is_wanted_is_told, tear_down),
		cmocka_unit_test_teardown(range_is_around_its_calls, tear_down),
		cmocka_unit_test_teardown(ranges_in_ranges, tear_down),
		cmocka_unit_test_teardown(range_ends_on_another_thread, tear_down),
		cmocka_unit_test_teardown(ranges_that_overlap, tear_down),
		cmocka_unit_test_teardown(what_began_is_ended, tear_down),
		cmocka_unit_test_teardown(what_did_not_begin_is_not_ended, tear_down),
		cmocka_unit_test_teardown(arguments_of_ranges, tear_down),
		cmocka_unit_test_teardown(thread_ends_in_a_range, tear_down),
		cmocka_unit_test_teardown(tool_leaves_its_callback, tear_down),
		cmocka_unit_test_teardown(contexts_come_and_go, tear_down),
		cmocka_unit_test_teardown(small_tables_are_respected, tear_down),
		cmocka_unit_test_teardown(tables_may_come_twice, tear_down),
	};

	return cmocka_run_group_tests_name("markers", tests, set_up, NULL);
}
