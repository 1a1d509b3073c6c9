/* SPDX-License-Identifier: MIT */
/*
 * A libhsakmt.so.1 of a few functions that count their calls, and objects that are linked against
 * it, each in a way of its own.
 */
#ifndef RTRACE_TESTS_FAKEKMT_H
#define RTRACE_TESTS_FAKEKMT_H

#include <stdint.h>

#if __has_include(<hsakmt.h>)
#include <hsakmt.h>
#else
#include <hsakmt/hsakmt.h>
#endif

/* What they return. */
#define FAKE_OPENED HSAKMT_STATUS_KERNEL_ALREADY_OPENED
#define FAKE_SET    HSAKMT_STATUS_INVALID_HANDLE
#define FAKE_WAITED HSAKMT_STATUS_WAIT_TIMEOUT
#define FAKE_RESET  HSAKMT_STATUS_NOT_SUPPORTED
#define FAKE_HIDDEN HSAKMT_STATUS_UNAVAILABLE /* by hsaKmtResetEvent of hiding_caller */

struct fakekmt_counts {
	uint64_t opens, sets, waits, resets;
};

extern struct fakekmt_counts fakekmt_counts;
/* What hsaKmtSetEvent does, unless it is NULL. */
extern void (*fakekmt_inside)(void);

/* How an object calls; hsaKmtWaitOnEvent itself calls hsaKmtSetEvent. */
struct caller {
	HSAKMT_STATUS (*open)(void);
	HSAKMT_STATUS (*set)(HsaEvent *event);
	HSAKMT_STATUS (*wait)(HsaEvent *event, HSAuint32 milliseconds);
	HSAKMT_STATUS (*reset)(HsaEvent *event);
};

/* The one thing that each object exports is one of these. */
extern const struct caller lazy_caller;	 /* binds calls when they are made */
extern const struct caller bound_caller; /* at once, and is read-only then */
extern const struct caller noplt_caller; /* the same, and calls by addresses in its data */
extern const struct caller hiding_caller;

#endif
