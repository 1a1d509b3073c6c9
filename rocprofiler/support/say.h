/* SPDX-License-Identifier: MIT */
/*
 * Writes one line to standard error, for mistakes of tools that no status code reports.
 */
#ifndef RTRACE_ROCPROFILER_SUPPORT_SAY_H
#define RTRACE_ROCPROFILER_SUPPORT_SAY_H

/* "rocprofiler-sdk: " and a newline are added. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif
