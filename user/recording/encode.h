/* SPDX-License-Identifier: MIT */
/*
 * Writes events as the bytes of a chunk: see recording.md.
 *
 * One thread. A chunk defines whatever its events refer to. So the encoder remembers the processes,
 * threads and devices that it received, until some chunks after the process has ended.
 */
#ifndef RTRACE_RECORDING_ENCODE_H
#define RTRACE_RECORDING_ENCODE_H

#include "user/base/byte_buffer.h"
#include "user/output/sink.h"

struct encoder;

struct encoder *encoder__new(void); /* NULL: no memory */
void encoder__free(struct encoder *e);

/* Called as the functions of a sink are, see sink.h. */
void encoder__process(struct encoder *e, const struct process_info *info);
void encoder__thread(struct encoder *e, const struct thread_info *info);
void encoder__device(struct encoder *e, const struct device_info *info);
void encoder__event(struct encoder *e, const struct event *ev);
void encoder__ended(struct encoder *e, uint32_t pid);

/* The chunk so far. */
struct encoded {
	struct bytes bytes;
	uint32_t events;
	uint64_t first, last; /* earliest begin, latest end */
};

size_t encoder__size(const struct encoder *e);

/*
 * Hands the chunk over and begins the next one. `chunk->bytes` may hold a buffer to go on with, and
 * has the chunk's then. -ENOMEM if something of it is missing, else 0.
 */
int encoder__take(struct encoder *e, struct encoded *chunk);

#endif
