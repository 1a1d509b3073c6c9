/* SPDX-License-Identifier: MIT */
/*
 * A library of a few functions, to begin fuzzing with: corpus/library/tiny.so is made of it by
 * gcc -nostdlib -shared -s -Wl,--hash-style=sysv,--build-id=none,-z,noseparate-code,-z,max-page-size=16,--eh-frame-hdr
 */
	.text
	.macro	API name, type=function
	.globl	\name
	.type	\name, %\type
\name:
	.endm

API hipPush
.Lpush:
	push	%rbp
	pop	%rbp
	ret
	.size	hipPush, . - hipPush
API hipEndbr
	endbr64
	push	%rbx
	call	.Lpush
	pop	%rbx
	ret
	.size	hipEndbr, . - hipEndbr
API hipNop5
.Lnop5:
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	jmp	1f
	.size	hipNop5, . - hipNop5
API hsa_move
	mov	%rdi, -8(%rsp)
	lea	.Lpush(%rip), %rax
1:	push	%rax
	test	%rdi, %rdi
	jne	1b
	pop	%rax
	jmp	*%rax
	.size	hsa_move, . - hsa_move
API hsaKmtResolver, gnu_indirect_function
	ret
API roctxNoSize
	sub	$8, %rsp
	.byte	0x0f, 0x84
	.long	.Lnop5 + 2 - . - 4
	ret
API hsa_table
	.cfi_startproc
	mov	pointer(%rip), %rax
	jmp	*8(%rax)
	.cfi_endproc
	.size	hsa_table, . - hsa_table
	.type	behind, %function
behind:
	.cfi_startproc
	push	%rbx
	pop	%rbx
	ret
	.cfi_endproc
	.data
pointer:
	.quad	table
table:
	.quad	0, behind
API hipInData
	ret
	.section .note.GNU-stack, "", @progbits
