/* SPDX-License-Identifier: MIT */
/*
 * The signals that the user sends to the tracer: those that end the trace, the one that switches
 * it off and on, and the one that wants to see what is held.
 */
#ifndef RTRACE_INTERRUPTS_H
#define RTRACE_INTERRUPTS_H

#include <stdbool.h>

/*
 * From now on they are caught. Returns a descriptor that can be read when the trace is to end, or
 * -errno. To be called once; the descriptor stays for as long as the tracer runs.
 */
int interrupts__open(void);

/* Has there been a SIGUSR2 since the last call? */
bool interrupts__dump_wanted(void);

/* Has SIGUSR1 switched tracing off? */
bool interrupts__off(void);

#endif
