// SPDX-License-Identifier: MIT
/*
 * Cells with every character that there is: the table is printed, in every locale.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/base/text_table.h"

static const struct table_column columns[] = {
	{"N", 0}, {"NAME", COLUMN_WORD}, {"TEXT", COLUMN_TEXT}};

static size_t encode(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* What a table of these cells is; to be freed. */
static char *print(const char *cell)
{
	FILE *out = tmpfile();
	struct table *table = text_table__new(out, UNIT_FITTING, columns, 3);
	char *text;
	long len;

	text_table__put(table, "%d", 1);
	text_table__put(table, "%s", cell);
	text_table__put(table, "%s", cell);
	assert_int_equal(text_table__print(table, cell, 0), 0);
	len = ftell(out);
	rewind(out);
	text = calloc(1, (size_t)len + 1);
	assert_int_equal(fread(text, 1, (size_t)len, out), len);
	fclose(out);
	return text;
}

/* All code points, many in a cell, and surrogates and what is beyond them too. */
static void print_all(void)
{
	char cell[4 * 4096 + 1];

	for (uint32_t first = 1; first < 0x111000; first += 4096) {
		size_t len = 0;

		for (uint32_t c = first; c < first + 4096; c++)
			len += encode(cell + len, c);
		cell[len] = '\0';
		free(print(cell));
	}
}

static void test_every_locale(void **state)
{
	static const char *const locales[] = {"C", "C.UTF-8"};
	static const char cell[] = "a\xe2\x86\x90 b\xe2\x80\xae\x1b[m \xff";

	for (size_t i = 0; i < 2; i++) {
		char *text;

		alarm(250); /* the library may not end */
		assert_non_null(setlocale(LC_CTYPE, locales[i]));
		print_all();
		text = print(cell);
		assert_non_null(
			strstr(text, i ? "a\xe2\x86\x90 b\\xe2\\x80\\xae\\x1b[m \\xff"
				       : " a\\xe2\\x86\\x90 b\\xe2\\x80\\xae\\x1b[m \\xff"));
		free(text);
		alarm(0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_locale)};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
