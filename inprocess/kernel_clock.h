/* SPDX-License-Identifier: MIT */
/*
 * The kernel's clocks, whatever library of the application's has replaced clock_gettime(): one that
 * moves the time for a test would move the times of a trace, and waits until a time.
 *
 * No function here changes errno or is a cancellation point; each may be called from any thread and
 * from a signal handler.
 */
#ifndef RTRACE_INPROCESS_KERNEL_CLOCK_H
#define RTRACE_INPROCESS_KERNEL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_BOOTTIME, ns: the clock of all records, and what HSA's own clock reads. */
uint64_t kernel_clock__boot_ns(void);

/*
 * The time that is that many ns from now by CLOCK_REALTIME: the end of a wait by
 * pthread_mutex_timedlock() or its like.
 */
struct timespec kernel_clock__in(uint64_t ns);

#endif
