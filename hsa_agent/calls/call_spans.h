/* SPDX-License-Identifier: MIT */
/*
 * The calls that the threads of this process are in, and the records of them, as span_ring.h
 * describes. What stubs (call_stubs.h) say when a call begins and ends.
 *
 * No lock is taken, nothing is shared between threads and no system call made but for a thread's
 * first call, one in some hundreds that takes a new chunk, and reading what a call's pointers lead
 * to, where that is neither on the thread's stack nor in the main program (peek.h).
 */
#ifndef RTRACE_HSA_AGENT_CALLS_CALL_SPANS_H
#define RTRACE_HSA_AGENT_CALLS_CALL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/span_ring.h"

/* The area of the agent's memory; NULL: there is none. */
struct spans_area {
	struct rt_spans_control *control;
	struct rt_spans_state *state;
	struct rt_span_thread *threads;
	struct rt_span_chunk *chunks;
	uint8_t *owned; /* enum rt_span_chunk_state, of each chunk */
};

/* The area at that address. */
struct spans_area call_spans__area_at(void *address);

/* A call that begins. */
struct spans_call {
	uint16_t function;
	uint8_t registers, stack_words; /* that hold arguments */
	bool instant;			/* begin is end */
	const uint64_t *args;		/* the registers' */
	const uint64_t *stack;		/* the words above the return address */
};

/*
 * The call begins now, on this thread. NULL: it is not captured, as a call before it is just being
 * written, or there is no room for the thread or for a call at that depth.
 */
struct rt_span_frame *call_spans__begin(const struct spans_call *call);

/* It has returned. Does nothing if it was taken for left. */
void call_spans__end(struct rt_span_frame *f, uint64_t ret);

/* The id of the call that the thread is in, and of the outermost one around it; 0: in none. */
void call_spans__in(__u64 *corr, __u64 *root);

/*
 * CLOCK_BOOTTIME ns, by the clock that times the call that the thread is in. A time for a call
 * captured here may be some ten ns off, but falls within the call; for other calls the clock is the
 * kernel's.
 */
uint64_t call_spans__now(void);

/* ---- for the agent ---- */

/* Where to; at the start, and with NULL in a forked child, where nothing is captured any more. */
void call_spans__use(const struct spans_area *area);

/* Pages that will be written to are there then; with an area, by one thread, again and again. */
void call_spans__prepare(void);

/* What is to be read of the function's calls; as often as it changes. */
void call_spans__set_plan(uint32_t function, const struct rt_plan *plan);

#endif
