// SPDX-License-Identifier: MIT
/*
 * Tests which functions are captured and which are shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "user/api/selection.h"

/* A selection of these words of -t, separated as the array is. */
static struct selection of_words(const char *const *words)
{
	struct selection s = {};

	for (; *words; words++)
		assert_true(selection__add_domain(&s, *words));
	return s;
}

#define WORDS(...) of_words((const char *const[]){__VA_ARGS__, NULL})

static struct selection everything(void)
{
	struct selection s;

	selection__all(&s);
	return s;
}

static void all_but_hot_functions_is_the_default(void **state)
{
	struct selection s = everything();

	assert_int_equal(selection__of(&s, "hipMalloc"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsa_init"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsaKmtOpenKFD"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "AMDKFD_IOC_GET_VERSION"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "roctxMarkA"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "roctracer_start"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsa_signal_wait_scacquire"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsa_signal_store_screlease"), SELECT_NO);
	assert_int_equal(selection__of(&s, "hsa_queue_load_write_index_relaxed"), SELECT_NO);
	assert_int_equal(selection__of(&s, "malloc"), SELECT_NO);
	assert_int_equal(selection__of(&s, ""), SELECT_NO);
	assert_true(s.kernels && s.copies && selection__has_all_causes(&s));
	s.hot = true;
	assert_int_equal(selection__of(&s, "hsa_signal_store_screlease"), SELECT_SHOW);
}

static void domains(void **state)
{
	struct selection s = WORDS("hip");

	assert_int_equal(selection__of(&s, "hipMalloc"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "__hipPushCallConfiguration"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsa_init"), SELECT_NO);
	assert_int_equal(selection__of(&s, "roctxRangePushA"), SELECT_NO);
	assert_false(s.kernels || s.copies);
	assert_true(selection__has_causes(&s));
	assert_false(selection__has_all_causes(&s));
	s = WORDS("hsa", "kfd");
	assert_int_equal(selection__of(&s, "hsa_init"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsaKmtOpenKFD"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hipMalloc"), SELECT_NO);
	s = WORDS("kernel");
	assert_int_equal(selection__of(&s, "hipLaunchKernel"), SELECT_NO);
	assert_true(s.kernels && !s.copies && !selection__has_causes(&s));
	s = WORDS("memory-copy");
	assert_true(s.copies && !s.kernels);
	s = WORDS("memory");
	assert_true(s.memory && !s.copies && !s.kernels && !s.scratch && !s.setup);
	s = WORDS("scratch", "setup");
	assert_true(s.scratch && s.setup && !s.memory && !s.copies && !s.kernels);
	s = WORDS("gpu");
	assert_true(s.copies && s.kernels && s.memory && s.scratch && s.setup);
	assert_false(s.barriers);
	s.hot = s.barriers = true;
	selection__none(&s);
	assert_false(s.domains || s.copies || s.kernels || s.memory || s.scratch || s.setup);
	assert_true(s.hot && s.barriers);
	s = WORDS("marker");
	assert_int_equal(s.domains, WORDS("roctx").domains);
	s = WORDS("runtime");
	assert_int_equal(selection__of(&s, "hipMalloc"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsa_init"), SELECT_NO);
	assert_true(s.copies && s.kernels);
	s = WORDS("all");
	assert_int_equal(s.domains, everything().domains);
	assert_false(selection__add_domain(&s, "hips"));
	assert_false(selection__add_domain(&s, ""));
}

/* Whatever is selected: they say what is to be traced at all, and what IDs it has. */
static void control_functions_are_always_captured(void **state)
{
	static const char *const names[] = {
		"roctracer_start",
		"roctracer_stop",
		"roctxProfilerPause",
		"roctxProfilerResume",
		"roctracer_activity_push_external_correlation_id",
		"roctracer_activity_pop_external_correlation_id",
		"rocprofiler_push_external_correlation_id",
		"rocprofiler_pop_external_correlation_id",
	};
	struct selection kernels = WORDS("kernel"), none = everything();

	assert_true(selection__add_function(&none, "!*"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(selection__of(&kernels, names[i]), SELECT_QUIET);
		assert_int_equal(selection__of(&none, names[i]), SELECT_QUIET);
	}
	assert_int_equal(selection__of(&none, "hipMalloc"), SELECT_NO);
}

static void what_others_need_is_captured(void **state)
{
	struct selection s = WORDS("hip", "roctx");

	assert_true(selection__add_function(&s, "hipLaunch*"));
	assert_int_equal(selection__of(&s, "hipLaunchKernel"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "__hipRegisterFunction"), SELECT_QUIET);
	assert_int_equal(selection__of(&s, "hipModuleGetFunction"), SELECT_QUIET);
	assert_int_equal(selection__of(&s, "roctxRangePop"), SELECT_QUIET);
	assert_int_equal(selection__of(&s, "roctxNameOsThread"), SELECT_QUIET);
	s = WORDS("hsa");
	assert_int_equal(selection__of(&s, "__hipRegisterFunction"), SELECT_NO);
	assert_int_equal(selection__of(&s, "roctxRangePop"), SELECT_NO);
}

static void functions(void **state)
{
	struct selection s = everything();

	assert_true(selection__add_function(&s, "hipMem*"));
	assert_true(selection__add_function(&s, "hsa_signal_[ls]*"));
	assert_true(selection__add_function(&s, "!*Async"));
	assert_true(selection__add_function(&s, "!hipMemset"));
	assert_int_equal(selection__of(&s, "hipMemcpy"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hipMemcpyAsync"), SELECT_NO);
	assert_int_equal(selection__of(&s, "hipMemset"), SELECT_NO);
	assert_int_equal(selection__of(&s, "hipMalloc"), SELECT_NO);
	/* A user that names the hot functions wants them. */
	assert_int_equal(selection__of(&s, "hsa_signal_load_relaxed"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsa_signal_create"), SELECT_NO);
	assert_false(selection__has_all_causes(&s));
	s = everything();
	assert_true(selection__add_function(&s, "!hsa_*"));
	assert_int_equal(selection__of(&s, "hipMalloc"), SELECT_SHOW);
	assert_int_equal(selection__of(&s, "hsa_init"), SELECT_NO);
}

static void as_many_patterns_as_there_is_room_for(void **state)
{
	struct selection s = everything();

	for (int i = 0; i < SELECT_GLOBS; i++) {
		assert_true(selection__add_function(&s, "a*"));
		assert_true(selection__add_function(&s, "!b*"));
	}
	assert_false(selection__add_function(&s, "a*"));
	assert_false(selection__add_function(&s, "!b*"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_but_hot_functions_is_the_default),
		cmocka_unit_test(domains),
		cmocka_unit_test(control_functions_are_always_captured),
		cmocka_unit_test(what_others_need_is_captured),
		cmocka_unit_test(functions),
		cmocka_unit_test(as_many_patterns_as_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
