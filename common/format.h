/* SPDX-License-Identifier: MIT */
/*
 * How sinks write texts and numbers: names that come from a traced process may not be text, and
 * times and sizes are easier to read in units that fit.
 */
#ifndef RTRACE_COMMON_FORMAT_H
#define RTRACE_COMMON_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FORMAT_LEN 128 /* enough for every buffer below */

/*
 * Length of the UTF-8 sequence that `s` starts with, its code point in *code; 0 if it is none
 * (cut off, overlong, a surrogate, beyond U+10FFFF). At least one byte must be there.
 */
size_t utf8__decode(const char *s, size_t len, uint32_t *code);

/* A buffer for utf8__clean(), zero at first; reused from call to call. */
struct utf8_buf {
	char *data;
	size_t size;
};

/*
 * `s` as valid UTF-8, NUL-terminated: itself where it is valid, else a copy in `buf` with U+FFFD in
 * place of each byte that is not part of a character. Valid until the next call with the same
 * buffer. NULL when there is no memory.
 */
const char *utf8__clean(struct utf8_buf *buf, const char *s);
void utf8__free(struct utf8_buf *buf);

/*
 * Writes `s` so that it can do a terminal no harm: backslashes doubled, control characters, bytes
 * that are not UTF-8 and characters that turn the direction of writing as \xNN for each byte.
 */
void text__escape(FILE *out, const char *s);

/* The same of all that is not ASCII. */
void text__escape_ascii(FILE *out, const char *s);

/* Is it one of those characters? */
bool text__is_unsafe(uint32_t code);

/* Each fills `buf` and returns it. Four digits, cut and not rounded: "999ns", "20.00us", "1.234s".
 */
char *format__ns(char buf[FORMAT_LEN], uint64_t ns);
char *format__bytes(char buf[FORMAT_LEN], uint64_t bytes);
/* "12.34GB/s" (10^9 bytes), "-" for a time of zero. */
char *format__rate(char buf[FORMAT_LEN], uint64_t bytes, uint64_t ns);

#endif
