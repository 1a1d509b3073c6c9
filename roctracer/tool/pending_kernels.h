/* SPDX-License-Identifier: MIT */
/*
 * Kernels that calls have launched and that HIP has not reported yet. At exit() they are waited
 * for, for a second at most: otherwise HIP would not report them, if nothing else waits.
 */
#ifndef TOOL_LAUNCHED_H
#define TOOL_LAUNCHED_H

#include <stdint.h>

#include "roctracer/tool/tool_thread.h"

/* The thread's call is about to launch one; HIP may report it before the call returns. */
void launched__begin(struct own *o, uint64_t correlation_id);

/* The call has returned. */
void launched__end(void);

/* HIP has reported a kernel of that call. */
void launched__done(uint64_t correlation_id);

/* In a child that was forked, which has launched none. */
void launched__forked(void);

#endif
