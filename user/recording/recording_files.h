/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording: one, or several that follow each other.
 *
 * What is written last is always in the file that was asked for, job.rtrace; when another is begun,
 * it is renamed to job.0.rtrace, job.1.rtrace, ... Of the writer's thread alone.
 */
#ifndef RTRACE_RECORDING_RECORDING_FILES_H
#define RTRACE_RECORDING_RECORDING_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "user/output/sink.h"
#include "user/recording/chunk_format.h"

struct rec_files;

/*
 * `first` is open for writing at `path`, and stays the caller's; what it writes to changes. Writes
 * a header. NULL with errno.
 */
struct rec_files *recording_files__new(FILE *first, const char *path,
				       const struct rec_limits *limits,
				       const struct trace_origin *origin);

/* Is it time for the next file, if so much more is to be written? */
bool recording_files__is_full(const struct rec_files *f, size_t more);

/* Begins it, with a header. 0 or -errno, and then writing goes on in this one. */
int recording_files__next(struct rec_files *f);

/* 0 or -errno. */
int recording_files__write(struct rec_files *f, const void *data, size_t len);

/* What was written is in the file then. */
int recording_files__flush(struct rec_files *f);

/* Of all files that are there. */
uint64_t recording_files__bytes(const struct rec_files *f);

void recording_files__free(struct rec_files *f);

#endif
