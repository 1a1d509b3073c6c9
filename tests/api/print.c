// SPDX-License-Identifier: MIT
/*
 * Calls every API function of the libraries once and prints each call as a tracer is to show it, a
 * line each.
 *
 *   api_calls [PREFIX]...     only the functions whose symbols begin like that
 */
#include <stdio.h>

#include "tests/api/expect.h"

void begin_call(const char *symbol)
{
}

void end_call(uint64_t ret)
{
}

void expect_done(void)
{
	puts(expect_text());
	expect_reset();
}

bool expect_has_sse(void)
{
	return false;
}

static bool wanted(const char *symbol, char **prefixes)
{
	if (!*prefixes)
		return strncmp(symbol, "rtrace_test_", strlen("rtrace_test_"));
	for (; *prefixes; prefixes++)
		if (!strncmp(symbol, *prefixes, strlen(*prefixes)))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < api_call_count; i++)
		if (wanted(api_calls[i].symbol, argv + 1))
			api_calls[i].call();
	return 0;
}
