/* SPDX-License-Identifier: MIT */
/*
 * Memory that was allocated and not freed before the end of the recording.
 */
#ifndef RTRACE_UNFREED_H
#define RTRACE_UNFREED_H

#include <stdbool.h>
#include <stddef.h>

#include "user/event/event.h"
#include "user/report/name_table.h"

struct allocation {
	uint64_t address; /* or handle, of memory without addresses */
	uint64_t bytes, at;
	uint32_t pid, tid;
	int32_t device;
	uint32_t call; /* name of the outermost call that allocated it, with `known` */
	bool known;
};

struct unfreed;

struct unfreed *unfreed__new(void);
void unfreed__free(struct unfreed *u);

/* Both 0 or -ENOMEM. Of calls only the outermost are of use. */
int unfreed__memory(struct unfreed *u, const struct event *ev);
int unfreed__call(struct unfreed *u, const struct event *ev, uint32_t name);

/* How many allocations were too many to be followed. */
uint64_t unfreed__left_out(const struct unfreed *u);

/* All of them, the largest first; to be freed. NULL: no memory. */
const struct allocation **unfreed__sorted(const struct unfreed *u, size_t *count);

#endif
