// SPDX-License-Identifier: MIT
/*
 * Writes JSON into a text.
 */
#include "user/jsontext.h"

#include <inttypes.h>
#include <string.h>

static bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != '"' && c != '\\';
}

static void put_string(struct json_text *j, const char *value)
{
	const char *at = utf8_clean(&j->utf8, value), *begin;
	char code[8];

	if (!at) {
		j->text.failed = true;
		return;
	}
	textbuf__char(&j->text, '"');
	while (*at) {
		for (begin = at; *at && is_plain(*at); at++)
			;
		textbuf__mem(&j->text, begin, at - begin);
		if (!*at)
			break;
		snprintf(code, sizeof(code), "\\u%04x", (unsigned char)*at++);
		textbuf__str(&j->text, code);
	}
	textbuf__char(&j->text, '"');
}

static void put_key(struct json_text *j, const char *key)
{
	if (j->text.len > 1)
		textbuf__char(&j->text, ',');
	if (!key)
		return;
	put_string(j, key);
	textbuf__char(&j->text, ':');
}

void json_text__open(struct json_text *j, char bracket)
{
	textbuf__reset(&j->text);
	textbuf__char(&j->text, bracket);
}

void json_text__string(struct json_text *j, const char *key, const char *value)
{
	put_key(j, key);
	put_string(j, value);
}

void json_text__uint(struct json_text *j, const char *key, uint64_t value)
{
	put_key(j, key);
	textbuf__uint(&j->text, value);
}

const char *json_text__close(struct json_text *j)
{
	if (!j->text.len)
		return NULL;
	textbuf__char(&j->text, j->text.data[0] == '{' ? '}' : ']');
	return j->text.failed ? NULL : textbuf__string(&j->text);
}

void json_text__free(struct json_text *j)
{
	textbuf__free(&j->text);
	utf8_free(&j->utf8);
}
