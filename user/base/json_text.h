/* SPDX-License-Identifier: MIT */
/*
 * Small JSON objects and arrays as text, built up in a textbuf: what goes into columns of rocpd.
 */
#ifndef RTRACE_BASE_JSON_TEXT_H
#define RTRACE_BASE_JSON_TEXT_H

#include "common/format.h"
#include "common/text_buffer.h"

struct json_text {
	struct textbuf text;
	struct utf8_buf utf8;
};

/* Begins with '{' or '['. */
void json_text__open(struct json_text *j, char bracket);

/* A member of an object; with NULL as key, of an array. */
void json_text__string(struct json_text *j, const char *key, const char *value);
void json_text__uint(struct json_text *j, const char *key, uint64_t value);

/* Ends it; the text is valid until the next one is begun. NULL if out of memory. */
const char *json_text__close(struct json_text *j);

void json_text__free(struct json_text *j);

#endif
