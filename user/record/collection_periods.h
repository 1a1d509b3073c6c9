/* SPDX-License-Identifier: MIT */
/*
 * Collection periods: when, from the start on, the user wants tracing to be on.
 */
#ifndef RTRACE_RECORD_COLLECTION_PERIODS_H
#define RTRACE_RECORD_COLLECTION_PERIODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERIODS_MAX 32

/* Off for `delay`, on for `length`, and that `repeat` times; 0: for ever. Times in ns. */
struct period {
	uint64_t delay, length, repeat;
};

/* One after the other. None: always on. */
struct periods {
	struct period period[PERIODS_MAX];
	size_t count;
};

/*
 * Adds "DELAY:LENGTH[:REPEAT]", numbers of `unit` ns with or without a fraction; REPEAT is 1 if
 * left out. false: it is not that, or there are too many.
 */
bool collection_periods__add(struct periods *p, const char *text, uint64_t unit);

/* The ns in "hour", "min", "sec", "msec", "usec" or "nsec"; 0: no such unit. */
uint64_t collection_periods__unit(const char *name);

/* Is tracing on, `elapsed` ns after the start? */
bool collection_periods__on(const struct periods *p, uint64_t elapsed);

#endif
