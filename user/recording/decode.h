/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a chunk: see recording.md.
 *
 * Nothing here trusts the bytes. A chunk is given up at its first invalid byte; the events before
 * that are kept.
 */
#ifndef RTRACE_RECORDING_DECODE_H
#define RTRACE_RECORDING_DECODE_H

#include <stddef.h>

#include "user/output/sink.h"
#include "common/string_pool.h"

struct decoder;

/* The functions that receive the chunk's contents, in the order in which a sink does: sink.h. */
struct decoder_to {
	void (*process)(const struct process_info *info, void *arg);
	void (*thread)(const struct thread_info *info, void *arg);
	void (*device)(const struct device_info *info, void *arg);
	void (*event)(const struct event *ev, void *arg);
	/* Of recordings: the numbers so far, once a second. NULL: they are not wanted. */
	void (*numbers)(const struct trace_stats *stats, void *arg);
	void *arg;
};

/*
 * Names of events are kept in `strings`, which must live as long as anything that the functions of
 * `to` keep of the events. NULL: no memory.
 */
struct decoder *decoder__new(struct strings *strings, const struct decoder_to *to);
void decoder__free(struct decoder *d);

/* Passes a chunk's contents to the functions. 0, -EBADMSG or -ENOMEM. */
int decoder__chunk(struct decoder *d, const void *data, size_t len);

#endif
