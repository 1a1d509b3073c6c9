// SPDX-License-Identifier: MIT
/*
 * Texts and numbers for people: UTF-8, escapes, units.
 */
#include "common/format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* By the first byte: how many bytes, and the smallest code point that needs as many. */
static size_t utf8_lead(unsigned char lead, uint32_t *min)
{
	if (lead < 0x80) {
		*min = 0;
		return 1;
	}
	if ((lead & 0xe0) == 0xc0) {
		*min = 0x80;
		return 2;
	}
	if ((lead & 0xf0) == 0xe0) {
		*min = 0x800;
		return 3;
	}
	if ((lead & 0xf8) == 0xf0) {
		*min = 0x10000;
		return 4;
	}
	return 0;
}

size_t utf8__decode(const char *s, size_t len, uint32_t *code)
{
	unsigned char lead = s[0];
	uint32_t min, c;
	size_t need = utf8_lead(lead, &min);

	if (need == 0 || need > len)
		return 0;
	c = need == 1 ? lead : lead & (0x7f >> need);
	for (size_t i = 1; i < need; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < min || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return need;
}

static bool utf8_valid(const char *s, size_t len)
{
	uint32_t code;

	while (len) {
		size_t n = utf8__decode(s, len, &code);

		if (!n)
			return false;
		s += n;
		len -= n;
	}
	return true;
}

const char *utf8__clean(struct utf8_buf *buf, const char *s)
{
	size_t len = strlen(s), worst = len * strlen(REPLACEMENT) + 1;
	uint32_t code;
	char *out;

	if (utf8_valid(s, len))
		return s;
	if (buf->size < worst) {
		char *data = realloc(buf->data, worst);

		if (!data)
			return NULL;
		buf->data = data;
		buf->size = worst;
	}
	out = buf->data;
	while (len) {
		size_t n = utf8__decode(s, len, &code);

		out = n ? mempcpy(out, s, n) : mempcpy(out, REPLACEMENT, strlen(REPLACEMENT));
		n += !n;
		s += n;
		len -= n;
	}
	*out = '\0';
	return buf->data;
}

void utf8__free(struct utf8_buf *buf)
{
	free(buf->data);
}

/* C0, DEL and C1 controls; line and paragraph separators; marks that reorder the text after them.
 */
bool text__is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void escape(FILE *out, const char *s, uint32_t last)
{
	size_t len = strlen(s);
	uint32_t code;

	while (len) {
		size_t n = utf8__decode(s, len, &code);
		bool safe = n && code <= last && !text__is_unsafe(code);

		n += !n;
		if (safe && code == '\\')
			fputs("\\\\", out);
		else if (safe)
			fwrite(s, 1, n, out);
		else
			for (size_t i = 0; i < n; i++)
				fprintf(out, "\\x%02x", (unsigned char)s[i]);
		s += n;
		len -= n;
	}
}

void text__escape(FILE *out, const char *s)
{
	escape(out, s, UINT32_MAX);
}

void text__escape_ascii(FILE *out, const char *s)
{
	escape(out, s, 0x7f);
}

struct unit {
	uint64_t scale; /* how many of the smallest unit */
	const char *name;
};

/* In the largest of the units (sorted down, the last with scale 1) that does not make it < 1. */
static char *format_units(char *buf, uint64_t value, const struct unit *unit)
{
	uint64_t whole, rest;

	while (unit->scale > 1 && value < unit->scale)
		unit++;
	whole = value / unit->scale;
	rest = (uint64_t)((unsigned __int128)(value % unit->scale) * 1000 / unit->scale);
	if (unit->scale == 1 || whole >= 1000)
		snprintf(buf, FORMAT_LEN, "%" PRIu64 "%s", whole, unit->name);
	else if (whole >= 100)
		snprintf(buf, FORMAT_LEN, "%" PRIu64 ".%" PRIu64 "%s", whole, rest / 100,
			 unit->name);
	else if (whole >= 10)
		snprintf(buf, FORMAT_LEN, "%" PRIu64 ".%02" PRIu64 "%s", whole, rest / 10,
			 unit->name);
	else
		snprintf(buf, FORMAT_LEN, "%" PRIu64 ".%03" PRIu64 "%s", whole, rest, unit->name);
	return buf;
}

char *format__ns(char buf[FORMAT_LEN], uint64_t ns)
{
	static const struct unit units[] = {
		{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};

	return format_units(buf, ns, units);
}

char *format__bytes(char buf[FORMAT_LEN], uint64_t bytes)
{
	static const struct unit units[] = {{1ULL << 40, "TiB"},
					    {1 << 30, "GiB"},
					    {1 << 20, "MiB"},
					    {1 << 10, "KiB"},
					    {1, "B"}};

	return format_units(buf, bytes, units);
}

char *format__rate(char buf[FORMAT_LEN], uint64_t bytes, uint64_t ns)
{
	if (ns)
		snprintf(buf, FORMAT_LEN, "%.2fGB/s", (double)bytes / (double)ns);
	else
		snprintf(buf, FORMAT_LEN, "-");
	return buf;
}
