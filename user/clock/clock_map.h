/* SPDX-License-Identifier: MIT */
/*
 * Maps a clock that GPU times are in to CLOCK_BOOTTIME, from pairs of both.
 *
 * Between two pairs the mapping is linear; before the first and after the last it goes on with the
 * slope of the nearest segment. That of a short one comes from earlier pairs. If no drift can
 * explain a segment's slope (the machine slept, a clock was set), that slope is not used. Inside
 * the segment, each side goes on with the slope of its neighbour. The runtime's own clock mostly is
 * CLOCK_BOOTTIME: while every pair agrees within its own error, times are taken as they are.
 */
#ifndef RTRACE_CLOCK_CLOCK_MAP_H
#define RTRACE_CLOCK_CLOCK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/kfd_clock.h"

struct clock_map {
	struct clock_pair *pairs; /* by ticks */
	size_t count, room;
	uint64_t error; /* the largest of any pair so far */
	bool differs;	/* some pair shows that the clocks are not the same */
};

/*
 * Adds a pair. One that goes backwards in either clock is ignored, and so is one that was read much
 * worse than its neighbour of the same second. 0 or -ENOMEM.
 */
int clock_map__add(struct clock_map *map, const struct clock_pair *pair);

/* Is there a pair at or after `ticks`, and another, so that a later one would change nothing? */
bool clock_map__covers(const struct clock_map *map, uint64_t ticks);

/*
 * CLOCK_BOOTTIME of an operation that ran at `ticks` and cannot have begun before `not_before`.
 * Times before 0 are 0, and those too large for 64 bits are UINT64_MAX.
 */
struct clock_span {
	uint64_t begin, end;
};
struct clock_span clock_map__to_boot(const struct clock_map *map, struct clock_span ticks,
				     uint64_t not_before);

/*
 * Can something that was submitted at `submit` have run at that time? Not if it ends before it
 * begins, began before it was submitted or ends after now, by more than clocks are ever wrong.
 */
bool clock_span__is_sane(const struct clock_span *boot, uint64_t submit, uint64_t now);

/* A GPU's clock may have been stopped or set within the 100 ms between two pairs. */
#define CLOCK_SLACK_NS 2000000000ULL

void clock_map__free(struct clock_map *map);

/* CLOCK_BOOTTIME, now. */
uint64_t clock__boot_ns(void);

#endif
