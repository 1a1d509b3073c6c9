/* SPDX-License-Identifier: MIT */
/*
 * Writes the chunks of a recording on a thread of its own: compression and a slow disk are not the
 * tracer's to wait for, until several chunks are waiting.
 *
 * With a limit of time to keep (a flight recorder) the newest chunks are held, compressed, and
 * written when that is asked for: what was held goes into a file of its own, and is forgotten.
 */
#ifndef RTRACE_RECORDING_CHUNK_WRITER_H
#define RTRACE_RECORDING_CHUNK_WRITER_H

#include <stdio.h>

#include "user/recording/chunk_format.h"
#include "user/recording/encode.h"
#include "user/recording/recording_files.h"

struct chunk_writer;

/* Writes the header and starts the thread. `out`, at `path`, stays the caller's. NULL with errno.
 */
struct chunk_writer *chunk_writer__new(FILE *out, const char *path, const struct rec_limits *limits,
				       const struct trace_origin *origin);

/*
 * Hands over a chunk; `chunk->bytes` has an empty buffer then, for another one, or none. Waits
 * while too many are waiting. The info is written into every file, the last numbers at its end.
 */
void chunk_writer__put(struct chunk_writer *w, enum chunk_type type, struct encoded *chunk);

/* Has the held chunks written; `why` is logged. Waits likewise. */
void chunk_writer__dump(struct chunk_writer *w, const char *why);

/* Bytes in the recording's files. Any thread. */
uint64_t chunk_writer__bytes(struct chunk_writer *w);

/* The first -errno that writing has met so far, or 0. Any thread. */
int chunk_writer__error(const struct chunk_writer *w);

/* Writes what is waiting, and held, and ends. 0 or the first -errno. */
int chunk_writer__close(struct chunk_writer *w);

#endif
