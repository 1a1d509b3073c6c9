/* SPDX-License-Identifier: MIT */
/*
 * Phases of a program by its roctx ranges: what was called and launched in the ranges of each
 * message. A call or operation in several ranges counts for the innermost.
 *
 * A range is reported when it ends, so the calls in it wait for its message. The GPU's operations
 * for a range may be reported later still, so messages are remembered for some time.
 */
#ifndef RTRACE_REPORT_RANGE_PHASES_H
#define RTRACE_REPORT_RANGE_PHASES_H

#include <stddef.h>

#include "user/report/totals.h"

struct phase {
	uint32_t name; /* the message */
	struct spread ranges, kernels, copies;
	struct spread calls; /* those that the application made itself */
	uint64_t bytes;	     /* copied */
};

struct phases;

struct phases *range_phases__new(void);
void range_phases__free(struct phases *p);

/* A range, an operation or an outermost call. 0 or -ENOMEM. */
int range_phases__event(struct phases *p, const struct event *ev, uint32_t name);

/* There is no more to come. */
void range_phases__end(struct phases *p);

/* Calls and operations in no range, and in ranges with an unknown message. After the end. */
const struct phase *range_phases__outside(const struct phases *p);
const struct phase *range_phases__unknown(const struct phases *p);

/* All messages, the longest ranges first; to be freed. NULL: no memory. */
const struct phase **range_phases__sorted(const struct phases *p, size_t *count);

#endif
