/* SPDX-License-Identifier: MIT */
/*
 * For the tests of sinks: a set of events with all that is awkward, a trace file made of them, and
 * other programs to read it back with.
 */
#ifndef RTRACE_TESTS_SINK_FEED_H
#define RTRACE_TESTS_SINK_FEED_H

#include <stddef.h>

#include "user/output/sink.h"

/* In names: an escape sequence, a quote, a backslash, bytes that are no UTF-8, C1, an arrow. */
#define NASTY "a\x1b[31m\"\\\n\xff\xc2\x9b\xe2\x86\x90"

extern char long_name[10001]; /* a kernel's, of 10000 times "k" */
extern const struct trace_stats stats;

/* Passes one process, a thread, a device, and all the events to the sink. */
void feed(struct sink *sink);

/* The same of what happens to memory: 4096 bytes each, at 0x7f00, from 1000 to 3000 ns. */
void feed_memory(struct sink *sink);

/* Set-up and tear-down of the group: the file that the functions below use. */
int make_file(void **state);
int remove_file(void **state);

/* Writes the file with the sink of that name. `fill` may be NULL: no events. */
void write_trace(const char *name, void (*fill)(struct sink *));

const char *trace_path(void);

/* What the file holds, ended by NUL; to be freed. */
char *read_file(size_t *size);

/* Skips the test if the machine has no such program. */
void require(const char *program);

/* The command must succeed with the file as its input, and print just that. */
void assert_output(const char *command, const char *expected);

void assert_contains(const char *text, const char *part);

#endif
