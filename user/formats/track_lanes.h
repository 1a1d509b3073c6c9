/* SPDX-License-Identifier: MIT */
/*
 * The tracks of a timeline: which exist, what number each has, and where a slice finds room.
 *
 * A viewer can show slices on one track only if they nest. Calls of one thread do; operations of a
 * GPU may overlap freely. So a track may have lanes: a slice goes to one that has nothing at or
 * after its begin, or to a new one.
 */
#ifndef RTRACE_FORMATS_TRACK_LANES_H
#define RTRACE_FORMATS_TRACK_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/hash.h"
#include "user/formats/slice_order.h"
#include "user/formats/rate_curves.h"

enum track_kind {
	TRACK_PROCESS,
	TRACK_THREAD,	 /* owner: tid */
	TRACK_ROCTX,	 /* owner: tid; ranges and marks of the thread */
	TRACK_RANGES,	 /* start..stop ranges of the process */
	TRACK_GPU,	 /* owner: device */
	TRACK_QUEUE,	 /* owner: device, unit: queue id */
	TRACK_COPIES,	 /* owner: device, unit: enum copy_dir */
	TRACK_TRACE,	 /* of the trace itself */
	TRACK_LOST,	 /* what was lost so far; a counter */
	TRACK_RESOURCES, /* owner: device */
	TRACK_IN_USE,	 /* owner: device; a counter */
	TRACK_RATE,	 /* owner: device, unit: which of the counters made of its rates */
};

struct track_key {
	uint32_t kind; /* enum track_kind */
	uint32_t pid;
	uint32_t owner, unit;
};

struct track_lane {
	uint64_t end;	 /* of the last slice */
	uint32_t number; /* as struct track's */
};

struct track {
	struct track_key key;
	uint32_t number; /* unique among all tracks and lanes, from 1 */
	struct track_lane *lanes;
	uint32_t lane_count;
	struct nest nest;
	struct rates rates; /* of a GPU */
	UT_hash_handle hh;
};

struct tracks {
	struct track *all;
	uint32_t numbers;
};

/* The track; *fresh: it was made just now. NULL if out of memory. */
struct track *track_lanes__get(struct tracks *tracks, struct track_key key, bool *fresh);

/* The lane that a slice begin..end goes to; *fresh as above. NULL if out of memory. */
struct track_lane *track_lanes__place(struct tracks *tracks, struct track *track, uint64_t begin,
				      uint64_t end, bool *fresh);

/* The lane for instants, which need no room. */
struct track_lane *track_lanes__first_lane(struct tracks *tracks, struct track *track, bool *fresh);

void track_lanes__free(struct tracks *tracks);

#endif
