// SPDX-License-Identifier: MIT
/*
 * Piecewise-linear mapping of clocks.
 */
#include "user/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

int clock_map__add(struct clock_map *map, const struct clock_pair *pair)
{
	const struct clock_pair *last = map->count ? &map->pairs[map->count - 1] : NULL;
	uint64_t apart = pair->boot > pair->hsa ? pair->boot - pair->hsa : pair->hsa - pair->boot;
	struct clock_pair *grown;

	if (last && (pair->hsa <= last->hsa || pair->boot <= last->boot))
		return 0;
	grown = realloc(map->pairs, (map->count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	map->pairs = grown;
	map->pairs[map->count++] = *pair;
	if (apart > pair->error)
		map->differs = true;
	return 0;
}

/* First pair of the segment that holds (or is nearest to) the timestamp. */
static size_t segment(const struct clock_map *map, uint64_t hsa)
{
	size_t low = 0, high = map->count - 1;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (map->pairs[mid].hsa <= hsa)
			low = mid;
		else
			high = mid;
	}
	return low;
}

uint64_t clock_map__to_boot(const struct clock_map *map, uint64_t hsa)
{
	const struct clock_pair *a, *b;
	double slope;

	if (!map->count || !map->differs)
		return hsa;
	if (map->count == 1)
		return hsa - map->pairs[0].hsa + map->pairs[0].boot;
	a = &map->pairs[segment(map, hsa)];
	b = a + 1;
	slope = (double)(b->boot - a->boot) / (double)(b->hsa - a->hsa);
	return a->boot + (int64_t)((double)(int64_t)(hsa - a->hsa) * slope);
}

void clock_map__free(struct clock_map *map)
{
	free(map->pairs);
	*map = (struct clock_map){};
}

uint64_t clock__boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}
