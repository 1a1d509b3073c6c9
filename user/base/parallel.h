/* SPDX-License-Identifier: MIT */
/*
 * Runs a few slow, independent things at the same time.
 *
 * Taking a BPF link down waits for the kernel to be sure that no program of it runs: 40 to 80 ms,
 * whatever the number of functions. Several links waited for together take as long as one.
 */
#ifndef RTRACE_BASE_PARALLEL_H
#define RTRACE_BASE_PARALLEL_H

#include <stddef.h>

/* Calls fn(i, arg) for i = 0 .. n - 1, up to 16 at a time, in any thread, and waits for all. */
void parallel__run(size_t n, void (*fn)(size_t i, void *arg), void *arg);

#endif
