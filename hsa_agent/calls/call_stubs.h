/* SPDX-License-Identifier: MIT */
/*
 * Stubs that replace API functions in the objects that call them, so that their calls are captured
 * without a trap.
 *
 * A stub (call_stubs.S) knows its number. While its function is not wanted it jumps there, which
 * costs one load. Else it reports the call to call_spans.c and continues after the instruction that
 * the tracer has probed (enum rt_span_way): so the probe does not capture this call as well. A call
 * that cannot be captured goes to the function itself, where the probe is.
 *
 * The function sees what it would have seen: all registers but %r10 and %r11, which no caller
 * relies on, the words on the stack that hold arguments, and as much room past them as it had. It
 * returns to the stub, for which there is unwind information.
 */
#ifndef RTRACE_HSA_AGENT_CALLS_CALL_STUBS_H
#define RTRACE_HSA_AGENT_CALLS_CALL_STUBS_H

#include <stdbool.h>

#include "hsa_agent/calls/call_spans.h"

/* Where the tracer lists the functions; NULL: none is known any more, none wanted. */
void call_stubs__use(const struct spans_area *area);

/*
 * Does what the tracer has asked for in the area's control; `active`: there is one that lives. By
 * one thread at a time. True: there are functions that were not known before.
 */
bool call_stubs__follow(bool active);

/* Do calls that are said to be instant take no time? Not at first. */
void call_stubs__allow_instants(bool allow);

/* Are calls captured? */
bool call_stubs__capture(void);
/* Where it is counted what leads to stubs. */
__u64 *call_stubs__places(void);

/* The stub that replaces that function (not itself a stub); NULL: not captured. By any thread. */
void *call_stubs__instead(void *function);

/* The function that the stub replaces; an address of no stub is returned unchanged. */
void *call_stubs__behind(void *stub);

#endif
