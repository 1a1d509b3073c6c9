// SPDX-License-Identifier: MIT
/*
 * Calls a traced function through functions of known names, compiled with frame pointers.
 *
 *   callers FILE    goes on until FILE exists: the tracer names the callers of a living process
 */
#include <unistd.h>

#include "tests/capture/fakehip.h"

#define NOT_A_TAIL_CALL __asm__ volatile("")

__attribute__((noinline)) long inner_caller(long n)
{
	long r = hipTestPlain(n, 0, 0, 0, 0, 0);

	NOT_A_TAIL_CALL;
	return r + 1;
}

__attribute__((noinline)) long outer_caller(long n)
{
	long r = inner_caller(n) + hipTestNested(1);

	NOT_A_TAIL_CALL;
	return r;
}

int main(int argc, char **argv)
{
	outer_caller(1);
	alarm(600); /* ends it after a test that failed */
	while (argc > 1 && access(argv[1], F_OK))
		usleep(10000);
	return 0;
}
