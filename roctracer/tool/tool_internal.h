/* SPDX-License-Identifier: MIT */
/*
 * libroctracer_tool.so: what its modules have of each other.
 *
 * It is code in somebody else's process: it never exits, prints nothing but a line on stderr when
 * something is wrong, and leaves errno alone.
 */
#ifndef TOOL_CORE_H
#define TOOL_CORE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- tool.c ---- */

/* One line on stderr. */
void tool__warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ns of CLOCK_BOOTTIME, the clock of roctracer's records; before HSA is initialised, too. */
uint64_t tool__now(void);

/* Of this process. */
int tool__pid(void);

/* Has everything written that is known up to now. */
void tool__flush(void);

/* A detached thread that takes none of the application's signals. False: none was started. */
bool tool__start_thread(void *(*function)(void *arg), void *arg);

/* ---- what roctracer calls: calls.c, ranges.c, operations.c ---- */

void calls__on_call(uint32_t domain, uint32_t op, const void *data, void *arg);
/* Of hipSetDevice; `arg`: NULL: without a line. */
void calls__on_set_device(uint32_t domain, uint32_t op, const void *data, void *arg);
void ranges__on_call(uint32_t domain, uint32_t op, const void *data, void *arg);
void operations__on_records(const char *begin, const char *end, void *arg);

/* ---- periods.c ---- */

/* Starts the threads that the settings ask for. Once. */
void periods__start(void);

#endif
