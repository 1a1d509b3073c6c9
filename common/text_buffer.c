// SPDX-License-Identifier: MIT
/*
 * A growing text: numbers and escapes without stdio in the paths that every event takes.
 */
#include "common/text_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format.h"

#define FIRST_SIZE 512

/* Makes room for `need` more bytes. */
static bool room(struct textbuf *t, size_t need)
{
	size_t size = t->size ? t->size : FIRST_SIZE;
	char *data;

	if (need <= t->size - t->len)
		return true;
	while (size - t->len < need)
		size *= 2;
	data = realloc(t->data, size);
	if (!data) {
		t->failed = true;
		return false;
	}
	t->data = data;
	t->size = size;
	return true;
}

void text_buffer__reset(struct textbuf *t)
{
	t->len = 0;
	t->failed = false;
}

void text_buffer__free(struct textbuf *t)
{
	free(t->data);
	memset(t, 0, sizeof(*t));
}

const char *text_buffer__string(struct textbuf *t)
{
	if (!room(t, 1))
		return "";
	t->data[t->len] = '\0';
	return t->data;
}

void text_buffer__char(struct textbuf *t, char c)
{
	if (room(t, 1))
		t->data[t->len++] = c;
}

void text_buffer__mem(struct textbuf *t, const void *data, size_t len)
{
	if (len && room(t, len)) {
		memcpy(t->data + t->len, data, len);
		t->len += len;
	}
}

void text_buffer__str(struct textbuf *t, const char *s)
{
	text_buffer__mem(t, s, strlen(s));
}

void text_buffer__uint(struct textbuf *t, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_buffer__mem(t, digits + at, sizeof(digits) - at);
}

void text_buffer__int(struct textbuf *t, int64_t value)
{
	if (value < 0)
		text_buffer__char(t, '-');
	text_buffer__uint(t, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void text_buffer__hex(struct textbuf *t, uint64_t value)
{
	char digits[18];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value & 0xf];
		value >>= 4;
	} while (value);
	digits[--at] = 'x';
	digits[--at] = '0';
	text_buffer__mem(t, digits + at, sizeof(digits) - at);
}

void text_buffer__float(struct textbuf *t, float value)
{
	char buf[32];

	/* Nine digits distinguish every float. */
	for (int digits = 6; digits <= 9; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, value);
		if (strtof(buf, NULL) == value)
			break;
	}
	text_buffer__str(t, buf);
}

void text_buffer__double(struct textbuf *t, double value)
{
	char buf[32];

	/* Seventeen distinguish every double. */
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	text_buffer__str(t, buf);
}

static void hex_byte(struct textbuf *t, unsigned char byte)
{
	text_buffer__str(t, "\\x");
	text_buffer__char(t, "0123456789abcdef"[byte >> 4]);
	text_buffer__char(t, "0123456789abcdef"[byte & 0xf]);
}

/* One character, which is not plain ASCII. */
static size_t escape_one(struct textbuf *t, const char *s, size_t len, char quote)
{
	uint32_t code;
	size_t n = utf8__decode(s, len, &code);

	if (!n || text__is_unsafe(code)) {
		n += !n;
		for (size_t i = 0; i < n; i++)
			hex_byte(t, (unsigned char)s[i]);
		return n;
	}
	if (code == '\\' || code == (unsigned char)quote)
		text_buffer__char(t, '\\');
	text_buffer__mem(t, s, n);
	return n;
}

void text_buffer__escaped(struct textbuf *t, const char *s, size_t len, char quote)
{
	while (len) {
		size_t plain = 0;

		while (plain < len && s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '\\' &&
		       s[plain] != quote)
			plain++;
		text_buffer__mem(t, s, plain);
		s += plain;
		len -= plain;
		if (len) {
			size_t n = escape_one(t, s, len, quote);

			s += n;
			len -= n;
		}
	}
}
