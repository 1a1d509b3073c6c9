/* SPDX-License-Identifier: MIT */
/*
 * Tests the wrappers of libhsakmt's functions, each of them by any_call.h, and their numbers: what
 * a call reports, what the original receives, what the caller gets back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "roctracer/kfd/kfd_api.h"
#include "tests/unit/inprocess/any_call.h"

/* What the library received of the last call. */
static struct {
	int enters, exits;
	uint32_t id;
	struct kfd_api_trace enter, exit;
} told;

void roctracer_kfd_enter(uint32_t id, struct kfd_api_trace *trace)
{
	told.enters++;
	told.id = id;
	told.enter = *trace;
	trace->api_data.correlation_id = 77;
}

void roctracer_kfd_exit(uint32_t id, struct kfd_api_trace *trace)
{
	told.exits++;
	assert_int_equal(told.exits, told.enters);
	assert_int_equal(id, told.id);
	assert_int_equal(trace->api_data.correlation_id, 77);
	told.exit = *trace;
}

static void one_function(uint32_t id, const struct api_function *fn)
{
	uint64_t words[ANY_WORDS];

	memset(&told, 0, sizeof(told));
	any_choose(fn, NULL, words);
	kfd_api_original[id] = any_original;
	memset(kfd_api_enabled, 1, sizeof(kfd_api_enabled));
	kfd_api_enabled[id] = 0;
	any_call(kfd_api__wrapper(id), fn, words);
	assert_int_equal(told.enters + told.exits, 0);

	memset(kfd_api_enabled, 0, sizeof(kfd_api_enabled));
	kfd_api_enabled[id] = 1;
	any_call(kfd_api__wrapper(id), fn, words);
	assert_int_equal(told.enters, 1);
	assert_int_equal(told.exits, 1);
	assert_int_equal(told.id, id);
	assert_int_equal(told.enter.api_data.correlation_id, 0);
	assert_int_equal(told.enter.call.begin_ns, 0);
	any_is_told(fn, NULL, words, &told.enter.api_data.args);
	any_is_told(fn, NULL, words, &told.exit.api_data.args);
	any_returned(fn, &told.exit.api_data.HSAKMT_STATUS_retval);
	kfd_api_original[id] = NULL;
}

static void every_function(void **state)
{
	size_t called = 0;

	for (uint32_t id = 0; id < KFD_API_ID_NUMBER; id++) {
		const struct api_function *fn = api__find(kfd_api__name(id));

		assert_int_equal(fn != NULL, kfd_api__wrapper(id) != NULL);
		if (!fn)
			continue;
		one_function(id, fn);
		called++;
	}
	assert_true(called > 60);
}

/* Those of the headers that we are built with. */
static void every_function_has_a_number(void **state)
{
	for (size_t i = 0; i < api_function_count; i++) {
		const char *name = api_functions[i].name;

		if (!strncmp(name, "hsaKmt", 6) && kfd_api__code(name) == KFD_API_ID_NUMBER)
			fail_msg("%s is not in roctracer/kfd_functions.txt", name);
	}
}

static void names_and_numbers(void **state)
{
	for (uint32_t id = 0; id < KFD_API_ID_NUMBER; id++)
		assert_int_equal(kfd_api__code(kfd_api__name(id)), id);
	assert_string_equal(kfd_api__name(KFD_API_ID_NUMBER), "unknown");
	assert_string_equal(kfd_api__name(UINT32_MAX), "unknown");
	assert_int_equal(kfd_api__code(""), KFD_API_ID_NUMBER);
	assert_int_equal(kfd_api__code("hsaKmtOpen"), KFD_API_ID_NUMBER);
	assert_int_equal(kfd_api__code("zzz"), KFD_API_ID_NUMBER);
}

/* They are for ever: these are ROCm's. */
static void numbers_and_layout_are_those_that_programs_were_built_with(void **state)
{
	_Static_assert(KFD_API_ID_hsaKmtOpenKFD == 0, "the first");
	_Static_assert(KFD_API_ID_hsaKmtWaitOnMultipleEvents == 15, "a number");
	_Static_assert(KFD_API_ID_hsaKmtAllocMemory == 23, "a number");
	_Static_assert(KFD_API_ID_hsaKmtMapMemoryToGPUNodes == 36, "a number");
	_Static_assert(KFD_API_ID_hsaKmtSendHostTrap == 52, "one that is not declared any more");
	_Static_assert(KFD_API_ID_hsaKmtGetClockCounters == 61, "a number");
	_Static_assert(KFD_API_ID_hsaKmtGetXNACKMode == 80, "the last of ROCm's");
	_Static_assert(KFD_API_ID_hsaKmtRuntimeEnable == 81, "the first of ours");
	_Static_assert(KFD_API_ID_hsaKmtModelEnabled == 109, "the last");
	_Static_assert(offsetof(struct kfd_api_trace, api_data) == 0, "data");
	_Static_assert(offsetof(kfd_api_data_t, correlation_id) == 0, "correlation_id");
	_Static_assert(offsetof(kfd_api_data_t, phase) == 8, "phase");
	_Static_assert(offsetof(kfd_api_data_t, HSAKMT_STATUS_retval) == 12, "result");
	_Static_assert(offsetof(kfd_api_data_t, args) == 16, "args");
	_Static_assert(offsetof(kfd_api_data_t, phase_data) == sizeof(kfd_api_data_t) - 8,
		       "phase_data");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_function),
		cmocka_unit_test(every_function_has_a_number),
		cmocka_unit_test(names_and_numbers),
		cmocka_unit_test(numbers_and_layout_are_those_that_programs_were_built_with),
	};

	return cmocka_run_group_tests_name("KFD API", tests, NULL, NULL);
}
