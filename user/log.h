/* SPDX-License-Identifier: MIT */
/*
 * Messages to the person at the terminal: stderr is for these, stdout is for data.
 */
#ifndef RTRACE_LOG_H
#define RTRACE_LOG_H

#include <stdio.h>

/* 0: errors, warnings and results; 1 (-v): what is done; 2 (-vv): details and libbpf's messages. */
extern int log_level;

void log_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));   /* always */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));  /* -v */
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* -vv */

#endif
