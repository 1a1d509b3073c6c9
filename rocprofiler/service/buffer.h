/* SPDX-License-Identifier: MIT */
/*
 * Buffers. Each has two halves: one is written to, by any thread and without a lock, while a thread
 * of the library has the tool read the other one.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_BUFFER_H
#define RTRACE_ROCPROFILER_SERVICE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/buffer.h>

struct callback_thread;
struct tool;

struct extra;

struct half {
	char *memory;
	rocprofiler_record_header_t *headers;
	rocprofiler_record_header_t **list; /* of them, for the tool */
	uint32_t done;			    /* records that have been written */
};

struct buffer {
	rocprofiler_buffer_id_t id;
	rocprofiler_context_id_t context;
	struct tool *tool;
	bool lossless;
	bool too_large; /* was said of a record */
	uint64_t watermark;
	uint32_t units; /* of a half: 8 bytes each */
	rocprofiler_buffer_tracing_cb_t callback;
	void *arg;
	/* Which half is written to, and how much of it is taken; see buffer.c. */
	uint64_t state;
	uint64_t dropped;
	struct half halves[2];
	/* Under the lock of the threads. */
	struct callback_thread *thread;
	uint64_t requested, started, completed; /* flushes, so far */
	bool busy;				/* the tool reads it */
	bool destroyed;
	struct extra *extra, **extra_end;
};

/* NULL: there is no such buffer. */
struct buffer *buffer__find(rocprofiler_buffer_id_t id);

/* All that there ever were. NULL: no more. */
struct buffer *buffer__by_number(uint32_t number);

/* Copies the record of tracing. */
void buffer__write(struct buffer *b, uint32_t kind, const void *record, uint32_t size);

/* On the buffer's thread: has the tool read what is in it. */
void buffer__pass_on(struct buffer *b);

/* Empties it, and what was being written to it when the process forked is not waited for. */
void buffer__forked(struct buffer *b);

/* Those of a tool: destroys them. */
void buffers__ignore(const struct tool *tool);

#endif
