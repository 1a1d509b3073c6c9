// SPDX-License-Identifier: MIT
/*
 * Contexts and callbacks of librocprofiler-sdk, with operations of the test's own: what is
 * reported, to which tool, and every status code.
 */
#include "rocprofiler/service/thread.h"
#include "tests/rocprofiler/thrower.h"
#include "tests/rocprofiler/told.h"

static rocprofiler_context_id_t other;
static const rocprofiler_context_id_t unknown = {12345678};

/* ---- contexts ---- */

static void check_state(rocprofiler_context_id_t id, int active)
{
	int is = 7, valid = 7;

	CHECK_OK(rocprofiler_context_is_active(id, &is));
	CHECK_EQUAL(is, active);
	CHECK_OK(rocprofiler_context_is_valid(id, &valid));
	CHECK_EQUAL(valid, 1);
}

static void check_unknown(rocprofiler_context_id_t id)
{
	int is = 7;

	CHECK_ERROR(rocprofiler_context_is_active(id, &is), CONTEXT_NOT_FOUND);
	CHECK_EQUAL(is, 0);
	CHECK_ERROR(rocprofiler_context_is_valid(id, &is), CONTEXT_NOT_FOUND);
	CHECK_EQUAL(is, 0);
	CHECK_ERROR(rocprofiler_start_context(id), CONTEXT_NOT_FOUND);
	CHECK_ERROR(rocprofiler_stop_context(id), CONTEXT_NOT_FOUND);
}

static int create_in_initialize(rocprofiler_client_finalize_t end, void *data)
{
	rocprofiler_context_id_t id;

	context = make_context();
	other = make_context();
	CHECK(context.handle != other.handle);
	id = context;
	CHECK_ERROR(rocprofiler_create_context(&id), CONTEXT_ID_NOT_ZERO);
	CHECK_EQUAL(id.handle, context.handle);
	CHECK_OK(rocprofiler_start_context(other));
	return 0;
}

static void contexts_are_made_in_initialize_and_started_at_any_time(void)
{
	rocprofiler_context_id_t id = {0};

	CHECK_ERROR(rocprofiler_create_context(&id), CONFIGURATION_LOCKED);
	check_unknown(none);
	fake_start(create_in_initialize);
	CHECK_ERROR(rocprofiler_create_context(&id), CONFIGURATION_LOCKED);
	check_unknown(none);
	check_unknown(unknown);
	check_state(context, 0);
	check_state(other, 1);
	CHECK_ERROR(rocprofiler_stop_context(context), CONTEXT_NOT_FOUND);
	CHECK_OK(rocprofiler_start_context(context));
	CHECK_OK(rocprofiler_start_context(context));
	check_state(context, 1);
	CHECK_OK(rocprofiler_stop_context(context));
	check_state(context, 0);
	CHECK_ERROR(rocprofiler_stop_context(context), CONTEXT_NOT_FOUND);
	fake_end(fake_id);
	check_state(other, 0);
	CHECK_ERROR(rocprofiler_start_context(context), CONFIGURATION_LOCKED);
	CHECK_OK(rocprofiler_stop_context(context));
}

/* ---- the callback service ---- */

static void do_nothing(rocprofiler_callback_tracing_record_t record,
		       rocprofiler_user_data_t *user_data, void *arg)
{
}

static rocprofiler_status_t configure(rocprofiler_context_id_t id, int kind, const int32_t *ops,
				      size_t count)
{
	return rocprofiler_configure_callback_tracing_service(id, kind, ops, count, do_nothing,
							      NULL);
}

static int configure_in_initialize(rocprofiler_client_finalize_t end, void *data)
{
	static const int32_t good[] = {OP}, bad[] = {OP, 100000}, negative[] = {-1};

	context = make_context();
	CHECK_ERROR(configure(none, HIP_CALLBACK, NULL, 0), CONTEXT_NOT_FOUND);
	CHECK_ERROR(configure(context, 0, NULL, 0), KIND_NOT_FOUND);
	CHECK_ERROR(configure(context, ROCPROFILER_CALLBACK_TRACING_LAST, NULL, 0), KIND_NOT_FOUND);
	CHECK_ERROR(configure(context, -1, NULL, 0), KIND_NOT_FOUND);
	CHECK_ERROR(configure(context, HIP_CALLBACK, bad, 2), OPERATION_NOT_FOUND);
	CHECK_ERROR(configure(context, HIP_CALLBACK, negative, 1), OPERATION_NOT_FOUND);
	CHECK_ERROR(configure(context, HIP_CALLBACK, NULL, 1), INVALID_ARGUMENT);
	CHECK_ERROR(configure(context, ROCPROFILER_CALLBACK_TRACING_RCCL_API, NULL, 0),
		    NOT_IMPLEMENTED);
	CHECK_ERROR(configure(context, ROCPROFILER_CALLBACK_TRACING_HIP_STREAM, NULL, 0),
		    NOT_IMPLEMENTED);
	CHECK_ERROR(rocprofiler_configure_callback_tracing_service(context, HIP_CALLBACK, NULL, 0,
								   NULL, NULL),
		    INVALID_ARGUMENT);
	CHECK_OK(configure(context, HIP_CALLBACK, good, 1));
	CHECK_ERROR(configure(context, HIP_CALLBACK, NULL, 0), SERVICE_ALREADY_CONFIGURED);
	CHECK_OK(configure(context, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, NULL, 0));
	return 0;
}

static void services_are_configured_in_initialize_once_a_kind(void)
{
	CHECK_ERROR(configure(context, HIP_CALLBACK, NULL, 0), CONFIGURATION_LOCKED);
	fake_start(configure_in_initialize);
	CHECK_ERROR(configure(context, HIP_CALLBACK, NULL, 0), CONFIGURATION_LOCKED);
	CHECK(!service__wanted(HIP_CALLBACK, HIP_BUFFER, OP));
	CHECK_OK(rocprofiler_start_context(context));
	CHECK(service__wanted(HIP_CALLBACK, HIP_BUFFER, OP));
	CHECK(!service__wanted(HIP_CALLBACK, HIP_BUFFER, OTHER_OP));
	CHECK(!service__wanted(ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API, 0, 1));
	CHECK(fake_call(OP, NULL, NULL));
	CHECK(!fake_call(OTHER_OP, NULL, NULL));
}

static void check_told(const struct told *t, int phase, uint64_t internal, uint64_t ancestor)
{
	CHECK_EQUAL(t->record.context_id.handle, context.handle);
	CHECK_EQUAL(t->record.thread_id, gettid());
	CHECK_EQUAL(t->record.correlation_id.internal, internal);
	CHECK_EQUAL(t->record.correlation_id.ancestor, ancestor);
	CHECK_EQUAL(t->record.kind, HIP_CALLBACK);
	CHECK_EQUAL(t->record.phase, phase);
	CHECK_EQUAL(t->argument, 5);
}

static void call_inside(void *arg)
{
	fake_call(OTHER_OP, NULL, NULL);
}

static void calls_are_told_at_enter_and_exit(void)
{
	start_one();
	CHECK(fake_call(OP, call_inside, NULL));
	CHECK_EQUAL(n_told, 4);
	check_told(&told[0], ROCPROFILER_CALLBACK_PHASE_ENTER, 1, 0);
	check_told(&told[1], ROCPROFILER_CALLBACK_PHASE_ENTER, 2, 1);
	check_told(&told[2], ROCPROFILER_CALLBACK_PHASE_EXIT, 2, 1);
	check_told(&told[3], ROCPROFILER_CALLBACK_PHASE_EXIT, 1, 0);
	CHECK_EQUAL(told[0].user_data, 0);
	CHECK_EQUAL(told[2].user_data, 1002);
	CHECK_EQUAL(told[3].user_data, 1001);
	CHECK_EQUAL(told[3].result, 6);
	CHECK_EQUAL(told[0].record.operation, OP);
	CHECK_EQUAL(told[1].record.operation, OTHER_OP);
	CHECK_EQUAL(operation__current(), 0);
}

/* ---- many services ---- */

#define MANY 37

static rocprofiler_context_id_t many[MANY];
static uint32_t enters[MANY], exits[MANY];

static void count_at(rocprofiler_callback_tracing_record_t record,
		     rocprofiler_user_data_t *user_data, void *arg)
{
	uint32_t i = (uint32_t *)arg - enters;

	CHECK_EQUAL(record.context_id.handle, many[i].handle);
	if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
		enters[i]++;
		user_data->value = i + 1;
	} else {
		exits[i]++;
		CHECK_EQUAL(user_data->value, i + 1);
	}
}

static int make_many(rocprofiler_client_finalize_t end, void *data)
{
	for (uint32_t i = 0; i < MANY; i++) {
		many[i] = make_context();
		want_calls(many[i], count_at, &enters[i]);
		CHECK_OK(rocprofiler_start_context(many[i]));
	}
	return 0;
}

static void many_contexts_are_told_of_the_same_call(void)
{
	fake_start(make_many);
	fake_call(OP, NULL, NULL);
	CHECK_OK(rocprofiler_stop_context(many[3]));
	fake_call(OP, NULL, NULL);
	for (uint32_t i = 0; i < MANY; i++) {
		CHECK_EQUAL(enters[i], i == 3 ? 1 : 2);
		CHECK_EQUAL(exits[i], enters[i]);
	}
}

/* ---- stopped and finalised in the middle ---- */

static void stop_inside(void *arg)
{
	CHECK_OK(rocprofiler_stop_context(context));
}

static void who_was_told_of_the_begin_is_told_of_the_end(void)
{
	start_one();
	fake_call(OP, stop_inside, NULL);
	CHECK_EQUAL(n_told, 2);
	CHECK_EQUAL(told[1].record.phase, ROCPROFILER_CALLBACK_PHASE_EXIT);
	CHECK(!fake_call(OP, NULL, NULL));
	CHECK_EQUAL(n_told, 2);
}

static uint32_t n_finalized;

static void count_finalize(void *data)
{
	n_finalized++;
}

static void end_in_enter(rocprofiler_callback_tracing_record_t record,
			 rocprofiler_user_data_t *user_data, void *arg)
{
	CHECK_EQUAL(record.phase, ROCPROFILER_CALLBACK_PHASE_ENTER);
	fake_end(fake_id);
	CHECK_EQUAL(n_finalized, 1);
	fake_end(fake_id);
}

static int make_ending(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	want_calls(context, end_in_enter, NULL);
	CHECK_OK(rocprofiler_start_context(context));
	fake_finalize = count_finalize;
	return 0;
}

static void check_finalized_once(void)
{
	CHECK_EQUAL(n_finalized, 1);
}

static void a_tool_ends_in_its_callback_and_is_told_of_nothing_more(void)
{
	int status;

	atexit(check_finalized_once);
	fake_start(make_ending);
	CHECK(fake_call(OP, NULL, NULL));
	CHECK(!fake_call(OP, NULL, NULL));
	CHECK_OK(rocprofiler_is_finalized(&status));
	CHECK_EQUAL(status, 1);
	CHECK_EQUAL(n_finalized, 1);
}

/* ---- tools that throw ---- */

static int throw_at;

static void throw_in_phase(rocprofiler_callback_tracing_record_t record,
			   rocprofiler_user_data_t *user_data, void *arg)
{
	remember(record, user_data, arg);
	if ((int)record.phase == throw_at)
		throw_something();
}

static int make_throwing(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	want_calls(context, throw_in_phase, NULL);
	CHECK_OK(rocprofiler_start_context(context));
	return 0;
}

static void throw_inside(void *arg)
{
	throw_something();
}

static void make_call(void *inside)
{
	fake_call(OP, (void (*)(void *))inside, NULL);
}

static void check_state_is_clean(uint32_t count)
{
	CHECK_EQUAL(n_told, count);
	CHECK_EQUAL(operation__current(), 0);
	CHECK_EQUAL(thread_current->depth, 0);
}

static void what_throws_leaves_the_thread_as_it_was(void)
{
	fake_start(make_throwing);
	throw_at = ROCPROFILER_CALLBACK_PHASE_ENTER;
	CHECK(catches(make_call, NULL));
	check_state_is_clean(1);
	throw_at = ROCPROFILER_CALLBACK_PHASE_EXIT;
	CHECK(catches(make_call, NULL));
	check_state_is_clean(3);
	throw_at = -1;
	CHECK(catches(make_call, throw_inside));
	check_state_is_clean(4);
	CHECK(!catches(make_call, NULL));
	check_state_is_clean(6);
	CHECK_EQUAL(told[5].record.correlation_id.ancestor, 0);
	fake_end(fake_id);
}

static int initialize_throwing(rocprofiler_client_finalize_t end, void *data)
{
	make_one(end, data);
	CHECK_OK(rocprofiler_start_context(context));
	fake_finalize = throw_inside;
	throw_something();
	return 0;
}

static void a_tool_that_throws_in_initialize_is_out(void)
{
	int status;

	fake_start(initialize_throwing);
	CHECK_OK(rocprofiler_is_initialized(&status));
	CHECK_EQUAL(status, 1);
	check_unknown(context);
	CHECK(!fake_call(OP, NULL, NULL));
	CHECK_EQUAL(uncaught(), 0);
}

static void a_tool_may_throw_at_the_end(void)
{
	fake_finalize = throw_inside;
	start_one();
	fake_end(fake_id);
	CHECK_EQUAL(uncaught(), 0);
}

/* ---- load ---- */

#define THREADS 4
#define TURNS	200
#define CALLS	50

static uint64_t load_enters[THREADS + 1], load_exits[THREADS + 1];
static bool load_done;

static void count_load(rocprofiler_callback_tracing_record_t record,
		       rocprofiler_user_data_t *user_data, void *arg)
{
	uint64_t i = (uint64_t)arg;

	if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
		__atomic_add_fetch(&load_enters[i], 1, __ATOMIC_RELAXED);
		user_data->value = record.correlation_id.internal;
	} else {
		__atomic_add_fetch(&load_exits[i], 1, __ATOMIC_RELAXED);
		CHECK_EQUAL(user_data->value, record.correlation_id.internal);
	}
}

static rocprofiler_thread_id_t own_tids[THREADS];
static uint64_t own_told[THREADS];

static void count_own(rocprofiler_callback_tracing_record_t record,
		      rocprofiler_user_data_t *user_data, void *arg)
{
	uint64_t i = (uint64_t)arg;

	count_load(record, user_data, arg);
	if (record.thread_id == own_tids[i] && record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT)
		own_told[i]++;
}

static int make_load(rocprofiler_client_finalize_t end, void *data)
{
	for (uint64_t i = 0; i < THREADS; i++) {
		many[i] = make_context();
		want_calls(many[i], count_own, (void *)i);
	}
	return 0;
}

/* Has its context run for some of its calls, and calls more in between, as the others do. */
static void *start_and_stop(void *arg)
{
	uint64_t i = (uint64_t)arg;

	own_tids[i] = gettid();
	for (int turn = 0; turn < TURNS; turn++) {
		uint64_t before = own_told[i];

		CHECK_OK(rocprofiler_start_context(many[i]));
		for (int n = 0; n < CALLS; n++)
			CHECK(fake_call(OP, NULL, NULL));
		CHECK_OK(rocprofiler_stop_context(many[i]));
		CHECK_EQUAL(own_told[i] - before, CALLS);
		for (int n = 0; n < CALLS; n++)
			fake_call(OTHER_OP, NULL, NULL);
		CHECK_EQUAL(own_told[i] - before, CALLS);
	}
	return NULL;
}

static void nothing_is_lost_while_contexts_are_started_and_stopped(void)
{
	pthread_t threads[THREADS];

	fake_start(make_load);
	for (uint64_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, start_and_stop, (void *)i);
	for (uint64_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (uint64_t i = 0; i < THREADS; i++) {
		CHECK(load_enters[i] >= TURNS * CALLS);
		CHECK_EQUAL(load_enters[i], load_exits[i]);
	}
}

/* Finalised while threads make calls: they are outside of the tool then, and stay there. */
static bool is_gone;

static void check_there(rocprofiler_callback_tracing_record_t record,
			rocprofiler_user_data_t *user_data, void *arg)
{
	CHECK(!__atomic_load_n(&is_gone, __ATOMIC_ACQUIRE));
	__atomic_add_fetch(&load_enters[0], 1, __ATOMIC_RELAXED);
}

static void be_gone(void *data)
{
	__atomic_store_n(&is_gone, true, __ATOMIC_RELEASE);
}

static int make_going(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	want_calls(context, check_there, NULL);
	CHECK_OK(rocprofiler_start_context(context));
	fake_finalize = be_gone;
	return 0;
}

static void *call_until_done(void *arg)
{
	while (!__atomic_load_n(&load_done, __ATOMIC_ACQUIRE))
		fake_call(OP, NULL, NULL);
	return NULL;
}

static void no_thread_is_in_a_tool_that_is_finalised(void)
{
	pthread_t threads[THREADS];

	fake_start(make_going);
	for (uint64_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_until_done, NULL);
	usleep(20000);
	fake_end(fake_id);
	usleep(20000);
	__atomic_store_n(&load_done, true, __ATOMIC_RELEASE);
	for (uint64_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

IN_CHILD(contexts_are_made_in_initialize_and_started_at_any_time)
IN_CHILD(services_are_configured_in_initialize_once_a_kind)
IN_CHILD(calls_are_told_at_enter_and_exit)
IN_CHILD(many_contexts_are_told_of_the_same_call)
IN_CHILD(who_was_told_of_the_begin_is_told_of_the_end)
IN_CHILD(a_tool_ends_in_its_callback_and_is_told_of_nothing_more)
IN_CHILD(what_throws_leaves_the_thread_as_it_was)
IN_CHILD(a_tool_that_throws_in_initialize_is_out)
IN_CHILD(a_tool_may_throw_at_the_end)
IN_CHILD(nothing_is_lost_while_contexts_are_started_and_stopped)
IN_CHILD(no_thread_is_in_a_tool_that_is_finalised)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHILD_TEST(contexts_are_made_in_initialize_and_started_at_any_time),
		CHILD_TEST(services_are_configured_in_initialize_once_a_kind),
		CHILD_TEST(calls_are_told_at_enter_and_exit),
		CHILD_TEST(many_contexts_are_told_of_the_same_call),
		CHILD_TEST(who_was_told_of_the_begin_is_told_of_the_end),
		CHILD_TEST(a_tool_ends_in_its_callback_and_is_told_of_nothing_more),
		CHILD_TEST(what_throws_leaves_the_thread_as_it_was),
		CHILD_TEST(a_tool_that_throws_in_initialize_is_out),
		CHILD_TEST(a_tool_may_throw_at_the_end),
		CHILD_TEST(nothing_is_lost_while_contexts_are_started_and_stopped),
		CHILD_TEST(no_thread_is_in_a_tool_that_is_finalised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
