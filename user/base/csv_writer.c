// SPDX-License-Identifier: MIT
/*
 * Writes rows of CSV.
 */
#include "user/base/csv_writer.h"

#include <errno.h>
#include <string.h>

#include "common/format.h"

static void next_field(struct textbuf *row)
{
	if (row->len)
		text_buffer__char(row, ',');
}

static bool stays(uint32_t code)
{
	return code == '\n' || code == '\r' || code == '\t' || !text__is_unsafe(code);
}

/* One character; how many bytes it takes. */
static size_t put_character(struct textbuf *row, const char *text, size_t len)
{
	uint32_t code;
	size_t n = utf8__decode(text, len, &code);

	if (!n) {
		text_buffer__str(row, "\xef\xbf\xbd");
		return 1;
	}
	if (code == '"')
		text_buffer__char(row, '"');
	if (stays(code))
		text_buffer__mem(row, text, n);
	else
		text_buffer__char(row, '?');
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

void csv_writer__text(struct textbuf *row, const char *text)
{
	size_t n = plain(text), left;

	next_field(row);
	text_buffer__char(row, '"');
	text_buffer__mem(row, text, n);
	text += n;
	for (left = strlen(text); left; left -= n, text += n)
		n = put_character(row, text, left);
	text_buffer__char(row, '"');
}

void csv_writer__uint(struct textbuf *row, uint64_t value)
{
	next_field(row);
	text_buffer__uint(row, value);
}

void csv_writer__raw(struct textbuf *row, const char *digits)
{
	next_field(row);
	text_buffer__str(row, digits);
}

int csv_writer__end(struct textbuf *row, FILE *out)
{
	int err;

	text_buffer__char(row, '\n');
	err = row->failed ? -ENOMEM : 0;
	if (!err)
		fwrite_unlocked(row->data, 1, row->len, out);
	text_buffer__reset(row);
	return err;
}

int csv_writer__header(struct textbuf *row, FILE *out, const char *names)
{
	char name[64];
	size_t len;

	for (; *names; names += len + (names[len] == ' ')) {
		len = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		csv_writer__text(row, name);
	}
	return csv_writer__end(row, out);
}
