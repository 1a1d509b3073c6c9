/* SPDX-License-Identifier: MIT */
/*
 * Percentiles of times, within one per cent, in little memory.
 */
#ifndef RTRACE_LATENCY_H
#define RTRACE_LATENCY_H

#include <stdint.h>

struct latency;

struct latency *latency__new(void);
void latency__free(struct latency *l);

void latency__add(struct latency *l, uint64_t ns);

uint64_t latency__count(const struct latency *l);
uint64_t latency__max(const struct latency *l);

/* The time that `percent` of all are not longer than; 0 if there are none. */
uint64_t latency__percentile(const struct latency *l, double percent);

#endif
