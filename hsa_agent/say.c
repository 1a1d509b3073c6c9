// SPDX-License-Identifier: MIT
/*
 * One write for the whole line: others write to stderr too.
 */
#include "hsa_agent/say.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Never one that would wait for a slow reader, or be a deadly signal as the reader has gone. */
static void write_line(const char *line, size_t len)
{
	struct pollfd stderr_now = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&stderr_now, 1, 0) != 1 || stderr_now.revents != POLLOUT)
		return;
	if (write(STDERR_FILENO, line, len) < 0)
		return;
}

void say(const char *name, const char *fmt, va_list args)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "%s: ", name);

	n += vsnprintf(line + n, sizeof(line) - n - 1, fmt, args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	write_line(line, n);
}
