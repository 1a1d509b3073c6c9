/* SPDX-License-Identifier: MIT */
/*
 * Maps the GPU runtime's clock (HSA system timestamps) of one process to CLOCK_BOOTTIME.
 *
 * Agents publish pairs of both clocks. Between two pairs the mapping is linear; before the first
 * and after the last it goes on with the slope of the nearest segment. On current ROCr the HSA
 * clock is CLOCK_BOOTTIME itself: while every pair agrees within its own error, times are taken as
 * they are.
 */
#ifndef RTRACE_CLOCK_H
#define RTRACE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_pair {
	uint64_t boot, hsa; /* ns */
	uint64_t error;	    /* width of the window in which both were read, ns */
};

struct clock_map {
	struct clock_pair *pairs; /* by hsa */
	size_t count;
	bool differs; /* some pair says that the clocks are not the same */
};

/* Adds a pair; one that goes backwards in either clock is ignored. 0 or -ENOMEM. */
int clock_map__add(struct clock_map *map, const struct clock_pair *pair);

/* CLOCK_BOOTTIME of an HSA timestamp. */
uint64_t clock_map__to_boot(const struct clock_map *map, uint64_t hsa);

void clock_map__free(struct clock_map *map);

/* CLOCK_BOOTTIME, now. */
uint64_t clock__boot_ns(void);

#endif
