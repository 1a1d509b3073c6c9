/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a chunk: see recording.md.
 *
 * Nothing here trusts the bytes. A chunk that makes no sense is given up where it stops to; what
 * came before it stands.
 */
#ifndef RTRACE_DECODE_H
#define RTRACE_DECODE_H

#include <stddef.h>

#include "user/sink.h"
#include "user/strings.h"

struct decoder;

/* To whom things are told; as sinks are, see sink.h. */
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
 * Names of events are kept in `strings`, which must live as long as what was told of them. NULL: no
 * memory.
 */
struct decoder *decoder__new(struct strings *strings, const struct decoder_to *to);
void decoder__free(struct decoder *d);

/* Tells of a chunk. 0, -EBADMSG or -ENOMEM. */
int decoder__chunk(struct decoder *d, const void *data, size_t len);

#endif
