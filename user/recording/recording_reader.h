/* SPDX-License-Identifier: MIT */
/*
 * Reads a recording (recording.md) and passes on what sinks received when it was made. It may be in
 * several files (--rotate, --keep), of which the first, or others, may be missing.
 *
 * Nothing in the file is trusted. Broken parts are left out, reported in a warning, and counted.
 */
#ifndef RTRACE_RECORDING_RECORDING_READER_H
#define RTRACE_RECORDING_RECORDING_READER_H

#include "user/recording/decode.h"

struct recording;

/* NULL with errno, which is logged: EBADMSG if it is no recording. */
struct recording *recording_reader__open(const char *path);

/* The same of its files, in any order: EINVAL if they are not of one recording. */
struct recording *recording_reader__open_files(const char *const *paths, size_t count);
void recording_reader__close(struct recording *r);

/*
 * Reads all of it, once. 0 or -errno, which is logged; missing parts are no failure.
 */
int recording_reader__read(struct recording *r, struct strings *strings,
			   const struct decoder_to *to);

/*
 * The same chunk by chunk. recording_reader__next: 1 if there may be more, 0 at the end, -errno,
 * which is logged. What an event points to, but for its names, lives until the next call.
 */
int recording_reader__begin(struct recording *r, struct strings *strings,
			    const struct decoder_to *to);
int recording_reader__next(struct recording *r);

/* The latest end of the events of the chunks so far. */
uint64_t recording_reader__reached(const struct recording *r);

/*
 * The numbers of the closing lines. What counts events counts those that were read, if that is not
 * all of the recording.
 */
const struct trace_stats *recording_reader__stats(const struct recording *r);

/* What of it could not be read. */
struct recording_damage {
	uint64_t broken, missing; /* places, chunks */
	bool cut;		  /* it has no end: what was lost while recording is not known */
};
struct recording_damage recording_reader__damage(const struct recording *r);

/* When and where it was made. */
const struct trace_origin *recording_reader__origin(const struct recording *r);

/* The clocks at its end, which is looked for; all 0 if it has none. Before it is read. */
struct trace_clocks recording_reader__end_clocks(struct recording *r);

#endif
