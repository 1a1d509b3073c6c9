// SPDX-License-Identifier: MIT
/*
 * Keeps the gaps between the intervals, as only those can still be filled.
 */
#include "user/live/busy_time.h"

#include <string.h>

static void push_gap(struct busy *b, uint64_t begin, uint64_t end)
{
	if (begin >= end)
		return;
	if (b->count == BUSY_GAPS)
		memmove(b->gaps, b->gaps + 1, --b->count * sizeof(b->gaps[0]));
	b->gaps[b->count].begin = begin;
	b->gaps[b->count++].end = end;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the interval fills of the gaps, which get smaller by it. */
static uint64_t fill_gaps(struct busy *b, uint64_t begin, uint64_t end)
{
	struct busy old = *b;
	uint64_t filled = 0;
	size_t first = b->count;

	while (first && b->gaps[first - 1].end > begin)
		first--;
	b->count = first;
	for (size_t i = first; i < old.count; i++) {
		uint64_t from = later(old.gaps[i].begin, begin);
		uint64_t to = earlier(old.gaps[i].end, end);

		if (from >= to) {
			push_gap(b, old.gaps[i].begin, old.gaps[i].end);
			continue;
		}
		filled += to - from;
		push_gap(b, old.gaps[i].begin, from);
		push_gap(b, to, old.gaps[i].end);
	}
	return filled;
}

uint64_t busy_time__add(struct busy *b, uint64_t begin, uint64_t end)
{
	uint64_t filled = 0;

	if (begin >= end)
		return 0;
	if (begin >= b->until) {
		push_gap(b, b->until, begin);
		b->until = end;
		return end - begin;
	}
	if (b->count && b->gaps[b->count - 1].end > begin)
		filled = fill_gaps(b, begin, end);
	if (end > b->until) {
		filled += end - b->until;
		b->until = end;
	}
	return filled;
}
