/* SPDX-License-Identifier: MIT */
/*
 * A line on stderr, from code in the application's process: the only way by which such code writes
 * there.
 */
#ifndef RTRACE_INPROCESS_STDERR_LINE_H
#define RTRACE_INPROCESS_STDERR_LINE_H

#include <stdarg.h>

/*
 * "NAME: ", the text, cut after some 500 bytes, and a newline, by one write. Where stderr is
 * closed, has no reader, or could not take the line at once, nothing is written. Raises no signal,
 * is no cancellation point, and leaves errno as it is. From any thread.
 */
void stderr_line__write(const char *name, const char *fmt, va_list args);

#endif
