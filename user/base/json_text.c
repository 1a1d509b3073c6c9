// SPDX-License-Identifier: MIT
/*
 * Writes JSON into a text.
 */
#include "user/base/json_text.h"

#include <inttypes.h>
#include <string.h>

static bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != '"' && c != '\\';
}

static void put_string(struct json_text *j, const char *value)
{
	const char *at = utf8__clean(&j->utf8, value), *begin;
	char code[8];

	if (!at) {
		j->text.failed = true;
		return;
	}
	text_buffer__char(&j->text, '"');
	while (*at) {
		for (begin = at; *at && is_plain(*at); at++)
			;
		text_buffer__mem(&j->text, begin, at - begin);
		if (!*at)
			break;
		snprintf(code, sizeof(code), "\\u%04x", (unsigned char)*at++);
		text_buffer__str(&j->text, code);
	}
	text_buffer__char(&j->text, '"');
}

static void put_key(struct json_text *j, const char *key)
{
	if (j->text.len > 1)
		text_buffer__char(&j->text, ',');
	if (!key)
		return;
	put_string(j, key);
	text_buffer__char(&j->text, ':');
}

void json_text__open(struct json_text *j, char bracket)
{
	text_buffer__reset(&j->text);
	text_buffer__char(&j->text, bracket);
}

void json_text__string(struct json_text *j, const char *key, const char *value)
{
	put_key(j, key);
	put_string(j, value);
}

void json_text__uint(struct json_text *j, const char *key, uint64_t value)
{
	put_key(j, key);
	text_buffer__uint(&j->text, value);
}

const char *json_text__close(struct json_text *j)
{
	if (!j->text.len)
		return NULL;
	text_buffer__char(&j->text, j->text.data[0] == '{' ? '}' : ']');
	return j->text.failed ? NULL : text_buffer__string(&j->text);
}

void json_text__free(struct json_text *j)
{
	text_buffer__free(&j->text);
	utf8__free(&j->utf8);
}
