/* SPDX-License-Identifier: MIT */
/*
 * How much a device had to do in each stretch of time: what is shown as a curve.
 *
 * Stretches are of equal length, which doubles whenever there are too many of them: a trace of any
 * length is RATES_MAX points at most.
 */
#ifndef RTRACE_FORMATS_RATE_CURVES_H
#define RTRACE_FORMATS_RATE_CURVES_H

#include <stddef.h>
#include <stdint.h>

#include "user/event/event.h"

#define RATES_MAX   8192
#define RATES_FIRST 10000000 /* ns that a stretch lasts at first */

struct rate {
	uint64_t submitted, ended; /* operations */
	uint64_t kernels;	   /* begun */
	double bytes;		   /* copied */
};

/* Zero it, but for `from`: when the first stretch begins. What was before counts to it. */
struct rates {
	uint64_t from, width;
	struct rate *all;
	size_t count;
};

/* Counts a dispatch, copy or barrier that has times. -ENOMEM, else 0. */
int rate_curves__add(struct rates *r, const struct event *ev);

/* When the nth stretch begins; the last one ends at that of count. */
uint64_t rate_curves__at(const struct rates *r, size_t n);

void rate_curves__free(struct rates *r);

#endif
