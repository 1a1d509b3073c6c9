/* SPDX-License-Identifier: MIT */
/*
 * Reads a recording (recording.md) and tells of it what sinks were told when it was made. It may be
 * in several files (--rotate, --keep), of which the first, or others, may be gone.
 *
 * Nothing in the file is trusted. What is broken is left out, said in a warning, and counted.
 */
#ifndef RTRACE_RECORDING_H
#define RTRACE_RECORDING_H

#include "user/decode.h"

struct recording;

/* NULL with errno, which is said: EBADMSG if it is no recording. */
struct recording *recording__open(const char *path);

/* The same of its files, in any order: EINVAL if they are not of one recording. */
struct recording *recording__open_files(const char *const *paths, size_t count);
void recording__close(struct recording *r);

/*
 * Reads all of it, once. 0 or -errno, which is said; that something of it is missing is no failure.
 */
int recording__read(struct recording *r, struct strings *strings, const struct decoder_to *to);

/*
 * The same chunk by chunk. recording__next: 1 if there may be more, 0 at the end, -errno, which is
 * said. What an event points to, but for its names, lives until the next call.
 */
int recording__begin(struct recording *r, struct strings *strings, const struct decoder_to *to);
int recording__next(struct recording *r);

/* The latest end of the events of the chunks so far. */
uint64_t recording__reached(const struct recording *r);

/*
 * The numbers of the closing lines. What counts events counts those that were read, if that is not
 * all of the recording.
 */
const struct trace_stats *recording__stats(const struct recording *r);

/* What of it could not be read. */
struct recording_damage {
	uint64_t broken, missing; /* places, chunks */
	bool cut;		  /* it has no end: what was lost while recording is not known */
};
struct recording_damage recording__damage(const struct recording *r);

/* When and where it was made. */
const struct trace_origin *recording__origin(const struct recording *r);

/* The clocks at its end, which is looked for; all 0 if it has none. Before it is read. */
struct trace_clocks recording__end_clocks(struct recording *r);

#endif
