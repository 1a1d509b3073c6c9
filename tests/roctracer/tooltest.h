/* SPDX-License-Identifier: MIT */
/*
 * What tests of libroctracer64 have in common, that are tools of it themselves.
 */
#ifndef RTRACE_TESTS_TOOLTEST_H
#define RTRACE_TESTS_TOOLTEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "roctracer/roctracer_ext.h"

#define assert_ok(call) assert_int_equal((call), ROCTRACER_STATUS_SUCCESS)

/* Of a call that was just made on this thread. */
static inline void expect_error(roctracer_status_t got, roctracer_status_t want,
				const char *message)
{
	char *text = (char *)roctracer_error_string();

	assert_int_equal(got, want);
	if (!strstr(text, message))
		fail_msg("\"%s\" does not say \"%s\"", text, message);
	free(text);
}

/* Callback of a pool that adds the number of records up in *arg. */
static inline void count_records(const char *begin, const char *end, void *arg)
{
	__atomic_add_fetch((uint64_t *)arg, (end - begin) / sizeof(activity_record_t),
			   __ATOMIC_RELAXED);
}

/* As the teardown of a test: nothing is enabled any more, the default pool is closed. */
static inline int disable_everything(void **state)
{
	roctracer_start();
	roctracer_disable_callback();
	roctracer_disable_activity();
	return roctracer_close_pool();
}

#endif
