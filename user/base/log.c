// SPDX-License-Identifier: MIT
/*
 * Messages on stderr, one line each, with the program's name in front.
 */
#include "user/base/log.h"

#include <stdarg.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

int log_level;
void (*log_divert)(const char *line);

#define PROGRESS_NS 100000000ULL

static bool progress_shown;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Names of processes and files are anybody's. */
static void make_safe(char *line)
{
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}

bool log_progress_is_due(void)
{
	static uint64_t last;
	static int terminal = -1;
	uint64_t now;

	if (terminal < 0)
		terminal = isatty(STDERR_FILENO);
	if (!terminal || log_divert)
		return false;
	now = now_ns();
	if (now - last < PROGRESS_NS)
		return false;
	last = now;
	return true;
}

void log_progress(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	make_safe(line);
	fprintf(stderr, "\rrtrace-bpf: %s\033[K", line);
	progress_shown = true;
}

void log_progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

static void log_line(const char *prefix, const char *fmt, va_list ap)
{
	char line[1024];

	vsnprintf(line, sizeof(line), fmt, ap);
	make_safe(line);
	log_progress_end();
	if (log_divert) {
		char whole[1100];

		snprintf(whole, sizeof(whole), "rtrace-bpf: %s%s", prefix, line);
		log_divert(whole);
		return;
	}
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
