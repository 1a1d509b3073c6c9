/* SPDX-License-Identifier: MIT */
/*
 * The code of the stubs, see call_stubs.h.
 *
 * A captured call has this frame, below what the caller has pushed:
 *
 *     8(%rbp)   return address
 *      (%rbp)   the caller's %rbp
 *    -8(%rbp)   the caller's %rbx; %rbx holds the span's frame meanwhile
 *   -16(%rbp)   %rax, as the caller has left it; then what the function has returned there
 *   -24..-64    %r9 %r8 %rcx %rdx %rsi %rdi; then %rdx, %xmm0 and %xmm1 as the function left them
 *   -72(%rbp)   the stub's number
 *   -80(%rbp)   nothing: a call wants the stack at a multiple of 16
 *               the words of arguments again
 */
#include "hsa_agent/calls/call_stubs.inc"

	.text

	.macro	put_back	/* what the caller has passed in registers */
	mov	-64(%rbp), %rdi
	mov	-56(%rbp), %rsi
	mov	-48(%rbp), %rdx
	mov	-40(%rbp), %rcx
	mov	-32(%rbp), %r8
	mov	-24(%rbp), %r9
	mov	-16(%rbp), %rax
	.endm

	.macro	leave_frame
	mov	-8(%rbp), %rbx
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	.cfi_restore %rbx
	.endm

	.globl	stubs_code
	.hidden	stubs_code
	.type	stubs_code, @function
	.balign	STUB_SIZE
stubs_code:
	.cfi_startproc
	.set	number, 0
	.rept	STUBS
	.balign	STUB_SIZE
	mov	$number, %r11d
	jmp	come
	.set	number, number + 1
	.endr
	.balign	STUB_SIZE
come:
	lea	stubs_wanted(%rip), %r10
	cmpb	$0, (%r10,%r11)
	jne	capture
go:
	lea	(%r11,%r11,4), %r11	/* 5 * 8 bytes each */
	lea	stubs(%rip), %r10
	jmp	*STUB_ENTRY(%r10,%r11,8)

capture:
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%rbx
	.cfi_offset %rbx, -24
	push	%rax
	push	%r9
	push	%r8
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r11
	sub	$8, %rsp
	mov	%r11d, %edi
	lea	-64(%rbp), %rsi
	lea	16(%rbp), %rdx
	call	stubs_enter
	mov	%rdx, %rbx
	mov	-72(%rbp), %r11
	test	%rax, %rax
	jz	decline
	lea	(%r11,%r11,4), %r11
	lea	stubs(%rip), %r10
	lea	(%r10,%r11,8), %r10
	mov	%rax, %r11
	mov	STUB_WORDS(%r10), %ecx
	test	%ecx, %ecx
	jnz	copy
	movups	16(%rbp), %xmm0		/* STUB_WORDS_MIN words */
	movups	32(%rbp), %xmm1
	movups	48(%rbp), %xmm2
	sub	$48, %rsp
	movups	%xmm0, (%rsp)
	movups	%xmm1, 16(%rsp)
	movups	%xmm2, 32(%rsp)
call:
	mov	STUB_PAD(%r10), %r10
	put_back
	call	*%r10
	mov	%rax, -16(%rbp)
	mov	%rdx, -24(%rbp)
	movups	%xmm0, -48(%rbp)
	movups	%xmm1, -64(%rbp)
	mov	%rbx, %rdi
	mov	%rax, %rsi
	call	stubs_leave
	mov	-16(%rbp), %rax
	mov	-24(%rbp), %rdx
	movups	-48(%rbp), %xmm0
	movups	-64(%rbp), %xmm1
	.cfi_remember_state
	leave_frame
	ret

copy:
	.cfi_restore_state
	lea	(,%rcx,8), %rax
	sub	%rax, %rsp
	and	$-16, %rsp
0:	mov	8(%rbp,%rcx,8), %rax
	mov	%rax, -8(%rsp,%rcx,8)
	dec	%ecx
	jnz	0b
	jmp	call

decline:
	put_back
	leave_frame
	jmp	go
	.cfi_endproc
	.size	stubs_code, . - stubs_code

/*
 * What is called, with the place to go on at in %r11: does what the instructions would have done
 * that the call does not pass.
 */
	.type	pads, @function
	.balign	16
pads:
	.cfi_startproc
jump_on:
	jmp	*%r11
	.cfi_endproc
	.macro	pad register
	.cfi_startproc
push_\register:
	push	%\register
	.cfi_def_cfa_offset 16
	jmp	*%r11
	.cfi_endproc
	.endm
	.irp	register, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r12, r13, r14, r15
	pad	\register
	.endr
	.size	pads, . - pads

	.section .data.rel.ro, "aw"
	.globl	stubs_pads
	.hidden	stubs_pads
	.type	stubs_pads, @object
	.balign	8
stubs_pads:	/* by the register's number in instructions, then the one that pushes nothing */
	.quad	push_rax, push_rcx, push_rdx, push_rbx, 0, push_rbp, push_rsi, push_rdi
	.quad	push_r8, push_r9, 0, 0, push_r12, push_r13, push_r14, push_r15
	.quad	jump_on
	.size	stubs_pads, . - stubs_pads

	.section .note.GNU-stack, "", @progbits
