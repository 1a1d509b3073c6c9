/* SPDX-License-Identifier: MIT */
/*
 * A ROC-TX of our own, and a tool inside of the test that receives its calls and its ranges.
 */
#ifndef TESTS_ROCPROFILER_MARKER_TOOL_H
#define TESTS_ROCPROFILER_MARKER_TOOL_H

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

/* ---- ROC-TX ---- */

static __thread int level;
static uint64_t last_id, stopped;
static int marks;

static inline void mark(const char *message)
{
	marks++;
}

static inline int push(const char *message)
{
	return level++;
}

static inline int pop(void)
{
	return level ? --level : -1;
}

static inline roctx_range_id_t start(const char *message)
{
	return __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
}

static inline void stop_range(roctx_range_id_t id)
{
	__atomic_store_n(&stopped, id, __ATOMIC_RELAXED);
}

static inline int thread_id(roctx_thread_id_t *tid)
{
	*tid = 4321;
	return 10;
}

static inline int pause_profiler(roctx_thread_id_t tid)
{
	return 11;
}

static inline int resume_profiler(roctx_thread_id_t tid)
{
	return 12;
}

static inline int name_thread(const char *name)
{
	return 13;
}

static inline int name_agent(const char *name, const struct hsa_agent_s *agent)
{
	return 14;
}

static inline int name_device(const char *name, int device_id)
{
	return 15;
}

static inline int name_stream(const char *name, const struct ihipStream_t *stream)
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

/* ---- the tool ---- */

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

static inline void copy_message(struct event *e)
{
	const char *message = e->payload.args.roctxMarkA.message;
	bool has = e->record.kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API &&
		   e->record.operation != ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxGetThreadId;

	if (has && message)
		snprintf(e->message, sizeof(e->message), "%s", message);
}

static inline void told(rocprofiler_callback_tracing_record_t record,
			rocprofiler_user_data_t *user_data, void *arg)
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

static inline void count(rocprofiler_callback_tracing_record_t record,
			 rocprofiler_user_data_t *user_data, void *arg)
{
	uint64_t *counter = record.phase == ENTER ? &entered : &exited;

	if (record.phase == EXIT && user_data->value != record.correlation_id.internal)
		abort();
	user_data->value = record.correlation_id.internal;
	__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static inline void read_buffer(rocprofiler_context_id_t context, rocprofiler_buffer_id_t id,
			       rocprofiler_record_header_t **headers, size_t n, void *data,
			       uint64_t dropped)
{
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(headers[i]->category, ROCPROFILER_BUFFER_CATEGORY_TRACING);
		records[record_count++ % EVENTS] =
			*(rocprofiler_buffer_tracing_marker_api_record_t *)headers[i]->payload;
	}
}

static inline void told_early(rocprofiler_callback_tracing_record_t record,
			      rocprofiler_user_data_t *user_data, void *arg)
{
	++*(uint32_t *)arg;
}

static inline void configure_callback(rocprofiler_context_id_t context,
				      rocprofiler_callback_tracing_kind_t kind)
{
	assert_int_equal(rocprofiler_configure_callback_tracing_service(context, kind, NULL, 0,
									told, &calls),
			 0);
}

static inline void configure_buffer(rocprofiler_context_id_t context,
				    rocprofiler_buffer_tracing_kind_t kind)
{
	assert_int_equal(
		rocprofiler_configure_buffer_tracing_service(context, kind, NULL, 0, buffer), 0);
}

static inline int initialize(rocprofiler_client_finalize_t finalize, void *data)
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

static inline rocprofiler_tool_configure_result_t *configure(uint32_t version,
							     const char *runtime_version,
							     uint32_t priority,
							     rocprofiler_client_id_t *id)
{
	static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, NULL,
							     NULL};

	id->name = "test_markers";
	return &result;
}

static inline int set_up(void **state)
{
	void *tables[] = {&core, &controls, &names};

	core = plain_core;
	controls = plain_controls;
	names = plain_names;
	assert_int_equal(rocprofiler_force_configure(configure), 0);
	return rocprofiler_set_api_table("roctx", 10000, 0, tables, 3);
}

static inline void on(rocprofiler_context_id_t context)
{
	assert_int_equal(rocprofiler_start_context(context), 0);
}

static inline void off(rocprofiler_context_id_t context)
{
	assert_int_equal(rocprofiler_stop_context(context), 0);
}

static inline int tear_down(void **state)
{
	rocprofiler_stop_context(calls);
	rocprofiler_stop_context(ranges);
	rocprofiler_stop_context(only_pushes);
	rocprofiler_flush_buffer(buffer);
	event_count = record_count = 0;
	level = 0;
	return 0;
}

/* ---- what was received ---- */

#define CORE(function) \
	ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API, ROCPROFILER_MARKER_CORE_API_ID_##function
#define RANGE(function)                                     \
	ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, \
		ROCPROFILER_MARKER_CORE_RANGE_API_ID_##function

static inline const struct event *assert_event(uint32_t i, int kind, int operation, int phase)
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

static inline void assert_pair(const struct event *enter, const struct event *exit)
{
	assert_int_equal(id_of(enter), id_of(exit));
	assert_int_equal(ancestor_of(enter), ancestor_of(exit));
	assert_int_equal(enter->record.thread_id, exit->record.thread_id);
	assert_int_equal(enter->user_data, exit->user_data);
	assert_string_equal(enter->message, exit->message);
}

/* A cmocka test. Nothing is reported to anybody after it. */
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

#endif
