// SPDX-License-Identifier: MIT
/*
 * Tables by libsmartcols.
 */
#include "user/base/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols/libsmartcols.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

#include "common/format.h"

struct table {
	FILE *out;
	enum table_unit unit;
	struct libscols_table *scols;
	struct libscols_line *line;
	size_t columns, next; /* the cell of the line that is next */
	int error;
};

const char *const table_units[UNIT_COUNT] = {"", "nsec", "usec", "msec", "sec"};

static int add_column(struct table *t, const struct table_column *column)
{
	int flags = SCOLS_FL_RIGHT;
	char name[64];

	if (column->flags & COLUMN_TEXT)
		flags = SCOLS_FL_TRUNC;
	else if (column->flags & COLUMN_WORD)
		flags = 0;
	if (column->flags & COLUMN_TIME && t->unit)
		snprintf(name, sizeof(name), "%s (%s)", column->name, table_units[t->unit]);
	else
		snprintf(name, sizeof(name), "%s", column->name);
	return scols_table_new_column(t->scols, name, 0.1, flags) ? 0 : -ENOMEM;
}

struct table *text_table__new(FILE *out, enum table_unit unit, const struct table_column *columns,
			      size_t count)
{
	struct table *t = calloc(1, sizeof(*t));
	bool tty = isatty(fileno(out));

	if (!t)
		return NULL;
	t->out = out;
	t->unit = unit;
	t->columns = t->next = count;
	t->scols = scols_new_table();
	if (!t->scols) {
		free(t);
		return NULL;
	}
	scols_table_set_stream(t->scols, out);
	/* Its escapes leave marks that turn the direction of writing. */
	scols_table_enable_noencoding(t->scols, 1);
	/* Only a terminal's width makes it cut cells. */
	scols_table_set_termforce(t->scols, tty ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	for (size_t i = 0; i < count && !t->error; i++)
		t->error = add_column(t, &columns[i]);
	return t;
}

/* As a new string; NULL: no memory. */
static char *escaped(const char *text, void (*escape)(FILE *, const char *))
{
	char *safe = NULL;
	size_t size;
	FILE *f = open_memstream(&safe, &size);

	if (!f)
		return NULL;
	escape(f, text);
	if (!fclose(f))
		return safe;
	free(safe);
	return NULL;
}

/* Without its own escapes the library never ends with what the locale cannot read or show. */
static bool is_printable(const char *text)
{
	mbstate_t state = {};
	wchar_t c;
	size_t n;

	for (; *text; text += n) {
		n = mbrtowc(&c, text, MB_LEN_MAX, &state);
		if (n > MB_LEN_MAX || wcwidth(c) < 0)
			return false;
	}
	return true;
}

/* For the library. */
static char *cell_of(const char *unsafe)
{
	char *text = escaped(unsafe, text__escape);

	if (!text || is_printable(text))
		return text;
	free(text);
	return escaped(unsafe, text__escape_ascii);
}

static void put(struct table *t, const char *unsafe)
{
	char *text = cell_of(unsafe);

	if (t->next == t->columns) {
		t->line = scols_table_new_line(t->scols, NULL);
		t->next = 0;
	}
	if (!text || !t->line || scols_line_refer_data(t->line, t->next, text)) {
		t->error = -ENOMEM;
		free(text);
	}
	t->next++;
}

void text_table__put(struct table *t, const char *format, ...)
{
	char *text;
	va_list args;

	if (!t || t->error)
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		put(t, text);
	else
		t->error = -ENOMEM;
	free(text);
}

static const char *in_unit(const struct table *t, char buf[FORMAT_LEN], uint64_t ns)
{
	static const uint64_t scales[UNIT_COUNT] = {1, 1, 1000, 1000000, 1000000000};
	static const int digits[UNIT_COUNT] = {0, 0, 3, 6, 9};
	uint64_t scale = scales[t->unit];

	if (!t->unit)
		return format__ns(buf, ns);
	if (scale == 1)
		snprintf(buf, FORMAT_LEN, "%" PRIu64, ns);
	else
		snprintf(buf, FORMAT_LEN, "%" PRIu64 ".%0*" PRIu64, ns / scale, digits[t->unit],
			 ns % scale);
	return buf;
}

void text_table__put_time(struct table *t, uint64_t ns)
{
	char buf[FORMAT_LEN];

	if (t)
		text_table__put(t, "%s", in_unit(t, buf, ns));
}

void text_table__put_change(struct table *t, int64_t ns)
{
	char buf[FORMAT_LEN];

	if (t)
		text_table__put(t, "%c%s", ns < 0 ? '-' : '+', in_unit(t, buf, llabs(ns)));
}

void text_table__put_bytes(struct table *t, uint64_t bytes)
{
	char buf[FORMAT_LEN];

	text_table__put(t, "%s", format__bytes(buf, bytes));
}

void text_table__put_share(struct table *t, uint64_t part, uint64_t whole)
{
	text_table__put(t, "%.1f%%", whole ? 100.0 * (double)part / (double)whole : 0.0);
}

void text_table__free(struct table *t)
{
	if (t)
		scols_unref_table(t->scols);
	free(t);
}

int text_table__print(struct table *t, const char *title, size_t more)
{
	int err = t ? t->error : -ENOMEM;

	if (!err && title) {
		text__escape(t->out, title);
		fputc('\n', t->out);
	}
	if (!err)
		err = scols_print_table(t->scols);
	if (!err && more)
		fprintf(t->out, "... and %zu more\n", more);
	if (t && title)
		fputc('\n', t->out);
	text_table__free(t);
	return err;
}
