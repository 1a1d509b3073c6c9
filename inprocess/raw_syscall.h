/* SPDX-License-Identifier: MIT */
/*
 * System calls that leave the application's thread as it was: errno is not touched, and none is a
 * point where pthread_cancel() takes effect. May be used in a signal handler.
 */
#ifndef RTRACE_INPROCESS_RAW_SYSCALL_H
#define RTRACE_INPROCESS_RAW_SYSCALL_H

#include <sys/syscall.h>

/* The kernel's result: from -4095 to -1 it is a negative errno. */
static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
