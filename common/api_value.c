// SPDX-License-Identifier: MIT
/*
 * Writes values by their types.
 */
#include "common/api_value.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NESTED 8 /* structs inside each other; those of the headers have 4 */

uint64_t api_value__load(const unsigned char *data, uint32_t size)
{
	uint64_t value = 0;

	memcpy(&value, data, size <= sizeof(value) ? size : sizeof(value));
	return value;
}

int64_t api_value__signed(uint64_t value, uint32_t size)
{
	unsigned int shift = size < 8 ? 64 - 8 * size : 0;

	return (int64_t)(value << shift) >> shift;
}

void api_value__put_address(struct textbuf *t, uint64_t address)
{
	if (address)
		text_buffer__hex(t, address);
	else
		text_buffer__str(t, "NULL");
}

void api_value__put_string(struct textbuf *t, const unsigned char *data, size_t len, bool cut)
{
	text_buffer__char(t, '"');
	text_buffer__escaped(t, (const char *)data, len, '"');
	text_buffer__str(t, cut ? "\"..." : "\"");
}

static int by_value(const void *key, const void *constant)
{
	uint64_t a = *(const uint64_t *)key, b = ((const struct api_constant *)constant)->value;

	return a < b ? -1 : a > b;
}

static const char *constant_name(const struct api_type *type, uint64_t value)
{
	const struct api_constant *c =
		bsearch(&value, type->constants, type->count, sizeof(*type->constants), by_value);

	return c ? c->name : NULL;
}

/* "A|B|0x40": the largest constants first, so that a name for several bits together is found. */
static void put_flags(struct textbuf *t, const struct api_type *type, uint64_t value)
{
	const char *separator = "";

	for (unsigned int i = type->count; i-- > 0;) {
		const struct api_constant *c = &type->constants[i];

		if (!c->value || (value & c->value) != c->value)
			continue;
		text_buffer__str(t, separator);
		text_buffer__str(t, c->name);
		value &= ~c->value;
		separator = "|";
	}
	if (value || !*separator) {
		text_buffer__str(t, separator);
		text_buffer__hex(t, value);
	}
}

static void put_enum(struct textbuf *t, const struct api_type *type, uint64_t value)
{
	const char *name = constant_name(type, value);

	if (name)
		text_buffer__str(t, name);
	else if (type->kind == API_FLAGS)
		put_flags(t, type, value);
	else
		text_buffer__int(t, api_value__signed(value, type->size));
}

static void put_float(struct textbuf *t, const unsigned char *data, uint32_t size)
{
	double d;
	float f;

	if (size == sizeof(f)) {
		memcpy(&f, data, sizeof(f));
		text_buffer__float(t, f);
	} else {
		memcpy(&d, data, sizeof(d));
		text_buffer__double(t, d);
	}
}

/* All kinds that are whole or not there. */
static void put_scalar(struct textbuf *t, const struct api_type *type, const unsigned char *data)
{
	uint64_t value = api_value__load(data, type->size);

	switch (type->kind) {
	case API_INT:
		text_buffer__int(t, api_value__signed(value, type->size));
		break;
	case API_HEX:
		text_buffer__hex(t, value);
		break;
	case API_BOOL:
		if (value > 1)
			text_buffer__uint(t, value);
		else
			text_buffer__str(t, value ? "true" : "false");
		break;
	case API_FLOAT:
		put_float(t, data, type->size);
		break;
	case API_ENUM:
	case API_FLAGS:
		put_enum(t, type, value);
		break;
	case API_POINTER:
	case API_STRING:
		api_value__put_address(t, value);
		break;
	default:
		text_buffer__uint(t, value);
	}
}

static void put_chars(struct textbuf *t, const struct api_type *type, const unsigned char *data,
		      size_t len)
{
	size_t max = len < type->size ? len : type->size;
	size_t n = strnlen((const char *)data, max);

	api_value__put_string(t, data, n, n == max && max < type->size);
}

static void put_bytes(struct textbuf *t, const struct api_type *type, const unsigned char *data,
		      size_t len)
{
	size_t n = len < type->size ? len : type->size;

	text_buffer__str(t, "0x");
	for (size_t i = 0; i < n; i++) {
		text_buffer__char(t, "0123456789abcdef"[data[i] >> 4]);
		text_buffer__char(t, "0123456789abcdef"[data[i] & 0xf]);
	}
	if (n < type->size)
		text_buffer__str(t, "...");
}

static void put_value(struct textbuf *t, const struct api_type *type, const unsigned char *data,
		      size_t len, unsigned int depth);

/* Fields that `len` bytes do not reach are "..."; arrays of char may be there in part. */
static void put_fields(struct textbuf *t, const struct api_type *type, const unsigned char *data,
		       size_t len, unsigned int depth)
{
	for (unsigned int i = 0; i < type->count; i++) {
		const struct api_field *f = &type->fields[i];

		if (i)
			text_buffer__str(t, ", ");
		if (f->offset >= len) {
			text_buffer__str(t, "...");
			return;
		}
		text_buffer__str(t, f->name);
		text_buffer__char(t, '=');
		put_value(t, f->type, data + f->offset, len - f->offset, depth + 1);
	}
}

static void put_elements(struct textbuf *t, const struct api_type *type, const unsigned char *data,
			 size_t len, unsigned int depth)
{
	uint32_t step = type->target->size;

	for (unsigned int i = 0; i < type->count; i++) {
		if (i)
			text_buffer__str(t, ", ");
		if ((size_t)step * i >= len) {
			text_buffer__str(t, "...");
			return;
		}
		put_value(t, type->target, data + (size_t)step * i, len - (size_t)step * i,
			  depth + 1);
	}
}

static void put_value(struct textbuf *t, const struct api_type *type, const unsigned char *data,
		      size_t len, unsigned int depth)
{
	if (depth > MAX_NESTED) {
		text_buffer__str(t, "...");
	} else if (type->kind == API_STRUCT) {
		text_buffer__char(t, '{');
		put_fields(t, type, data, len, depth);
		text_buffer__char(t, '}');
	} else if (type->kind == API_ARRAY) {
		text_buffer__char(t, '[');
		put_elements(t, type, data, len, depth);
		text_buffer__char(t, ']');
	} else if (type->kind == API_CHARS) {
		put_chars(t, type, data, len);
	} else if (type->kind == API_BYTES) {
		put_bytes(t, type, data, len);
	} else if (type->size <= len) {
		put_scalar(t, type, data);
	} else {
		text_buffer__char(t, '?');
	}
}

void api_value__put(struct textbuf *t, const struct api_type *type, const void *data, size_t len)
{
	put_value(t, type, data, len, 0);
}

void api_value__put_bare(struct textbuf *t, const struct api_type *type, const void *data,
			 size_t len)
{
	if (type->kind == API_STRUCT)
		put_fields(t, type, data, len, 0);
	else
		put_value(t, type, data, len, 0);
}
