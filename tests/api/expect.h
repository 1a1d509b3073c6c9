/* SPDX-License-Identifier: MIT */
/*
 * What generated callers of API functions (scripts/gen-api-tests) use: they say by expect_*() how
 * the call that they have just made is to be shown.
 */
#ifndef TESTS_API_EXPECT_H
#define TESTS_API_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct api_call {
	const char *symbol;
	void (*call)(void);
};

extern const struct api_call api_calls[];
extern const size_t api_call_count;

/* Of the program that the callers are linked into: before and after the call; its text is whole. */
void begin_call(const char *symbol);
void end_call(uint64_t ret);
void expect_done(void);
bool expect_has_sse(void); /* are floating-point arguments captured? */

/* The text so far, and a new one. */
const char *expect_text(void);
void expect_reset(void);

void expect(const char *text);
void expect_int(long long value);
void expect_uint(unsigned long long value);
void expect_hex(unsigned long long value);
void expect_bool(bool value);
void expect_real(double value);
void expect_pointer(const void *value);
void expect_chars(const char *value);
/* The first `known` of `size` bytes, in hex. */
void expect_bytes(const void *data, size_t size, size_t known);

/* Bytes that `n` distinguishes from others'. */
static inline void fill(void *data, size_t size, unsigned int n)
{
	unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		p[i] = (unsigned char)(n * 31 + i * 7 + 1);
}

/* What is in %rax where a struct of up to 16 bytes is returned. */
static inline uint64_t first_word(const void *data, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, data, size < sizeof(word) ? size : sizeof(word));
	return word;
}

#endif
