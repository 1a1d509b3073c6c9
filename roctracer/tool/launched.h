/* SPDX-License-Identifier: MIT */
/*
 * Kernels that calls have launched and of which HIP has not told yet. At exit() they are waited
 * for, for a second at most: HIP would not tell of them otherwise, if nobody else waits.
 */
#ifndef TOOL_LAUNCHED_H
#define TOOL_LAUNCHED_H

#include <stdint.h>

#include "roctracer/tool/own.h"

/* The thread's call is about to launch one; HIP may tell of it before the call returns. */
void launched__begin(struct own *o, uint64_t correlation_id);

/* The call has returned. */
void launched__end(void);

/* HIP has told of a kernel of that call. */
void launched__done(uint64_t correlation_id);

/* In a child that was forked, which has launched none. */
void launched__forked(void);

#endif
