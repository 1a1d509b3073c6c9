// SPDX-License-Identifier: MIT
/*
 * JSON by yajl.
 */
#include "user/base/json_yajl.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "common/format.h"

#define EXACT_U64 (1ULL << 53)

struct jsonout {
	FILE *out;
	yajl_gen gen;
	struct utf8_buf utf8;
	int error;
};

static void print(void *arg, const char *text, size_t len)
{
	fwrite(text, 1, len, arg);
}

static void check(struct jsonout *j, yajl_gen_status status)
{
	if (status != yajl_gen_status_ok && !j->error)
		j->error = -EIO;
}

/* Only strings can have one, where the escape means the same. */
static void print_script(void *arg, const char *text, size_t len)
{
	const char *bracket;

	while ((bracket = memchr(text, '<', len))) {
		fwrite_unlocked(text, 1, bracket - text, arg);
		fputs_unlocked("\\u003c", arg);
		len -= bracket + 1 - text;
		text = bracket + 1;
	}
	fwrite_unlocked(text, 1, len, arg);
}

struct jsonout *json_yajl__new(FILE *out, enum jsonout_form form)
{
	struct jsonout *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->out = out;
	j->gen = yajl_gen_alloc(NULL);
	if (!j->gen) {
		free(j);
		return NULL;
	}
	if (form == JSONOUT_SCRIPT) {
		yajl_gen_config(j->gen, yajl_gen_print_callback, print_script, out);
		return j;
	}
	yajl_gen_config(j->gen, yajl_gen_print_callback, print, out);
	yajl_gen_config(j->gen, yajl_gen_beautify, 1);
	yajl_gen_config(j->gen, yajl_gen_indent_string, " ");
	return j;
}

int json_yajl__close(struct jsonout *j)
{
	int err = j->error;

	yajl_gen_free(j->gen);
	utf8__free(&j->utf8);
	free(j);
	return err;
}

static void text(struct jsonout *j, const char *value)
{
	const char *clean = utf8__clean(&j->utf8, value);

	if (!clean) {
		j->error = -ENOMEM;
		clean = "";
	}
	check(j, yajl_gen_string(j->gen, (const unsigned char *)clean, strlen(clean)));
}

static void put_key(struct jsonout *j, const char *key)
{
	if (key)
		text(j, key);
}

static void number(struct jsonout *j, const char *key, const char *digits)
{
	put_key(j, key);
	check(j, yajl_gen_number(j->gen, digits, strlen(digits)));
}

void json_yajl__open_map(struct jsonout *j, const char *key)
{
	put_key(j, key);
	check(j, yajl_gen_map_open(j->gen));
}

void json_yajl__close_map(struct jsonout *j)
{
	check(j, yajl_gen_map_close(j->gen));
}

void json_yajl__open_array(struct jsonout *j, const char *key)
{
	put_key(j, key);
	check(j, yajl_gen_array_open(j->gen));
}

void json_yajl__close_array(struct jsonout *j)
{
	check(j, yajl_gen_array_close(j->gen));
}

void json_yajl__string(struct jsonout *j, const char *key, const char *value)
{
	put_key(j, key);
	text(j, value);
}

void json_yajl__u64(struct jsonout *j, const char *key, uint64_t value)
{
	char buf[FORMAT_LEN];

	snprintf(buf, sizeof(buf), "%" PRIu64, value);
	if (value <= EXACT_U64)
		number(j, key, buf);
	else
		json_yajl__string(j, key, buf);
}

void json_yajl__i64(struct jsonout *j, const char *key, int64_t value)
{
	char buf[FORMAT_LEN];

	snprintf(buf, sizeof(buf), "%" PRId64, value);
	if (value <= (int64_t)EXACT_U64 && value >= -(int64_t)EXACT_U64)
		number(j, key, buf);
	else
		json_yajl__string(j, key, buf);
}

void json_yajl__hex(struct jsonout *j, const char *key, uint64_t value)
{
	char buf[FORMAT_LEN];

	snprintf(buf, sizeof(buf), "0x%" PRIx64, value);
	json_yajl__string(j, key, buf);
}

void json_yajl__bool(struct jsonout *j, const char *key, bool value)
{
	put_key(j, key);
	check(j, yajl_gen_bool(j->gen, value));
}

void json_yajl__double(struct jsonout *j, const char *key, double value)
{
	char buf[FORMAT_LEN];

	snprintf(buf, sizeof(buf), "%.6g", isfinite(value) ? value : 0.0);
	number(j, key, buf);
}

static char *encode(const unsigned char *in, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc(len / 3 * 4 + 5), *out = text;

	if (!text)
		return NULL;
	for (size_t i = 0; i < len; i += 3) {
		uint32_t rest = len - i < 3 ? len - i : 3, bits = (uint32_t)in[i] << 16;

		if (rest > 1)
			bits |= (uint32_t)in[i + 1] << 8;
		if (rest > 2)
			bits |= in[i + 2];
		*out++ = digits[bits >> 18];
		*out++ = digits[bits >> 12 & 63];
		*out++ = rest > 1 ? digits[bits >> 6 & 63] : '=';
		*out++ = rest > 2 ? digits[bits & 63] : '=';
	}
	*out = '\0';
	return text;
}

void json_yajl__base64(struct jsonout *j, const char *key, const void *data, size_t len)
{
	char *encoded = encode(data, len);

	if (!encoded)
		j->error = -ENOMEM;
	put_key(j, key);
	text(j, encoded ? encoded : "");
	free(encoded);
}
