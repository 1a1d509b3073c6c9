// SPDX-License-Identifier: MIT
/*
 * External correlation ids of librocprofiler-sdk, with operations of the test's own.
 */
#include "tests/rocprofiler/told.h"

static uint64_t last_external(void)
{
	return told[(n_told - 1) % TOLD_MAX].record.correlation_id.external.value;
}

static rocprofiler_user_data_t value_of(uint64_t value)
{
	return (rocprofiler_user_data_t){.value = value};
}

static void push(uint64_t value)
{
	CHECK_OK(rocprofiler_push_external_correlation_id(context, gettid(), value_of(value)));
}

static void pop(uint64_t expected)
{
	rocprofiler_user_data_t value = {.value = ~0ULL};

	CHECK_OK(rocprofiler_pop_external_correlation_id(context, gettid(), &value));
	CHECK_EQUAL(value.value, expected);
}

static void *call_on_thread(void *arg)
{
	fake_call(OP, NULL, NULL);
	CHECK_EQUAL(last_external(), 2);
	push(9);
	fake_call(OP, NULL, NULL);
	CHECK_EQUAL(last_external(), 9);
	return NULL;
}

static void external_ids_are_pushed_and_popped_by_thread(void)
{
	pthread_t thread;

	start_one();
	fake_call(OP, NULL, NULL);
	CHECK_EQUAL(last_external(), 0);
	push(1);
	push(2);
	fake_call(OP, NULL, NULL);
	CHECK_EQUAL(last_external(), 2);
	pthread_create(&thread, NULL, call_on_thread, NULL);
	pthread_join(thread, NULL);
	pop(2);
	fake_call(OP, NULL, NULL);
	CHECK_EQUAL(last_external(), 1);
	pop(1);
	pop(0);
	CHECK_OK(rocprofiler_pop_external_correlation_id(context, gettid(), NULL));
	fake_call(OP, NULL, NULL);
	CHECK_EQUAL(last_external(), 0);
	CHECK_ERROR(rocprofiler_push_external_correlation_id(context, 1, value_of(1)),
		    INVALID_ARGUMENT);
	CHECK_ERROR(rocprofiler_pop_external_correlation_id(context, 1, NULL), INVALID_ARGUMENT);
	CHECK_ERROR(rocprofiler_push_external_correlation_id(none, gettid(), value_of(1)),
		    CONTEXT_NOT_FOUND);
	CHECK_ERROR(rocprofiler_pop_external_correlation_id(none, gettid(), NULL),
		    CONTEXT_NOT_FOUND);
}

static void push_in_enter(rocprofiler_callback_tracing_record_t record,
			  rocprofiler_user_data_t *user_data, void *arg)
{
	remember(record, user_data, arg);
	if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		push(77);
}

static int make_pushing(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	want_calls(context, push_in_enter, NULL);
	CHECK_OK(rocprofiler_start_context(context));
	return 0;
}

static void what_is_pushed_at_enter_counts_from_then_on(void)
{
	fake_start(make_pushing);
	fake_call(OP, NULL, NULL);
	CHECK_EQUAL(told[0].record.correlation_id.external.value, 0);
	CHECK_EQUAL(told[1].record.correlation_id.external.value, 77);
}

static uint32_t n_requests;

static int answer(rocprofiler_thread_id_t tid, rocprofiler_context_id_t id,
		  rocprofiler_external_correlation_id_request_kind_t kind,
		  rocprofiler_tracing_operation_t operation, uint64_t internal,
		  rocprofiler_user_data_t *value, void *data)
{
	n_requests++;
	CHECK_EQUAL(tid, gettid());
	CHECK_EQUAL(id.handle, context.handle);
	CHECK_EQUAL(kind, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_RUNTIME_API);
	CHECK(internal);
	CHECK(data == &n_requests);
	value->value = 500 + operation;
	return operation == OTHER_OP;
}

static rocprofiler_status_t request(rocprofiler_context_id_t id, int kind, size_t count)
{
	rocprofiler_external_correlation_id_request_kind_t kinds[] = {kind};

	return rocprofiler_configure_external_correlation_id_request_service(id, kinds, count,
									     answer, &n_requests);
}

static int make_requesting(rocprofiler_client_finalize_t end, void *data)
{
	int kind = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_RUNTIME_API;

	make_pushing(end, data);
	CHECK_ERROR(request(none, kind, 1), CONTEXT_NOT_FOUND);
	CHECK_ERROR(request(context, kind, 0), INVALID_ARGUMENT);
	CHECK_ERROR(request(context, 0, 1), KIND_NOT_FOUND);
	CHECK_ERROR(request(context, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST, 1),
		    KIND_NOT_FOUND);
	CHECK_OK(request(context, kind, 1));
	CHECK_ERROR(request(context, kind, 1), SERVICE_ALREADY_CONFIGURED);
	return 0;
}

static void a_tool_is_asked_for_external_ids(void)
{
	CHECK_ERROR(request(context, 1, 1), CONFIGURATION_LOCKED);
	fake_start(make_requesting);
	push(3);
	fake_call(OP, NULL, NULL);
	CHECK_EQUAL(n_requests, 1);
	CHECK_EQUAL(told[0].record.correlation_id.external.value, 500 + OP);
	CHECK_EQUAL(told[1].record.correlation_id.external.value, 500 + OP);
	fake_call(OTHER_OP, NULL, NULL);
	CHECK_EQUAL(n_requests, 2);
	CHECK_EQUAL(told[2].record.correlation_id.external.value, 77);
}

static void external_kinds_have_names(void)
{
	const char *name;
	uint64_t length;

	CHECK_OK(rocprofiler_query_external_correlation_id_request_kind_name(
		ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY, &name, &length));
	CHECK(!strcmp(name, "MEMORY_COPY"));
	CHECK_EQUAL(length, strlen(name));
	CHECK_ERROR(rocprofiler_query_external_correlation_id_request_kind_name(
			    ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST, &name, &length),
		    KIND_NOT_FOUND);
	CHECK(!name);
	CHECK_EQUAL(length, 0);
}

IN_CHILD(external_ids_are_pushed_and_popped_by_thread)
IN_CHILD(what_is_pushed_at_enter_counts_from_then_on)
IN_CHILD(a_tool_is_asked_for_external_ids)
IN_CHILD(external_kinds_have_names)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHILD_TEST(external_ids_are_pushed_and_popped_by_thread),
		CHILD_TEST(what_is_pushed_at_enter_counts_from_then_on),
		CHILD_TEST(a_tool_is_asked_for_external_ids),
		CHILD_TEST(external_kinds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
