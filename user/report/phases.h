/* SPDX-License-Identifier: MIT */
/*
 * Phases of a program by its roctx ranges: what was called and launched in the ranges of each
 * message. What lies in several ranges counts for the innermost.
 *
 * A range is told when it ends, so what lies in one waits for its message; and what the GPU runs
 * for it may be told later still, so messages are remembered for some time.
 */
#ifndef RTRACE_PHASES_H
#define RTRACE_PHASES_H

#include <stddef.h>

#include "user/report/tally.h"

struct phase {
	uint32_t name; /* the message */
	struct spread ranges, kernels, copies;
	struct spread calls; /* those that the application made itself */
	uint64_t bytes;	     /* copied */
};

struct phases;

struct phases *phases__new(void);
void phases__free(struct phases *p);

/* A range, an operation or an outermost call. 0 or -ENOMEM. */
int phases__event(struct phases *p, const struct event *ev, uint32_t name);

/* There is no more to come. */
void phases__end(struct phases *p);

/* What lies in no range, and in ranges whose message is not known. After the end. */
const struct phase *phases__outside(const struct phases *p);
const struct phase *phases__unknown(const struct phases *p);

/* All messages, the longest ranges first; to be freed. NULL: no memory. */
const struct phase **phases__sorted(const struct phases *p, size_t *count);

#endif
