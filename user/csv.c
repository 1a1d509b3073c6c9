// SPDX-License-Identifier: MIT
/*
 * Writes rows of CSV.
 */
#include "user/csv.h"

#include <errno.h>
#include <string.h>

#include "user/format.h"

static void next_field(struct textbuf *row)
{
	if (row->len)
		textbuf__char(row, ',');
}

static bool stays(uint32_t code)
{
	return code == '\n' || code == '\r' || code == '\t' || !text_is_unsafe(code);
}

/* One character; how many bytes it takes. */
static size_t put_character(struct textbuf *row, const char *text, size_t len)
{
	uint32_t code;
	size_t n = utf8_decode(text, len, &code);

	if (!n) {
		textbuf__str(row, "\xef\xbf\xbd");
		return 1;
	}
	if (code == '"')
		textbuf__char(row, '"');
	if (stays(code))
		textbuf__mem(row, text, n);
	else
		textbuf__char(row, '?');
	return n;
}

/* How many bytes need no care. */
static size_t plain(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] < 0x7f && text[n] != '"')
		n++;
	return n;
}

void csv__text(struct textbuf *row, const char *text)
{
	size_t n = plain(text), left;

	next_field(row);
	textbuf__char(row, '"');
	textbuf__mem(row, text, n);
	text += n;
	for (left = strlen(text); left; left -= n, text += n)
		n = put_character(row, text, left);
	textbuf__char(row, '"');
}

void csv__uint(struct textbuf *row, uint64_t value)
{
	next_field(row);
	textbuf__uint(row, value);
}

void csv__raw(struct textbuf *row, const char *digits)
{
	next_field(row);
	textbuf__str(row, digits);
}

int csv__end(struct textbuf *row, FILE *out)
{
	int err;

	textbuf__char(row, '\n');
	err = row->failed ? -ENOMEM : 0;
	if (!err)
		fwrite_unlocked(row->data, 1, row->len, out);
	textbuf__reset(row);
	return err;
}

int csv__header(struct textbuf *row, FILE *out, const char *names)
{
	char name[64];
	size_t len;

	for (; *names; names += len + (names[len] == ' ')) {
		len = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		csv__text(row, name);
	}
	return csv__end(row, out);
}
