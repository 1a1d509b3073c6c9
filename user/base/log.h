/* SPDX-License-Identifier: MIT */
/*
 * Messages to the person at the terminal: stderr is for these, stdout is for data.
 */
#ifndef RTRACE_BASE_LOG_H
#define RTRACE_BASE_LOG_H

#include <stdbool.h>
#include <stdio.h>

/* 0: errors, warnings and results; 1 (-v): what is done; 2 (-vv): details and libbpf's messages. */
extern int log_level;

/* Where messages go while stderr is not to be written to; NULL: to stderr. */
extern void (*log_divert)(const char *line);

void log_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));   /* always */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));  /* -v */
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* -vv */

/*
 * A progress line, which replaces the last such line; the next message, or the end, removes it.
 * It is shown only where stderr is a terminal, and ten times a second at most. "is due" returns
 * whether it would be shown now.
 */
bool log_progress_is_due(void);
void log_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_progress_end(void);

#endif
