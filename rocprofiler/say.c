// SPDX-License-Identifier: MIT
/*
 * One line on standard error, written at once so that no other cuts it.
 */
#include "rocprofiler/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void say(const char *format, ...)
{
	char line[512] = "rocprofiler-sdk: ";
	size_t at = strlen(line);
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line + at, sizeof(line) - at - 1, format, args);
	va_end(args);
	if (length < 0)
		return;
	at = strlen(line);
	line[at++] = '\n';
	if (write(STDERR_FILENO, line, at) < 0)
		return;
}
