// SPDX-License-Identifier: MIT
/*
 * A library that is named like HIP's and has functions with every way of being entered and left
 * that the capture must survive. Built without optimisation, so that each is a function of its own.
 */
#include "tests/capture/fakehip.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

__attribute__((visibility("default"))) long hipTestPlain(long a, long b, long c, long d, long e,
							 long f)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
}

long hipTestNested(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += hipTestPlain(i, 0, 0, 0, 0, 0);
	return sum;
}

long hipTestRecurse(long n)
{
	return n > 1 ? 1 + hipTestRecurse(n - 1) : 1;
}

long hipTestJump(jmp_buf *env)
{
	longjmp(*env, 1);
}

long hipTestJumpDeep(jmp_buf *env)
{
	return hipTestJump(env);
}

long hipTestExitThread(void)
{
	pthread_exit(NULL);
}

long hipTestRaise(int signo)
{
	return raise(signo);
}

long hipTestCallback(long (*fn)(void *), void *arg)
{
	return fn(arg);
}

/* Tail calls: the callee is entered with the stack pointer of the caller. */
__asm__(".text\n"
	".globl hipTestTail\n"
	".type hipTestTail, @function\n"
	"hipTestTail:\n"
	"	push %rbp\n"
	"	pop %rbp\n"
	"	jmp hipTestPlain@PLT\n"
	".size hipTestTail, . - hipTestTail\n"
	".globl hipTestTailTwice\n"
	".type hipTestTailTwice, @function\n"
	"hipTestTailTwice:\n"
	"	nop\n"
	"	jmp hipTestTail@PLT\n"
	".size hipTestTailTwice, . - hipTestTailTwice\n"
	/* One instruction, and one that starts with endbr64. */
	".globl hipTestRet\n"
	".type hipTestRet, @function\n"
	"hipTestRet:\n"
	"	ret\n"
	".size hipTestRet, . - hipTestRet\n"
	".globl hipTestEndbr\n"
	".type hipTestEndbr, @function\n"
	"hipTestEndbr:\n"
	"	endbr64\n"
	"	push %rbp\n"
	"	mov %rdi, %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size hipTestEndbr, . - hipTestEndbr\n"
	/* What compilers leave for tracers: a nop that a kernel may rewrite to a call. */
	".globl hipTestNop5\n"
	".type hipTestNop5, @function\n"
	".p2align 4\n"
	"hipTestNop5:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	push %rbp\n"
	"	mov %rdi, %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size hipTestNop5, . - hipTestNop5\n"
	".globl hipTestEndbrNop5\n"
	".type hipTestEndbrNop5, @function\n"
	".p2align 4\n"
	"hipTestEndbrNop5:\n"
	"	endbr64\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	push %rbp\n"
	"	mov %rdi, %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size hipTestEndbrNop5, . - hipTestEndbrNop5\n");
