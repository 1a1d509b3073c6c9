/* SPDX-License-Identifier: MIT */
/*
 * Finds the number of a function by its name, in the tables that generators write.
 */
#ifndef ROCTRACER_NAMES_H
#define ROCTRACER_NAMES_H

#include <stdint.h>
#include <string.h>

/* `by_name` has the numbers in the order of the names. Returns `count` if there is none. */
static inline uint32_t names__find(const char *name, const char *const *names,
				   const uint16_t *by_name, uint32_t count)
{
	uint32_t first = 0, end = count;

	while (first < end) {
		uint32_t middle = (first + end) / 2;
		int order = strcmp(name, names[by_name[middle]]);

		if (!order)
			return by_name[middle];
		if (order < 0)
			end = middle;
		else
			first = middle + 1;
	}
	return count;
}

#endif
