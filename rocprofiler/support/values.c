// SPDX-License-Identifier: MIT
/*
 * How each sort of value is written. Nothing depends on the locale; what has no room is cut off.
 */
#include "rocprofiler/support/values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/peek.h"

#define PIECE	      256 /* of a string: is read at once, and is within one page */
#define DIGITS_MAX    17
#define STRUCT_DIGITS 6

struct text {
	char *at;
	size_t left; /* with the 0 at the end */
};

static void put_bytes(struct text *t, const char *bytes, size_t size)
{
	if (size >= t->left)
		size = t->left - 1;
	memcpy(t->at, bytes, size);
	t->at += size;
	t->left -= size;
	*t->at = 0;
}

static void put(struct text *t, const char *string)
{
	put_bytes(t, string, strlen(string));
}

__attribute__((format(printf, 2, 3))) static void put_format(struct text *t, const char *format,
							     ...)
{
	char piece[64];
	va_list args;

	va_start(args, format);
	vsnprintf(piece, sizeof(piece), format, args);
	va_end(args);
	put(t, piece);
}

/* ---- numbers ---- */

static uint64_t load(const struct sdk_type *type, const void *value)
{
	uint64_t bytes = 0;

	memcpy(&bytes, value, type->size < sizeof(bytes) ? type->size : sizeof(bytes));
	return bytes;
}

static int64_t load_signed(const struct sdk_type *type, const void *value)
{
	uint32_t unused = type->size && type->size < 8 ? 64 - 8 * type->size : 0;

	return (int64_t)(load(type, value) << unused) >> unused;
}

/* As std::ostream does. */
static void put_address(struct text *t, uint64_t address)
{
	put_format(t, address ? "%#llx" : "0", (unsigned long long)address);
}

/* A decimal number: 0.DDD times ten to `exponent`, plus one. */
struct decimal {
	char digits[DIGITS_MAX + 1];
	int count, exponent;
};

/* Only the digits count: the point is the locale's. */
static void parse(struct decimal *d, const char *scientific)
{
	const char *p = scientific;

	d->count = 0;
	for (; *p && *p != 'e'; p++)
		if (*p >= '0' && *p <= '9' && d->count < DIGITS_MAX)
			d->digits[d->count++] = *p;
	while (d->count > 1 && d->digits[d->count - 1] == '0')
		d->count--;
	d->exponent = *p ? atoi(p + 1) : 0;
}

static bool reads_as(const char *text, const struct sdk_type *type, double value)
{
	return type->size == sizeof(float) ? strtof(text, NULL) == (float)value
					   : strtod(text, NULL) == value;
}

/* `digits` of it, or, of 0, the fewest that are read as the same. */
static void to_decimal(struct decimal *d, const struct sdk_type *type, double value, int digits)
{
	char text[64];

	for (int n = digits ? digits : 1; n <= DIGITS_MAX; n++) {
		snprintf(text, sizeof(text), "%.*e", n - 1, value);
		if (digits || reads_as(text, type, value))
			break;
	}
	parse(d, text);
}

static void put_zeros(struct text *t, int count)
{
	while (count-- > 0)
		put(t, "0");
}

static void put_scientific(struct text *t, const struct decimal *d)
{
	put_bytes(t, d->digits, 1);
	if (d->count > 1)
		put(t, ".");
	put_bytes(t, d->digits + 1, d->count - 1);
	put_format(t, "e%c%02d", d->exponent < 0 ? '-' : '+', abs(d->exponent));
}

static void put_fixed(struct text *t, const struct decimal *d)
{
	int before = d->exponent + 1; /* digits in front of the point */
	int whole = before < 0 ? 0 : before < d->count ? before : d->count;

	put_bytes(t, d->digits, whole);
	put_zeros(t, before > 0 ? before - whole : 1);
	if (whole == d->count)
		return;
	put(t, ".");
	put_zeros(t, -before);
	put_bytes(t, d->digits + whole, d->count - whole);
}

/* In a struct as %g. */
static void put_float(struct text *t, const struct sdk_type *type, const void *value, bool inside)
{
	int end = inside ? STRUCT_DIGITS : 16; /* of exponents that are not written */
	struct decimal d;
	double number;
	float single;

	if (type->size == sizeof(single)) {
		memcpy(&single, value, sizeof(single));
		number = single;
	} else {
		memcpy(&number, value, sizeof(number));
	}
	if (signbit(number))
		put(t, "-");
	if (!isfinite(number)) {
		put(t, isnan(number) ? "nan" : "inf");
		return;
	}
	to_decimal(&d, type, fabs(number), inside ? STRUCT_DIGITS : 0);
	if (d.exponent < -4 || d.exponent >= end)
		put_scientific(t, &d);
	else
		put_fixed(t, &d);
}

static void put_enum(struct text *t, const struct sdk_type *type, const void *value)
{
	int32_t number = load_signed(type, value);

	for (uint32_t i = 0; i < type->count; i++)
		if (type->constants[i].value == number) {
			put(t, type->constants[i].name);
			return;
		}
	if (type->unknown)
		put_format(t, "%s%d", type->unknown, number);
	else
		put(t, type->constants[0].name);
}

/* ---- strings ---- */

/* 1.0 has a backslash in front of the character itself. */
static void put_escaped(struct text *t, const char *string, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = string[i];

		if (c && strchr("\"\\\b\f\n\r\t", c))
			put_format(t, "\\%c", c);
		else if (c >= ' ' && c <= '~')
			put_bytes(t, &string[i], 1);
		else
			put_format(t, "\\x%02x", c);
	}
}

static void put_piece(struct text *t, const char *piece, size_t size, bool quoted)
{
	if (quoted)
		put_escaped(t, piece, size);
	else
		put_bytes(t, piece, size);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* From where the memory ends the string is cut, too. */
static void put_pieces(struct text *t, const char *from, bool quoted)
{
	char piece[PIECE];

	for (size_t done = 0; done < VALUES_STRING_MAX;) {
		size_t size =
			least(PIECE - (uintptr_t)(from + done) % PIECE, VALUES_STRING_MAX - done);
		size_t length;

		if (!peek__all(piece, from + done, size))
			break;
		length = strnlen(piece, size);
		put_piece(t, piece, length, quoted);
		if (length < size)
			return;
		done += size;
	}
	put(t, "...");
}

static void put_string(struct text *t, const void *value, bool inside)
{
	const char *from;
	char first;

	memcpy(&from, value, sizeof(from));
	if (!from) {
		put(t, "(null)");
	} else if (!peek__all(&first, from, 1)) {
		put_address(t, (uintptr_t)from);
	} else {
		put(t, inside ? "\"" : "");
		put_pieces(t, from, inside);
		put(t, inside ? "\"" : "");
	}
}

static void put_chars(struct text *t, const struct sdk_type *type, const void *value)
{
	put(t, "\"");
	put_escaped(t, value, strnlen(value, type->size));
	put(t, "\"");
}

/* ---- all ---- */

static void put_value(struct text *t, const struct sdk_type *type, const void *value, bool inside);

static void put_struct(struct text *t, const struct sdk_type *type, const void *value)
{
	put(t, type->bare ? "" : "{");
	for (uint32_t i = 0; i < type->count; i++) {
		const struct sdk_field *f = &type->fields[i];

		put(t, i ? ", " : "");
		put(t, f->name);
		put(t, "=");
		put_value(t, f->type, (const char *)value + f->offset, true);
	}
	put(t, type->bare ? "" : "}");
}

static void put_value(struct text *t, const struct sdk_type *type, const void *value, bool inside)
{
	switch (type->kind) {
	case SDK_SIGNED:
		put_format(t, "%lld", (long long)load_signed(type, value));
		break;
	case SDK_UNSIGNED:
		put_format(t, "%llu", (unsigned long long)load(type, value));
		break;
	case SDK_BOOL:
		put(t, load(type, value) ? "true" : "false");
		break;
	case SDK_FLOAT:
		put_float(t, type, value, inside);
		break;
	case SDK_ENUM:
		put_enum(t, type, value);
		break;
	case SDK_ADDRESS:
	case SDK_POINTER:
		if (type->unknown && !load(type, value))
			put(t, type->unknown);
		else
			put_address(t, load(type, value));
		break;
	case SDK_STRING:
		put_string(t, value, inside);
		break;
	case SDK_CHARS:
		put_chars(t, type, value);
		break;
	case SDK_STRUCT:
		put_struct(t, type, value);
		break;
	}
}

/* Of a pointer that was not followed. */
static void put_pointer(struct text *t, uint64_t address)
{
	if (address)
		put_address(t, address);
	else
		put(t, "(null)");
}

int values__write(char *text, size_t room, const struct sdk_type *type, const void *value, int max)
{
	char target[VALUES_TARGET_MAX] __attribute__((aligned(16)));
	struct text t = {text, room};
	int followed = 0;

	*text = 0;
	for (; type->kind == SDK_POINTER; type = type->target, value = target, followed++) {
		uint64_t address = load(type, value);

		if (!address || !type->target || followed >= max ||
		    type->target->size > sizeof(target) ||
		    !peek__all(target, (const void *)(uintptr_t)address, type->target->size)) {
			put_pointer(&t, address);
			return followed;
		}
	}
	put_value(&t, type, value, false);
	return followed;
}
