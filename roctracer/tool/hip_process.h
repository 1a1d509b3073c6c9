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

/*
 * A call begins, with such arguments: the kernel that it launches; NULL: it launches none, or it is
 * not known.
 */
const char *hip_process__begins(struct own *o, uint32_t op, const char *function, const void *args);

/* Is HIP of the release that tool_hip_functions are made from? */
bool hip_process__is_known(void);

/*
 * A call has launched a kernel. At exit() it is waited for, for a second at most, so that HIP tells
 * of it: it would not otherwise, if nobody else waits.
 */
void hip_process__launched(void);

#endif
