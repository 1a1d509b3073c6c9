/* SPDX-License-Identifier: MIT */
/*
 * Slices of many tracks, put in when they end, and read track by track as begins and ends in the
 * order of time.
 *
 * An inner slice ends before its outer one. Read from the last to the first, an outer slice comes
 * before those inside of it. So a stack of the open slices suffices to produce ends and begins, in
 * the reverse order of time. These are written down, and read from the last to the first again.
 * Slices live in two files without names: memory is a block a track, and how deep slices nest.
 */
#ifndef RTRACE_FORMATS_OTF2_SLICE_STORE_H
#define RTRACE_FORMATS_OTF2_SLICE_STORE_H

#include <stdbool.h>
#include <stdint.h>

struct slice {
	uint64_t begin, end;
	uint64_t id, parent; /* the slice of the track that encloses it; 0: none */
	uint64_t value;	     /* this and the next: the caller's */
	uint32_t kind;
};

struct slice_edge {
	uint64_t time, value;
	uint32_t kind;
	uint32_t begins; /* else it ends */
};

struct slices;

/* `folder`: where the files are, a descriptor. NULL with errno. */
struct slices *slice_store__new(int folder);
void slice_store__free(struct slices *s);

/*
 * Tracks are numbered; numbers that are left out cost a pointer. A slice that arrives after one
 * that ended later is reported as an instant at that end. 0 or -errno.
 */
int slice_store__add(struct slices *s, uint32_t track, const struct slice *slice);

/*
 * A slice begins, or ends, at that time, which is never before the one of the last call. Non-zero
 * ends the reading.
 */
typedef int (*slices_fn)(void *arg, const struct slice_edge *edge);

/* 0, -errno, or what `each` returned. A track that is not there has none. */
int slice_store__read(struct slices *s, uint32_t track, slices_fn each, void *arg);

#endif
