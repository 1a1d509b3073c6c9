/* SPDX-License-Identifier: MIT */
/*
 * Reports correlation ids that are used no more:
 * ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_RETIREMENT_H
#define RTRACE_ROCPROFILER_SERVICE_RETIREMENT_H

#include <stdbool.h>
#include <stdint.h>

/* A tool has configured it. From then on uses are counted. */
extern bool retirement_is_wanted;
void retirement__want(void);

void retirement__hold_counted(uint64_t internal);
void retirement__release_counted(uint64_t internal);

/*
 * The id is in use once more: by a call that begins, or by work that a GPU is given for it, until
 * the work has ended and been reported. False: uses are not counted.
 */
static inline bool retirement__hold(uint64_t internal)
{
	bool wanted = __atomic_load_n(&retirement_is_wanted, __ATOMIC_RELAXED);

	if (__builtin_expect(wanted, 0))
		retirement__hold_counted(internal);
	return wanted;
}

/* Counts one use less. If the id is no longer in use, buffers get a record. */
static inline void retirement__release(uint64_t internal)
{
	if (__builtin_expect(__atomic_load_n(&retirement_is_wanted, __ATOMIC_RELAXED), 0))
		retirement__release_counted(internal);
}

#endif
