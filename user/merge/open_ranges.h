/* SPDX-License-Identifier: MIT */
/*
 * The roctx ranges that are open: those of a thread lie in each other, those that are started and
 * stopped belong to the process and end in any order.
 */
#ifndef RTRACE_MERGE_OPEN_RANGES_H
#define RTRACE_MERGE_OPEN_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct open_range {
	uint64_t id;	  /* unique in the trace: correlation ID of the call that opened it */
	uint32_t library; /* that was called: function.library */
	uint64_t parent;
	uint64_t begin;
	uint32_t tid;
	bool cut;
	bool quiet;    /* tracing was off when it was opened */
	char *message; /* its own; NULL: no memory */
};

/* Of a thread, the outermost first. Zero: none is open. */
struct range_stack {
	struct open_range *open;
	size_t count, capacity;
};

/* Adds the range with a copy of the message. -ENOMEM, else 0. */
int range_stack__push(struct range_stack *s, const struct open_range *range, const char *message);

/* Takes the nth one off. The message is the caller's to free. */
struct open_range range_stack__take(struct range_stack *s, size_t n);

void range_stack__free(struct range_stack *s);

/* Of a process, one of them. NULL: none is open. */
struct started_range;

/* Adds the range with a copy of the message, as what its library calls `handle`. -ENOMEM, else 0.
 */
int started_ranges__add(struct started_range **all, uint64_t handle, const struct open_range *range,
			const char *message);

/*
 * Takes off the last one that the library called so. The message is the caller's to free. False:
 * there is none.
 */
bool started_ranges__take(struct started_range **all, uint32_t library, uint64_t handle,
			  struct open_range *range);

/* Takes off any. False: there is none. */
bool started_ranges__take_any(struct started_range **all, struct open_range *range);

void started_ranges__free(struct started_range **all);

#endif
