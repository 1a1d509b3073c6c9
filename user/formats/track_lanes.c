// SPDX-License-Identifier: MIT
/*
 * Tracks by their keys, and lanes on them.
 */
#define HASH_NONFATAL_OOM 1
#include "user/formats/track_lanes.h"

#include <stdlib.h>

struct track *track_lanes__get(struct tracks *tracks, struct track_key key, bool *fresh)
{
	struct track *track;

	HASH_FIND(hh, tracks->all, &key, sizeof(key), track);
	*fresh = !track;
	if (track)
		return track;
	track = calloc(1, sizeof(*track));
	if (!track)
		return NULL;
	track->key = key;
	HASH_ADD(hh, tracks->all, key, sizeof(track->key), track);
	if (!track->hh.tbl) {
		free(track);
		return NULL;
	}
	track->number = ++tracks->numbers;
	return track;
}

/* Past LANES_MAX overlapping slices, the rest share the lane that ends first and overlap there. */
#define LANES_MAX 1024

static struct track_lane *new_lane(struct tracks *tracks, struct track *track)
{
	size_t size = (track->lane_count + 1) * sizeof(struct track_lane);
	struct track_lane *lanes = realloc(track->lanes, size), *lane;

	if (!lanes)
		return NULL;
	track->lanes = lanes;
	lane = &lanes[track->lane_count++];
	*lane = (struct track_lane){.number = ++tracks->numbers};
	return lane;
}

static struct track_lane *free_lane(struct track *track, uint64_t begin)
{
	struct track_lane *first = track->lanes;

	for (uint32_t i = 0; i < track->lane_count; i++) {
		if (track->lanes[i].end <= begin)
			return &track->lanes[i];
		if (track->lanes[i].end < first->end)
			first = &track->lanes[i];
	}
	return track->lane_count < LANES_MAX ? NULL : first;
}

struct track_lane *track_lanes__place(struct tracks *tracks, struct track *track, uint64_t begin,
				      uint64_t end, bool *fresh)
{
	struct track_lane *lane = free_lane(track, begin);

	*fresh = !lane;
	if (!lane)
		lane = new_lane(tracks, track);
	if (lane && (*fresh || lane->end < end))
		lane->end = end;
	return lane;
}

struct track_lane *track_lanes__first_lane(struct tracks *tracks, struct track *track, bool *fresh)
{
	*fresh = track->lane_count == 0;
	return *fresh ? new_lane(tracks, track) : track->lanes;
}

void track_lanes__free(struct tracks *tracks)
{
	struct track *track, *next;

	HASH_ITER (hh, tracks->all, track, next) {
		HASH_DEL(tracks->all, track);
		slice_order__free(&track->nest);
		rate_curves__free(&track->rates);
		free(track->lanes);
		free(track);
	}
}
