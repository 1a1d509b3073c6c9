/* SPDX-License-Identifier: MIT */
/*
 * The signals that the user sends to the tracer: those that end the trace, the one that switches
 * it off and on, and the one that wants to see what is held.
 */
#ifndef RTRACE_RECORD_SIGNAL_HANDLERS_H
#define RTRACE_RECORD_SIGNAL_HANDLERS_H

#include <stdbool.h>

/*
 * From now on they are caught. Returns a descriptor that can be read when the trace is to end, or
 * -errno. To be called once; the descriptor stays for as long as the tracer runs.
 */
int signal_handlers__open(void);

/* Has a signal asked for the end? */
bool signal_handlers__stopped(void);

/* Was it the terminal's (Ctrl-C, hanging up), which sends it to the whole process group? */
bool signal_handlers__by_terminal(void);

/* Has there been a SIGUSR2 since the last call? */
bool signal_handlers__dump_wanted(void);

/* Has SIGUSR1 switched tracing off? */
bool signal_handlers__off(void);

#endif
