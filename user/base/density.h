/* SPDX-License-Identifier: MIT */
/*
 * What a row of the timeline does not show one by one: how many spans, and how much time of them,
 * in each of a number of cells of equal length. Where they do not reach, the cells become longer.
 */
#ifndef RTRACE_BASE_DENSITY_H
#define RTRACE_BASE_DENSITY_H

#include <stdint.h>

#include "user/base/byte_buffer.h"

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

/* For each cell that is not empty: its distance from the last such cell, its count, its time. */
void density__write(const struct density *d, struct bytes *to);

void density__free(struct density *d);

#endif
