/* SPDX-License-Identifier: MIT */
/*
 * What a library exports: for the tests of libraries that stand in for others.
 */
#ifndef RTRACE_TESTS_EXPORTS_H
#define RTRACE_TESTS_EXPORTS_H

#include <stddef.h>

/* Of the library that a function of the program is from. */
const char *library_of(const char *function);

/* Functions of these names are exported, and nothing else; each begins with push %rbp. */
void check_exports(const char *library, const char *const *names, size_t count);

#endif
