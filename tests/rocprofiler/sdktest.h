/* SPDX-License-Identifier: MIT */
/*
 * Tools are registered once in a process: so a test is a function that runs in a child of its own.
 */
#ifndef TESTS_ROCPROFILER_SDKTEST_H
#define TESTS_ROCPROFILER_SDKTEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#define CHILD_SECONDS 250 /* less than scripts/check gives to a test */

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1);                                                       \
		}                                                                       \
	} while (0)

#define CHECK_EQUAL(a, b)                                                                        \
	do {                                                                                     \
		long long check_a = (long long)(a), check_b = (long long)(b);                    \
		if (check_a != check_b) {                                                        \
			fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #a, \
				check_a, check_b);                                               \
			_exit(1);                                                                \
		}                                                                                \
	} while (0)

#define CHECK_OK(call)		CHECK_EQUAL(call, ROCPROFILER_STATUS_SUCCESS)
#define CHECK_ERROR(call, code) CHECK_EQUAL(call, ROCPROFILER_STATUS_ERROR_##code)

/* It ends with exit(), so that what runs at exit does. */
static inline int status_of_child(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(CHILD_SECONDS);
		fn();
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* A cmocka test of what runs in a child. */
#define IN_CHILD(name)                                      \
	static void name##_in_child(void **state)           \
	{                                                   \
		assert_int_equal(status_of_child(name), 0); \
	}
#define CHILD_TEST(name)                                 \
	{                                                \
#name, name##_in_child, NULL, NULL, NULL \
	}

#endif
