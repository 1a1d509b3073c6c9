// SPDX-License-Identifier: MIT
/*
 * The text that a call is to be shown as, put together by printf.
 */
#include "tests/api/expect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char text[1 << 16];
static size_t len;

__attribute__((format(printf, 1, 2))) static void append(const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text + len, sizeof(text) - len, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(text) - len)
		abort();
	len += (size_t)n;
}

const char *expect_text(void)
{
	return text;
}

void expect_reset(void)
{
	len = 0;
	text[0] = '\0';
}

void expect(const char *s)
{
	append("%s", s);
}

void expect_int(long long value)
{
	append("%lld", value);
}

void expect_uint(unsigned long long value)
{
	append("%llu", value);
}

void expect_hex(unsigned long long value)
{
	append("0x%llx", value);
}

void expect_bool(bool value)
{
	append("%s", value ? "true" : "false");
}

void expect_real(double value)
{
	append("%g", value);
}

void expect_pointer(const void *value)
{
	if (value)
		append("%p", value);
	else
		append("NULL");
}

void expect_chars(const char *value)
{
	append("\"%s\"", value);
}

void expect_bytes(const void *data, size_t size, size_t known)
{
	const unsigned char *p = data;

	append("0x");
	for (size_t i = 0; i < known; i++)
		append("%02x", p[i]);
	if (known < size)
		append("...");
}
