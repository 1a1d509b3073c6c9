/* SPDX-License-Identifier: MIT */
/*
 * Writes a JSON document to a file: members of objects, or without a key (NULL) of arrays.
 */
#ifndef RTRACE_BASE_JSON_YAJL_H
#define RTRACE_BASE_JSON_YAJL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct jsonout;

enum jsonout_form {
	JSONOUT_LINES,	/* for people too: a line a member */
	JSONOUT_SCRIPT, /* short, and without '<': it may stand in a script element of HTML */
};

struct jsonout *json_yajl__new(FILE *out, enum jsonout_form form); /* NULL: no memory */

/* 0 or the first -errno that was met; not of writing to the file. Frees. */
int json_yajl__close(struct jsonout *j);

void json_yajl__open_map(struct jsonout *j, const char *key);
void json_yajl__close_map(struct jsonout *j);
void json_yajl__open_array(struct jsonout *j, const char *key);
void json_yajl__close_array(struct jsonout *j);

/* What is no UTF-8 in it is replaced. */
void json_yajl__string(struct jsonout *j, const char *key, const char *value);

/* As a string where readers that keep numbers as doubles would not be exact. */
void json_yajl__u64(struct jsonout *j, const char *key, uint64_t value);
void json_yajl__i64(struct jsonout *j, const char *key, int64_t value);
void json_yajl__hex(struct jsonout *j, const char *key, uint64_t value); /* "0x1f" */
void json_yajl__bool(struct jsonout *j, const char *key, bool value);
void json_yajl__double(struct jsonout *j, const char *key, double value);
void json_yajl__base64(struct jsonout *j, const char *key, const void *data, size_t len);

#endif
