/* SPDX-License-Identifier: MIT */
/*
 * Bytes out and in, as recordings hold them (recording.md).
 *
 * A number is a varint: seven bits a byte, the lowest first; the top bit is set if more follow. A
 * signed one is folded first, so that it is short if it is near 0: 0, -1, 1, -2, ... A string of
 * bytes is its length as a number, then the bytes.
 */
#ifndef RTRACE_BASE_BYTE_BUFFER_H
#define RTRACE_BASE_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VARINT_MAX 10 /* bytes */

/* Zero it to begin with. Where memory runs out, what does not fit is left out, `failed` is set. */
struct bytes {
	unsigned char *data;
	size_t len, size;
	bool failed;
};

/* Makes room for `need` more bytes: false if there is no memory. */
bool byte_buffer__room(struct bytes *b, size_t need);
void byte_buffer__free(struct bytes *b);

static inline void byte_buffer__put_number(struct bytes *b, uint64_t value)
{
	if (b->size - b->len < VARINT_MAX && !byte_buffer__room(b, VARINT_MAX))
		return;
	for (; value > 0x7f; value >>= 7)
		b->data[b->len++] = value | 0x80;
	b->data[b->len++] = value;
}

static inline void byte_buffer__put_signed(struct bytes *b, int64_t value)
{
	byte_buffer__put_number(b, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* How far `to` is from `from`, whatever both are. */
static inline void byte_buffer__put_change(struct bytes *b, uint64_t from, uint64_t to)
{
	byte_buffer__put_signed(b, (int64_t)(to - from));
}

/* As they are. */
void byte_buffer__add(struct bytes *b, const void *data, size_t len);

/* Puts `len`, then the bytes. */
void byte_buffer__put(struct bytes *b, const void *data, size_t len);
/* Without its NUL; NULL is "". */
void byte_buffer__put_string(struct bytes *b, const char *text);

/* What is left to be read. Beyond the end there are zeros, and `bad` is set. */
struct bytes_in {
	const unsigned char *at, *end;
	bool bad;
};

static inline uint64_t byte_buffer__number(struct bytes_in *in)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; in->at < in->end && shift < 64; shift += 7) {
		unsigned char byte = *in->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	in->bad = true;
	return 0;
}

static inline int64_t byte_buffer__signed(struct bytes_in *in)
{
	uint64_t value = byte_buffer__number(in);

	return (int64_t)(value >> 1 ^ -(value & 1));
}

static inline uint64_t byte_buffer__change(struct bytes_in *in, uint64_t from)
{
	return from + (uint64_t)byte_buffer__signed(in);
}

/* Reads a number into `len`, returns that many bytes after it; NULL and 0 if they are missing. */
static inline const void *byte_buffer__take(struct bytes_in *in, size_t *len)
{
	uint64_t n = byte_buffer__number(in);
	const void *data = in->at;

	*len = 0;
	if (in->bad || n > (uint64_t)(in->end - in->at)) {
		in->bad = true;
		return NULL;
	}
	in->at += n;
	*len = n;
	return data;
}

#endif
