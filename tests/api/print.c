// SPDX-License-Identifier: MIT
/*
 * Calls every API function of the libraries once and prints each call as a tracer is to show it, a
 * line each.
 *
 *   calls [-x] [PREFIX]...     only the functions with symbols that begin with one of them
 *
 * -x: floating-point arguments in vector registers are captured too.
 */
#include <sys/mman.h>
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

static bool has_sse;

bool expect_has_sse(void)
{
	return has_sse;
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
	/*
	 * The kernel cannot read pages that are not in memory, and this process may end before a
	 * slow tracer reads them.
	 */
	mlockall(MCL_CURRENT);
	has_sse = argc > 1 && !strcmp(argv[1], "-x");
	for (size_t i = 0; i < api_call_count; i++)
		if (wanted(api_calls[i].symbol, argv + 1 + has_sse))
			api_calls[i].call();
	return 0;
}
