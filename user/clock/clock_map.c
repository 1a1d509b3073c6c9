// SPDX-License-Identifier: MIT
/*
 * Piecewise-linear mapping of clocks.
 */
#include "user/clock/clock_map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAIRS_MAX 16384 /* then the older half goes: times are asked for soon after they were */
#define DRIFT_MAX 1e-3	/* by which slopes of segments may differ */
#define APART_MAX 1e19	/* ns, of a time from a pair */
#define RECENT_NS 1000000000ULL
#define NEAR_NS	  1000000ULL /* pairs nearer than that say little of the length of a tick */

static void drop_old(struct clock_map *map)
{
	size_t keep = map->count / 2;

	memmove(map->pairs, map->pairs + map->count - keep, keep * sizeof(*map->pairs));
	map->count = keep;
}

/* Something else had the CPU while it was read. */
static bool is_much_worse(const struct clock_pair *a, const struct clock_pair *b)
{
	return a->error > KFD_CLOCK_GOOD_ENOUGH && a->error / 4 > b->error;
}

static bool has_room(struct clock_map *map)
{
	size_t room = map->room ? 2 * map->room : 16;
	struct clock_pair *grown;

	if (map->count < map->room)
		return true;
	grown = realloc(map->pairs, room * sizeof(*grown));
	if (!grown)
		return false;
	map->pairs = grown;
	map->room = room;
	return true;
}

int clock_map__add(struct clock_map *map, const struct clock_pair *pair)
{
	struct clock_pair *last = map->count ? &map->pairs[map->count - 1] : NULL;
	uint64_t apart =
		pair->boot > pair->ticks ? pair->boot - pair->ticks : pair->ticks - pair->boot;

	if (last && (pair->ticks <= last->ticks || pair->boot <= last->boot))
		return 0;
	if (last && pair->boot - last->boot < RECENT_NS) {
		if (is_much_worse(pair, last))
			return 0;
		if (is_much_worse(last, pair))
			map->count--;
	}
	if (map->count == PAIRS_MAX)
		drop_old(map);
	if (!has_room(map))
		return -ENOMEM;
	map->pairs[map->count++] = *pair;
	if (apart > pair->error)
		map->differs = true;
	if (pair->error > map->error)
		map->error = pair->error;
	return 0;
}

bool clock_map__covers(const struct clock_map *map, uint64_t ticks)
{
	return map->count > 1 && ticks <= map->pairs[map->count - 1].ticks;
}

/* First pair of the segment that holds (or is nearest to) the time. */
static size_t segment(const struct clock_map *map, uint64_t ticks)
{
	size_t low = 0, high = map->count - 1;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (map->pairs[mid].ticks <= ticks)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static double slope_between(const struct clock_pair *a, const struct clock_pair *b)
{
	return (double)(b->boot - a->boot) / (double)(b->ticks - a->ticks);
}

/*
 * Of the segment that begins with the n-th pair. If that is short, the slope is taken from earlier
 * pairs on, unless more than the pairs' errors is between the two: then something happened to a
 * clock before.
 */
static double slope_of(const struct clock_map *map, size_t n)
{
	const struct clock_pair *a = &map->pairs[n], *b = a + 1, *earlier = a;
	double slope = slope_between(a, b), wide;

	while (b->boot - earlier->boot < NEAR_NS && earlier > map->pairs)
		earlier--;
	wide = slope_between(earlier, b);
	return fabs(wide / slope - 1) * (b->boot - a->boot) <= a->error + b->error ? wide : slope;
}

static bool differ(double a, double b)
{
	return fabs(a / b - 1) > DRIFT_MAX;
}

/* Both neighbours have another slope, and the same. */
static bool is_broken(const struct clock_map *map, size_t n)
{
	double before, after, slope = slope_of(map, n);

	if (!n || n + 2 >= map->count)
		return false;
	before = slope_of(map, n - 1);
	after = slope_of(map, n + 1);
	return differ(slope, before) && differ(slope, after) && !differ(before, after);
}

/* A time that does not fit into 64 bits becomes the nearest one that does. */
static uint64_t from(const struct clock_pair *pair, double slope, uint64_t ticks)
{
	bool before = ticks < pair->ticks;
	double apart = (double)(before ? pair->ticks - ticks : ticks - pair->ticks) * slope;
	uint64_t ns = apart < APART_MAX ? (uint64_t)apart : UINT64_MAX;

	if (before)
		return pair->boot > ns ? pair->boot - ns : 0;
	return pair->boot < UINT64_MAX - ns ? pair->boot + ns : UINT64_MAX;
}

struct clock_span clock_map__to_boot(const struct clock_map *map, struct clock_span ticks,
				     uint64_t not_before)
{
	const struct clock_pair *pair = map->pairs;
	double slope = 1;
	size_t n;

	if (!map->count || !map->differs)
		return ticks;
	if (map->count > 1) {
		n = segment(map, ticks.begin);
		pair = &map->pairs[n];
		slope = slope_of(map, n);
		if (is_broken(map, n)) {
			slope = slope_of(map, n - 1);
			if (from(pair, slope, ticks.begin) < not_before)
				pair++;
		}
	}
	return (struct clock_span){from(pair, slope, ticks.begin), from(pair, slope, ticks.end)};
}

bool clock_span__is_sane(const struct clock_span *boot, uint64_t submit, uint64_t now)
{
	return boot->begin <= boot->end && boot->end <= now + CLOCK_SLACK_NS &&
	       boot->begin + CLOCK_SLACK_NS >= submit;
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
