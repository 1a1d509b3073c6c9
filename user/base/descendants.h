/* SPDX-License-Identifier: MIT */
/*
 * Names those processes below another one that the user may have meant.
 */
#ifndef RTRACE_BASE_DESCENDANTS_H
#define RTRACE_BASE_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Appends to the string in `buf` (of `size` bytes) `before` and " -p PID" for each process below
 * `pid` that `is_meant` returns true for, the first few of them; nothing if there is none.
 */
void descendants__name(pid_t pid, const char *before, bool (*is_meant)(pid_t pid, void *arg),
		       void *arg, char *buf, size_t size);

#endif
