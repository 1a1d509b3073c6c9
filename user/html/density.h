/* SPDX-License-Identifier: MIT */
/*
 * What a row of the timeline does not show one by one: how many spans, and how much time of them,
 * in each of a number of cells of equal length. Where they do not reach, the cells become longer.
 */
#ifndef RTRACE_HTML_DENSITY_H
#define RTRACE_HTML_DENSITY_H

#include <stdint.h>

#include "user/bytes.h"

#define DENSITY_CELLS 1024

struct density_cell {
	uint64_t count; /* of the spans that begin in it */
	uint64_t busy;	/* ns, of all spans */
};

/* Zero it to begin with. Cell i is of the times (first + i) << shift. */
struct density {
	struct density_cell *cells; /* NULL: there is nothing */
	uint64_t first;
	unsigned int shift;
};

/* 0 or -ENOMEM. */
int density__add(struct density *d, uint64_t begin, uint64_t end);

/* Of each cell that has something: how many cells behind the last one, its count, its time. */
void density__write(const struct density *d, struct bytes *to);

void density__free(struct density *d);

#endif
