/* SPDX-License-Identifier: MIT */
/*
 * Functions with calls that stubs capture, and their caller, for test_stubs.c.
 */
	.text

	/* Must be entered at _next, after its first instruction. */
	.macro	pushing register
	.globl	target_\register, target_\register\()_next
target_\register:
	ud2
target_\register\()_next:
	lea	target_\register(%rip), %rax
	pop	%r11
	mov	%\register, %r10
	sub	%r11, %r10		/* 0: it was pushed as it is */
	add	%r10, %rax
	ret
	.endm
	.irp	register, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r12, r13, r14, r15
	pushing	\register
	.endr

	/* %rax is used up there. */
	.globl	target_rax, target_rax_next
target_rax:
	ud2
target_rax_next:
	pop	%r11
	sub	%rax, %r11
	lea	target_rax(%rip), %rax
	add	%r11, %rax
	ret

	/*
	 * uint64_t call_and_compare(void *function): calls it with numbers of its own in the
	 * registers that it must leave as they are. Returns what it returns; 1 if one has changed.
	 */
	.globl	call_and_compare
call_and_compare:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	sub	$8, %rsp
	mov	%rdi, %r11
	mov	$101, %ebx
	mov	$102, %ebp
	mov	$103, %r12d
	mov	$104, %r13d
	mov	$105, %r14d
	mov	$106, %r15d
	mov	$1, %edi
	mov	$2, %esi
	mov	$3, %edx
	mov	$4, %ecx
	mov	$5, %r8d
	mov	$6, %r9d
	mov	$7, %eax
	call	*%r11
	cmp	$101, %rbx
	jne	1f
	cmp	$102, %rbp
	jne	1f
	cmp	$103, %r12
	jne	1f
	cmp	$104, %r13
	jne	1f
	cmp	$105, %r14
	jne	1f
	cmp	$106, %r15
	je	2f
1:	mov	$1, %eax
2:	add	$8, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret

	.section .note.GNU-stack, "", @progbits
