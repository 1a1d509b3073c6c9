/* SPDX-License-Identifier: MIT */
/*
 * A growing text, for what is written once an event and must be quick.
 *
 * Zero it to begin with. Where memory runs out, what does not fit is left out and `failed` is set.
 */
#ifndef RTRACE_COMMON_TEXT_BUFFER_H
#define RTRACE_COMMON_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct textbuf {
	char *data; /* not NUL-terminated: see text_buffer__string() */
	size_t len, size;
	bool failed;
};

void text_buffer__reset(struct textbuf *t); /* empty, memory kept */
void text_buffer__free(struct textbuf *t);

/* The text, NUL-terminated; valid until the next change. Never NULL. */
const char *text_buffer__string(struct textbuf *t);

void text_buffer__char(struct textbuf *t, char c);
void text_buffer__str(struct textbuf *t, const char *s);
void text_buffer__mem(struct textbuf *t, const void *data, size_t len);
void text_buffer__uint(struct textbuf *t, uint64_t value);
void text_buffer__int(struct textbuf *t, int64_t value);
void text_buffer__hex(struct textbuf *t, uint64_t value); /* 0x1f */

/* The shortest decimal that reads back as the same number. */
void text_buffer__float(struct textbuf *t, float value);
void text_buffer__double(struct textbuf *t, double value);

/* Bytes that are not to be trusted, as text__escape() writes them; `quote` is escaped too, if any.
 */
void text_buffer__escaped(struct textbuf *t, const char *s, size_t len, char quote);

#endif
