/* SPDX-License-Identifier: MIT */
/*
 * One line on standard error, for mistakes of tools that no status code tells them of.
 */
#ifndef RTRACE_ROCPROFILER_SAY_H
#define RTRACE_ROCPROFILER_SAY_H

/* "rocprofiler-sdk: " and a newline are added. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif
