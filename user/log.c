// SPDX-License-Identifier: MIT
/*
 * Messages on stderr, one line each, with the program's name in front.
 */
#include "user/log.h"

#include <stdarg.h>

int log_level;

static void log_line(const char *prefix, const char *fmt, va_list ap)
{
	char line[1024];

	vsnprintf(line, sizeof(line), fmt, ap);
	for (char *c = line; *c; c++) /* names of processes are anybody's */
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	fprintf(stderr, "rtrace-bpf: %s%s\n", prefix, line);
}

#define LOG_FUNCTION(name, level, prefix)  \
	void name(const char *fmt, ...)    \
	{                                  \
		va_list ap;                \
                                           \
		if (log_level < (level))   \
			return;            \
		va_start(ap, fmt);         \
		log_line(prefix, fmt, ap); \
		va_end(ap);                \
	}

LOG_FUNCTION(log_err, 0, "")
LOG_FUNCTION(log_warn, 0, "warning: ")
LOG_FUNCTION(log_say, 0, "")
LOG_FUNCTION(log_info, 1, "")
LOG_FUNCTION(log_debug, 2, "")
