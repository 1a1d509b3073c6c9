/* SPDX-License-Identifier: MIT */
/*
 * What only C++ can do.
 */
#ifndef TESTS_ROCPROFILER_THROWER_H
#define TESTS_ROCPROFILER_THROWER_H

#ifdef __cplusplus
extern "C" {
#endif

void throw_something(void);

/* Does the function throw? */
int catches(void (*fn)(void *arg), void *arg);

/* How many exceptions are in flight, as C++ counts them. */
int uncaught(void);

#ifdef __cplusplus
}
#endif

#endif
