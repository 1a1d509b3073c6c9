/* SPDX-License-Identifier: MIT */
/*
 * The functions of the library that tests the capture. None has anything to do with a GPU.
 */
#ifndef FAKEHIP_H
#define FAKEHIP_H

#include <setjmp.h>

long hipTestPlain(long a, long b, long c, long d, long e, long f); /* a+2b+3c+4d+5e+6f */
long hipTestNested(long n);					   /* calls hipTestPlain n times */
long hipTestRecurse(long n);					   /* itself, n deep; returns n */
long hipTestJump(jmp_buf *env);					   /* leaves by longjmp */
long hipTestJumpDeep(jmp_buf *env);				   /* calls hipTestJump */
long hipTestExitThread(void);					   /* leaves by pthread_exit */
long hipTestRaise(int signo);					   /* raises a signal */
long hipTestCallback(long (*fn)(void *), void *arg);
long hipTestTail(long a, long b, long c, long d, long e, long f);      /* jumps to hipTestPlain */
long hipTestTailTwice(long a, long b, long c, long d, long e, long f); /* to hipTestTail */
long hipTestRet(long a);					       /* one instruction */
long hipTestEndbr(long a);					       /* returns a */
long hipTestNop5(long a);					       /* likewise */
long hipTestEndbrNop5(long a);					       /* likewise */

#endif
