/* SPDX-License-Identifier: MIT */
/*
 * What the tracer needs to be allowed.
 */
#ifndef RTRACE_RECORD_PRIVILEGES_H
#define RTRACE_RECORD_PRIVILEGES_H

#include <stdbool.h>

/* 0, or -EPERM after one line that names the capabilities that are missing. */
int privileges__check(void);

/*
 * For good, and for all that this process starts from now on: keeps the capabilities that tracing
 * goes on to need, and gives up all others. Threads that are there already keep theirs.
 * `metrics`: a port will be listened at. 0 or -errno.
 */
int privileges__reduce(bool metrics);

#endif
