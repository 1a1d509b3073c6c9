/* SPDX-License-Identifier: MIT */
/*
 * Where the trampolines of all API functions meet: keeps what a probe at the function's entry would
 * see, then goes on to the stub. %eax is the function's number; nothing but %rax, %r10 and %r11 is
 * changed, none of which holds an argument.
 */
	.text
	.globl	record_call
	.type	record_call, @function
record_call:
	movq	recorded_regs@GOTPCREL(%rip), %r10
	movq	%rdi, 0(%r10)
	movq	%rsi, 8(%r10)
	movq	%rdx, 16(%r10)
	movq	%rcx, 24(%r10)
	movq	%r8, 32(%r10)
	movq	%r9, 40(%r10)
	movq	recorded_sse@GOTPCREL(%rip), %r10
	movsd	%xmm0, 0(%r10)
	movsd	%xmm1, 8(%r10)
	movsd	%xmm2, 16(%r10)
	movsd	%xmm3, 24(%r10)
	movsd	%xmm4, 32(%r10)
	movsd	%xmm5, 40(%r10)
	movsd	%xmm6, 48(%r10)
	movsd	%xmm7, 56(%r10)
	movq	recorded_stack@GOTPCREL(%rip), %r10
	.set	word, 0
	.rept	16
	movq	8+8*word(%rsp), %r11
	movq	%r11, 8*word(%r10)
	.set	word, word+1
	.endr
	movq	stubs@GOTPCREL(%rip), %r10
	movq	(%r10), %r10
	jmp	*(%r10,%rax,8)

	.section .note.GNU-stack,"",@progbits
