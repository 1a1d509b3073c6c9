// SPDX-License-Identifier: MIT
/*
 * Calls a traced function through functions of known names, compiled with frame pointers.
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

int main(void)
{
	outer_caller(1);
	usleep(300000); /* stacks are put into words while the process is there */
	return 0;
}
