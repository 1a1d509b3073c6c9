// SPDX-License-Identifier: MIT
/*
 * A window of cells on all of time, which grows by doubling their length.
 */
#include "user/base/density.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SHIFT 10 /* cells of some 1 us */

static bool is_empty(const struct density_cell *cell)
{
	return !cell->count && !cell->busy;
}

static void widen(struct density *d)
{
	uint64_t first = d->first >> 1;

	for (unsigned int i = 0; i < DENSITY_CELLS; i++) {
		struct density_cell cell = d->cells[i];
		unsigned int to = ((d->first + i) >> 1) - first; /* never after i */

		d->cells[i] = (struct density_cell){};
		d->cells[to].count += cell.count;
		d->cells[to].busy += cell.busy;
	}
	d->first = first;
	d->shift++;
}

/* Moves the window down to `first`, if what it holds stays inside. */
static bool slide(struct density *d, uint64_t first)
{
	uint64_t by = d->first - first;
	unsigned int used = DENSITY_CELLS;

	while (used && is_empty(&d->cells[used - 1]))
		used--;
	if (by > DENSITY_CELLS - used)
		return false;
	memmove(d->cells + by, d->cells, used * sizeof(*d->cells));
	memset(d->cells, 0, by * sizeof(*d->cells));
	d->first = first;
	return true;
}

static void make_room(struct density *d, uint64_t begin, uint64_t end)
{
	while (begin >> d->shift < d->first || (end >> d->shift) - d->first >= DENSITY_CELLS) {
		if (begin >> d->shift >= d->first || !slide(d, begin >> d->shift))
			widen(d);
	}
}

int density__add(struct density *d, uint64_t begin, uint64_t end)
{
	uint64_t first, last;

	if (!d->cells) {
		d->cells = calloc(DENSITY_CELLS, sizeof(*d->cells));
		if (!d->cells)
			return -ENOMEM;
		d->shift = FIRST_SHIFT;
		d->first = begin >> d->shift;
	}
	make_room(d, begin, end);
	first = (begin >> d->shift) - d->first;
	last = (end >> d->shift) - d->first;
	d->cells[first].count++;
	for (uint64_t i = first; i <= last; i++) {
		uint64_t from = i == first ? begin : (d->first + i) << d->shift;
		uint64_t to = i == last ? end : (d->first + i + 1) << d->shift;

		d->cells[i].busy += to - from;
	}
	return 0;
}

void density__write(const struct density *d, struct bytes *to)
{
	unsigned int last = 0;

	for (unsigned int i = 0; d->cells && i < DENSITY_CELLS; i++) {
		if (is_empty(&d->cells[i]))
			continue;
		byte_buffer__put_number(to, i - last);
		byte_buffer__put_number(to, d->cells[i].count);
		byte_buffer__put_number(to, d->cells[i].busy);
		last = i;
	}
}

void density__free(struct density *d)
{
	free(d->cells);
}
