/* SPDX-License-Identifier: MIT */
/*
 * What the tracer needs to be allowed.
 */
#ifndef RTRACE_PRIVILEGES_H
#define RTRACE_PRIVILEGES_H

/* 0, or -EPERM after one line that names the capabilities that are missing. */
int privileges__check(void);

#endif
