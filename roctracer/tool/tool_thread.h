/* SPDX-License-Identifier: MIT */
/*
 * What the tool keeps of each thread: its lines, and the calls that it is in.
 */
#ifndef TOOL_OWN_H
#define TOOL_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "roctracer/tool/lines.h"

/* A call that the thread is in. */
struct open_call {
	uint64_t correlation_id;
	uint64_t begin;
	const char *kernel; /* that it launches, mangled; NULL: none */
};

struct own {
	struct own *next; /* never changes: they are never freed, but used again */
	bool used;
	bool busy; /* the tool itself makes calls, which are not recorded */
	uint32_t tid;
	int device;	 /* HIP's, that it has set */
	uint32_t ranges; /* that were pushed, recorded, and not popped */
	struct lines *lines;
	struct open_call *calls; /* the innermost last */
	uint32_t call_count, call_capacity;
};

/* The calling thread's; NULL: no memory. */
struct own *own__get(void);

/* The call begins now. Valid until the next one does; NULL: no memory. */
struct open_call *own__push(struct own *o, uint64_t correlation_id);

/* The call has ended, and all inside of it. False: its begin was not recorded. */
bool own__pop(struct own *o, uint64_t correlation_id, struct open_call *call);

/* In a child that was forked. */
void own__forked(void);

#endif
