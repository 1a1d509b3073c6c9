/* SPDX-License-Identifier: MIT */
/*
 * What stands in the place of API functions in the objects that call them, so that their calls are
 * captured without a trap.
 *
 * A stub (stubs.S) knows its number. While its function is not wanted it jumps there, which costs
 * one load. Else it tells spans.c of the call and goes on behind the instruction that the tracer
 * has probed (enum rt_span_way): whoever probes the function sees this call nowhere else. A call
 * that cannot be captured goes to the function itself, where the probe is.
 *
 * The function sees what it would have seen: all registers but %r10 and %r11, which no caller
 * relies on, the words on the stack that hold arguments, and as much room behind them as it had. It
 * returns to the stub, for which there is unwind information.
 */
#ifndef RTRACE_STUBS_H
#define RTRACE_STUBS_H

#include <stdbool.h>

#include "hsa_agent/spans.h"

/* Where the functions are told; NULL: none is known any more, none wanted. */
void stubs_use(const struct spans_area *area);

/*
 * Does what the tracer has asked for in the area's control; `active`: there is one that lives. By
 * one thread at a time. True: there are functions that were not known before.
 */
bool stubs_follow(bool active);

/* Do calls that are said to be instant take no time? Not at first. */
void stubs_allow_instants(bool allow);

/* Are calls captured? */
bool stubs_capture(void);
/* Where it is counted what leads to stubs. */
__u64 *stubs_places(void);

/* What stands in the place of that function, no stub; NULL: it is not captured. By any thread. */
void *stubs_instead(void *function);

/* The function that the stub stands for; what is no stub stands for itself. */
void *stubs_behind(void *stub);

#endif
