// SPDX-License-Identifier: MIT
/*
 * Tests of inprocess/kernel_clock.h in a program that has a clock_gettime() of its own, with
 * another time: as a library has that moves the clock for a test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "inprocess/kernel_clock.h"
#include "inprocess/tsc_clock.h"

#define SECOND	1000000000ULL
#define MOVED_S 3600

static int asked;

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	int err = syscall(SYS_clock_gettime, clock, time);

	asked++;
	time->tv_sec += MOVED_S;
	return err;
}

static uint64_t kernels(clockid_t clock)
{
	struct timespec ts;

	assert_int_equal(syscall(SYS_clock_gettime, clock, &ts), 0);
	return ts.tv_sec * SECOND + ts.tv_nsec;
}

static void the_time_is_the_kernels(void **state)
{
	struct clock clock = {0};

	asked = 0;
	for (int i = 0; i < 1000; i++) {
		uint64_t before = kernels(CLOCK_BOOTTIME), now = kernel_clock__boot_ns();

		assert_in_range(now, before, kernels(CLOCK_BOOTTIME));
		now = clock__ask(&clock);
		assert_in_range(now, before, kernels(CLOCK_BOOTTIME));
	}
	assert_int_equal(asked, 0);
}

static void a_wait_ends_when_it_should(void **state)
{
	const uint64_t wait[] = {0, 1, 999999999, SECOND, 5 * SECOND + 7};

	asked = 0;
	for (size_t i = 0; i < sizeof(wait) / sizeof(wait[0]); i++) {
		uint64_t before = kernels(CLOCK_REALTIME) + wait[i];
		struct timespec until = kernel_clock__in(wait[i]);

		assert_true(until.tv_nsec >= 0 && until.tv_nsec < (long)SECOND);
		assert_in_range(until.tv_sec * SECOND + until.tv_nsec, before,
				kernels(CLOCK_REALTIME) + wait[i]);
	}
	assert_int_equal(asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_is_the_kernels),
		cmocka_unit_test(a_wait_ends_when_it_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
