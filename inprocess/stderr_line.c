// SPDX-License-Identifier: MIT
/*
 * One write for the whole line: others write to stderr too.
 */
#include "inprocess/stderr_line.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "inprocess/held_signals.h"
#include "inprocess/raw_syscall.h"

static bool takes_a_line(void)
{
	const struct timespec now = {0};
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
	long n = raw_syscall(SYS_ppoll, (long)&p, 1, (long)&now, 0, 0, 0);

	return n == 1 && p.revents == POLLOUT;
}

/*
 * Without waiting, as another may fill a pipe since we have looked. Where the kernel does not know
 * how for that sort of file, as ever.
 */
static void write_line(const char *line, size_t len)
{
	const struct iovec v = {(void *)line, len};
	struct held_signals held;
	long n;

	held_signals__begin(&held);
	if (takes_a_line()) {
		n = raw_syscall(SYS_pwritev2, STDERR_FILENO, (long)&v, 1, -1, -1, RWF_NOWAIT);
		if (n == -EOPNOTSUPP || n == -ENOSYS || n == -EINVAL)
			raw_syscall(SYS_write, STDERR_FILENO, (long)line, len, 0, 0, 0);
	}
	held_signals__end(&held);
}

void stderr_line__write(const char *name, const char *fmt, va_list args)
{
	char line[512];
	int before = errno;
	int n = snprintf(line, sizeof(line), "%s: ", name);

	n += vsnprintf(line + n, sizeof(line) - n - 1, fmt, args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	write_line(line, n);
	errno = before;
}
