/* SPDX-License-Identifier: MIT */
/*
 * What HIP itself is asked: its release, and the names of kernels.
 */
#ifndef TOOL_HIP_PROCESS_H
#define TOOL_HIP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "roctracer/tool/own.h"

/* Is HIP in the process? */
bool hip_process__has_hip(void);

/* Is it of the release that tool_hip_functions are made from? From inside of a call of HIP. */
bool hip_process__is_known(struct own *o);

/* The kernel that a call launches, which has such arguments; NULL: it launches none, or unknown. */
const char *hip_process__kernel(uint32_t op, const char *function, const void *args);

/*
 * A call has launched a kernel, on this thread. At exit() it is waited for, for a second at most,
 * so that HIP tells of it: it would not otherwise, if nobody else waits.
 */
void hip_process__launched(struct own *o);

#endif
