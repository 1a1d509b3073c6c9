/* SPDX-License-Identifier: MIT */
/*
 * The time of all records: that of HSA's clock.
 */
#ifndef RTRACE_ROCPROFILER_SUPPORT_CLOCK_H
#define RTRACE_ROCPROFILER_SUPPORT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* ns of CLOCK_BOOTTIME */
static inline uint64_t clock__now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif
