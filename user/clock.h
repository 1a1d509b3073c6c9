/* SPDX-License-Identifier: MIT */
/*
 * Maps a clock that GPU times are in to CLOCK_BOOTTIME, from pairs of both.
 *
 * Between two pairs the mapping is linear; before the first and after the last it goes on with the
 * slope of the nearest segment. A segment whose slope is none that a drift can give (the machine
 * slept, a clock was set) says nothing about what lies inside it: there each side goes on with the
 * slope of its neighbour. The runtime's own clock mostly is CLOCK_BOOTTIME: while every pair agrees
 * within its own error, times are taken as they are.
 */
#ifndef RTRACE_CLOCK_H
#define RTRACE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_pair {
	uint64_t boot;	/* ns */
	uint64_t ticks; /* of the other clock */
	uint64_t error; /* width of the window in which both were read, ns */
};

struct clock_map {
	struct clock_pair *pairs; /* by ticks */
	size_t count;
	uint64_t error; /* the largest of any pair so far */
	bool differs;	/* some pair says that the clocks are not the same */
};

/* Adds a pair; one that goes backwards in either clock is ignored. 0 or -ENOMEM. */
int clock_map__add(struct clock_map *map, const struct clock_pair *pair);

/* Is there a pair behind that time and another, so that a later one would change nothing? */
bool clock_map__covers(const struct clock_map *map, uint64_t ticks);

/* CLOCK_BOOTTIME of what began and ended then, and cannot have begun before `not_before`. */
struct clock_span {
	uint64_t begin, end;
};
struct clock_span clock_map__to_boot(const struct clock_map *map, struct clock_span ticks,
				     uint64_t not_before);

void clock_map__free(struct clock_map *map);

/* CLOCK_BOOTTIME, now. */
uint64_t clock__boot_ns(void);

#endif
