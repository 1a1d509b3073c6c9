/* SPDX-License-Identifier: MIT */
/*
 * How long something was busy: the union of intervals, summed up as they come.
 */
#ifndef RTRACE_LIVE_BUSY_TIME_H
#define RTRACE_LIVE_BUSY_TIME_H

#include <stddef.h>
#include <stdint.h>

#define BUSY_GAPS 64

/* Zero it to begin with. Times in ns. */
struct busy {
	uint64_t until; /* the end of the last interval */
	size_t count;
	struct {
		uint64_t begin, end;
	} gaps[BUSY_GAPS]; /* the last ones before that, in order */
};

/*
 * Adds an interval and returns how much of it no other had covered. That is exact for intervals
 * that come in the order of their ends or nearly so: all time before the last BUSY_GAPS gaps is
 * taken for covered.
 */
uint64_t busy_time__add(struct busy *b, uint64_t begin, uint64_t end);

#endif
