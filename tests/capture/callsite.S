/* SPDX-License-Identifier: MIT */
/*
 * call_site(fn, in, out): calls the function with the registers of `in` and two arguments on the
 * stack, and stores what it finds afterwards in `out`. The layout is struct registers of sites.c.
 */
	.text
	.globl	call_site
	.type	call_site, @function
call_site:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	%rdx				/* out */
	mov	%rdi, %rax
	mov	%rsi, %r11
	push	56(%r11)			/* eighth argument */
	push	48(%r11)			/* seventh */
	mov	(%r11), %rdi
	mov	8(%r11), %rsi
	mov	16(%r11), %rdx
	mov	24(%r11), %rcx
	mov	32(%r11), %r8
	mov	40(%r11), %r9
	mov	64(%r11), %rbx
	mov	72(%r11), %rbp
	mov	80(%r11), %r12
	mov	88(%r11), %r13
	mov	96(%r11), %r14
	mov	104(%r11), %r15
	movups	128(%r11), %xmm0
	movups	144(%r11), %xmm1
	mov	%rax, %r10
	mov	%rsp, %rax
	mov	%rax, expected_sp(%rip)
	xor	%eax, %eax
	call	*%r10
	mov	16(%rsp), %r11			/* out */
	mov	%rax, 112(%r11)
	mov	%rsp, %rax
	sub	expected_sp(%rip), %rax
	mov	%rax, 120(%r11)
	mov	(%rsp), %rax
	mov	%rax, 48(%r11)
	mov	%rbx, 64(%r11)
	mov	%rbp, 72(%r11)
	mov	%r12, 80(%r11)
	mov	%r13, 88(%r11)
	mov	%r14, 96(%r11)
	mov	%r15, 104(%r11)
	movups	%xmm0, 128(%r11)
	movups	%xmm1, 144(%r11)
	add	$24, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	call_site, . - call_site

	.local	expected_sp
	.comm	expected_sp, 8, 8

	.section .note.GNU-stack, "", @progbits
