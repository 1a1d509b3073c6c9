// SPDX-License-Identifier: MIT
/*
 * A histogram with buckets that are at most as wide as 1/128 of the values in them.
 */
#include "user/report/latency.h"

#include <stdlib.h>

#define SUB_BITS 7
#define SUBS	 (1u << SUB_BITS)
#define BUCKETS	 ((64 - SUB_BITS + 1) * SUBS)

struct latency {
	uint64_t count, max;
	uint64_t buckets[BUCKETS];
};

struct latency *latency__new(void)
{
	return calloc(1, sizeof(struct latency));
}

void latency__free(struct latency *l)
{
	free(l);
}

/* Times below SUBS have a bucket each; from there on each power of two has SUBS. */
static unsigned int bucket(uint64_t ns)
{
	unsigned int shift;

	if (ns < SUBS)
		return ns;
	shift = 63 - __builtin_clzll(ns) - SUB_BITS;
	return (shift + 1) * SUBS + ((ns >> shift) & (SUBS - 1));
}

/* The longest time in the bucket. */
static uint64_t longest(unsigned int n)
{
	unsigned int shift = n / SUBS;

	if (!shift)
		return n;
	shift--;
	return ((uint64_t)(SUBS + n % SUBS) << shift) + ((1ULL << shift) - 1);
}

void latency__add(struct latency *l, uint64_t ns)
{
	l->buckets[bucket(ns)]++;
	l->count++;
	if (ns > l->max)
		l->max = ns;
}

uint64_t latency__count(const struct latency *l)
{
	return l->count;
}

uint64_t latency__max(const struct latency *l)
{
	return l->max;
}

uint64_t latency__percentile(const struct latency *l, double percent)
{
	uint64_t seen = 0;

	for (unsigned int i = 0; i < BUCKETS; i++) {
		uint64_t end;

		seen += l->buckets[i];
		if (!seen || (double)seen * 100 < percent * (double)l->count)
			continue;
		end = longest(i);
		return end < l->max ? end : l->max;
	}
	return l->max;
}
