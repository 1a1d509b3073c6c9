/* SPDX-License-Identifier: MIT */
/*
 * A function for each name that libreplaced.so stands for. It asks replaced__decide(), and goes on
 * in the real one as if that had been called: arguments and the place of the call are the caller's.
 */
#define REPLACE(name, number)      \
	.globl name;               \
	.type name, @function;     \
	name:;                     \
	endbr64;                   \
	movl $number, %r11d;       \
	jmp decide;                \
	.size name, . - name;

	.text
#include "replaced_names.h"

	.type decide, @function
decide:
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	pushq %rax
	subq $128, %rsp
	movups %xmm0, (%rsp)
	movups %xmm1, 16(%rsp)
	movups %xmm2, 32(%rsp)
	movups %xmm3, 48(%rsp)
	movups %xmm4, 64(%rsp)
	movups %xmm5, 80(%rsp)
	movups %xmm6, 96(%rsp)
	movups %xmm7, 112(%rsp)
	movl %r11d, %edi
	movq 184(%rsp), %rsi
	call replaced__decide
	movq %rax, %r11
	movq %rdx, %r10
	movups (%rsp), %xmm0
	movups 16(%rsp), %xmm1
	movups 32(%rsp), %xmm2
	movups 48(%rsp), %xmm3
	movups 64(%rsp), %xmm4
	movups 80(%rsp), %xmm5
	movups 96(%rsp), %xmm6
	movups 112(%rsp), %xmm7
	addq $128, %rsp
	popq %rax
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	testq %r11, %r11
	jz 1f
	jmp *%r11
1:
	movq %r10, %rax
	ret
	.size decide, . - decide

	.section .note.GNU-stack, "", @progbits
