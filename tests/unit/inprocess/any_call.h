/* SPDX-License-Identifier: MIT */
/*
 * Calls wrappers of any function with words in registers and on the stack, where the tracer's
 * tables (common/api_tables.h) say that the parameters are. These are made from the headers too,
 * but by other means than wrappers, and tests/api holds them against the compiler.
 */
#ifndef RTRACE_TESTS_ANY_CALL_H
#define RTRACE_TESTS_ANY_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "common/api_tables.h"

#define ANY_WORDS 12

/* A pointer parameter. The data passed to the library contains what it points to. */
struct any_value {
	const char *param;
	const void *bytes;
	size_t size;
};

/* The original of any function. */
uint64_t any_original(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		      uint64_t g, uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l);

/* Chooses a word for each parameter, no two alike; `value` may be NULL. */
void any_choose(const struct api_function *fn, const struct any_value *value,
		uint64_t words[ANY_WORDS]);
/* Calls the wrapper: the original is called once, with these words, and its result returned. */
void any_call(const void *wrapper, const struct api_function *fn, const uint64_t words[ANY_WORDS]);
/* Checks the arguments in `args`. They follow one another as C places members. */
void any_is_told(const struct api_function *fn, const struct any_value *value,
		 const uint64_t words[ANY_WORDS], const void *args);
/* What the original returned is there, too. */
void any_returned(const struct api_function *fn, const void *result);

#endif
