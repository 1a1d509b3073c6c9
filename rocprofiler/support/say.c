// SPDX-License-Identifier: MIT
/*
 * One line on standard error.
 */
#include "rocprofiler/support/say.h"

#include <stdarg.h>

#include "inprocess/stderr_line.h"

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	stderr_line__write("rocprofiler-sdk", format, args);
	va_end(args);
}
