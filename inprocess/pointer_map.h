/* SPDX-License-Identifier: MIT */
/*
 * A hash map from 64-bit keys to 64-bit values that is read without a lock.
 *
 * For look-ups on the launch path of things that change rarely: queues, kernel objects. A key once
 * put keeps its place for good; removing it sets its value to 0. When the table is half full a
 * table of twice the size takes over; the old ones are kept, because a reader may still be in them,
 * and together are smaller than the new one.
 */
#ifndef RTRACE_INPROCESS_POINTER_MAP_H
#define RTRACE_INPROCESS_POINTER_MAP_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct map_table;

struct map {
	struct map_table *table;
	pthread_mutex_t lock; /* of writers */
};

#define MAP_INIT                                \
	{                                       \
		NULL, PTHREAD_MUTEX_INITIALIZER \
	}

/* Sets the value of a key (neither 0). 0 or -ENOMEM. */
int pointer_map__put(struct map *map, uint64_t key, uint64_t value);

/* The value of the key, 0 when it has none. */
uint64_t pointer_map__get(const struct map *map, uint64_t key);

void pointer_map__remove(struct map *map, uint64_t key);

#endif
