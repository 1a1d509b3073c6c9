/* SPDX-License-Identifier: MIT */
/*
 * The HIP streams of a process: small numbers in the place of handles, and for each the launches
 * with operations that other threads are to submit (runtime_threads.h).
 *
 * Number 0 is the default stream, of whichever device; the others count in the order in which they
 * are met. A handle is an address that a later stream may get again, hence hip_streams__created.
 */
#ifndef RTRACE_MERGE_HIP_STREAMS_H
#define RTRACE_MERGE_HIP_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/hash.h"
#include "user/event/event.h"

struct launch;

struct stream {
	uint32_t number;
	uint64_t key; /* its handle, or which of the streams that have none */
	/*
	 * All of its launches so far are known: it was made while we looked, or was seen to have
	 * run empty.
	 */
	bool complete;
	uint32_t worker;	 /* the thread that submits what is launched, 0 not known */
	struct launch *launches; /* oldest first */
	uint32_t launch_count;
	UT_hash_handle hh;
	struct stream *next; /* of all */
};

struct streams {
	struct stream *by_key; /* as the handles stand now */
	struct stream *all;
	uint32_t count, last_number;
};

/*
 * The stream that a thread means by that handle, made if new: every device has a default stream,
 * every thread one of its own (hipStreamPerThread). NULL: no memory, or too many.
 */
struct stream *hip_streams__get(struct streams *s, uint64_t handle, uint32_t device, uint32_t tid);

/* The process has made a stream, which has that handle from now on. */
struct stream *hip_streams__created(struct streams *s, uint64_t handle);

/* Forgets them all. */
void hip_streams__clear(struct streams *s);

#endif
