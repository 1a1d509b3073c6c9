/* SPDX-License-Identifier: MIT */
/*
 * What distinguishes ranges, in each roctx library that includes this: levels of push/pop ranges by
 * thread, identifiers of start/stop ranges.
 */
#ifndef ROCTX_LEVELS_H
#define ROCTX_LEVELS_H

#include <stdint.h>

/*
 * Not initial-exec: the library may come by dlopen, when the room for static thread-local storage
 * may be used up, and must load even then.
 */
static __thread int open_ranges;
static uint64_t last_id;

/* The level of the range that is opened, from 0. */
static inline int levels__push(void)
{
	return open_ranges++;
}

/* The level of the range that is closed, -1: there is none. */
static inline int levels__pop(void)
{
	return open_ranges ? --open_ranges : -1;
}

/* From 1 on, none twice. */
static inline uint64_t levels__new_id(void)
{
	return __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
}

#endif
