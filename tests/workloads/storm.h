/* SPDX-License-Identifier: MIT */
/*
 * What storm.hip and its kernels' host functions agree on: what a kernel does, and how the number
 * of a dispatch is written into the shape of its grid.
 */
#ifndef WORKLOADS_STORM_H
#define WORKLOADS_STORM_H

#include "tests/workloads/elements.h"

/* The beginning of a lane's memory on the GPU. */
#define STORM_ELEMENTS 16

struct storm_front {
	uint32_t data[STORM_ELEMENTS];
	uint32_t done; /* kernels that have run */
};

/* A dispatch's number has 5 bits in each dimension of the grid and 3 in two of the block's. */
#define STORM_SERIALS (1u << 21)

struct storm_shape {
	uint32_t grid[3]; /* blocks */
	uint32_t block[3];
};

ELEMENTS__FUNCTION struct storm_shape storm__shape(uint32_t serial)
{
	struct storm_shape shape = {
		{1 + serial % 32, 1 + serial / 32 % 32, 1 + serial / 1024 % 32},
		{STORM_ELEMENTS, 1 + serial / 32768 % 8, 1 + serial / 262144 % 8},
	};

	return shape;
}

ELEMENTS__FUNCTION uint32_t storm__serial(const struct storm_shape *shape)
{
	return (shape->grid[0] - 1) + (shape->grid[1] - 1) * 32 + (shape->grid[2] - 1) * 1024 +
	       (shape->block[1] - 1) * 32768 + (shape->block[2] - 1) * 262144;
}

/* Which of the three kernels a dispatch is, and what it makes of an element. */
ELEMENTS__FUNCTION uint32_t storm__kind(uint32_t serial)
{
	return serial % 3;
}

ELEMENTS__FUNCTION uint32_t storm__apply(uint32_t x, uint32_t serial)
{
	switch (storm__kind(serial)) {
	case 0:
		return elements__add(x, serial);
	case 1:
		return elements__xor(x, serial);
	default:
		return elements__multiply(x, serial);
	}
}

#endif
