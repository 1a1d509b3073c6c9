/* SPDX-License-Identifier: MIT */
/*
 * A library that is named like HIP's. Its functions begin in every way that matters to the probe
 * offset. The label that PLACE makes marks where the probe belongs.
 *
 * A function that can be called returns its first argument, plus twice the second, plus the seventh,
 * which is on the stack: so it notices if one is not what it was.
 */

	.set	EMULATED, 0
	.set	NOP5, 1
	.set	STEPPED, 2
	.set	SKIPPED, 3
	.set	CALL, 1
	.set	NO_CALL, 0

	.macro	SITE name
	.p2align 4, 0xcc
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.macro	PLACE name
.Lplace_\name:
	.endm

	.macro	TABLE name, place, kind, call
	.pushsection .rodata.names, "a", @progbits
.Lname_\name:
	.asciz	"\name"
	.popsection
	.pushsection .data.rel.ro.sites, "aw", @progbits
	.quad	.Lname_\name, \name, \place, \kind, \call
	.popsection
	.endm

	.macro	END name, kind, call
	.size	\name, . - \name
	TABLE	\name, .Lplace_\name, \kind, \call
	.endm

	.macro	END_SKIPPED name, call
	.size	\name, . - \name
	TABLE	\name, 0, SKIPPED, \call
	.endm

	.macro	RESULT
	lea	(%rdi,%rsi,2), %rax
	add	8(%rsp), %rax
	ret
	.endm

	.macro	NOP_5
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	.endm

	/* The 10-byte nop, with a prefix that the kernel does not probe. */
	.macro	NOP_10
	.byte	0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	.endm

	.pushsection .data.rel.ro.sites, "aw", @progbits
	.globl	sites
	.type	sites, @object
sites:
	.popsection

	.pushsection .data, "aw", @progbits
	.p2align 3
variable:
	.quad	0
	.popsection
	.pushsection .data.rel.ro, "aw", @progbits
	.p2align 3
pointer:
	.quad	result
	.popsection

	.text
	/* What others jump to. */
	.p2align 4
	.type	result, @function
result:
	RESULT
	.size	result, . - result

	/* --- the entry itself --- */

SITE hipSitePush
	PLACE	hipSitePush
	push	%rbp
	pop	%rbp
	RESULT
END hipSitePush, EMULATED, CALL

SITE hipSitePushR15
	PLACE	hipSitePushR15
	push	%r15
	pop	%r15
	RESULT
END hipSitePushR15, EMULATED, CALL

SITE hipSitePushRexW			/* needless prefix: not emulated */
	PLACE	hipSitePushRexW
	.byte	0x48, 0x55
	pop	%rbp
	RESULT
END hipSitePushRexW, STEPPED, CALL

SITE hipSitePushImmediate
	PLACE	hipSitePushImmediate
	push	$1
	pop	%rax
	RESULT
END hipSitePushImmediate, STEPPED, CALL

SITE hipSiteNop
	PLACE	hipSiteNop
	nop
	RESULT
END hipSiteNop, EMULATED, CALL

SITE hipSiteNop2
	PLACE	hipSiteNop2
	.byte	0x66, 0x90
	RESULT
END hipSiteNop2, EMULATED, CALL

SITE hipSiteNop4
	PLACE	hipSiteNop4
	.byte	0x0f, 0x1f, 0x40, 0x00
	RESULT
END hipSiteNop4, EMULATED, CALL

SITE hipSiteNop5
	PLACE	hipSiteNop5
	NOP_5
	RESULT
END hipSiteNop5, NOP5, CALL

SITE hipSiteNop5Push
	PLACE	hipSiteNop5Push
	NOP_5
	push	%rbp
	pop	%rbp
	RESULT
END hipSiteNop5Push, NOP5, CALL

SITE hipSiteNop5Prefixed		/* the kernel rewrites any nop of five bytes */
	PLACE	hipSiteNop5Prefixed
	.byte	0x66, 0x66, 0x66, 0x66, 0x90
	RESULT
END hipSiteNop5Prefixed, NOP5, CALL

SITE hipSiteNop5Operands
	PLACE	hipSiteNop5Operands
	.byte	0x0f, 0x1f, 0x44, 0x55, 0x07
	push	%rbp
	pop	%rbp
	RESULT
END hipSiteNop5Operands, NOP5, CALL

SITE hipSiteNop7
	PLACE	hipSiteNop7
	.byte	0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00
	RESULT
END hipSiteNop7, EMULATED, CALL

SITE hipSiteJump32
	PLACE	hipSiteJump32
	.byte	0xe9
	.long	result - . - 4
END hipSiteJump32, EMULATED, CALL

SITE hipSiteJump8
	PLACE	hipSiteJump8
	.byte	0xeb, 1f - . - 1
	ud2
1:	RESULT
END hipSiteJump8, EMULATED, CALL

SITE hipSiteBndJump
	PLACE	hipSiteBndJump
	.byte 0xf2 /* bnd */
	jmp	1f
	ud2
1:	RESULT
END hipSiteBndJump, EMULATED, CALL

SITE hipSiteJumpCondition
	PLACE	hipSiteJumpCondition
	jc	1f
	RESULT
1:	RESULT
END hipSiteJumpCondition, EMULATED, CALL

SITE hipSiteCall
	PLACE	hipSiteCall
	call	1f
	RESULT
1:	ret
END hipSiteCall, EMULATED, CALL

SITE hipSiteReturn			/* a function of one instruction */
	PLACE	hipSiteReturn
	ret
END hipSiteReturn, STEPPED, NO_CALL

SITE hipSiteStub			/* as in a PLT */
	PLACE	hipSiteStub
	jmp	*pointer(%rip)
END hipSiteStub, STEPPED, CALL

SITE hipSiteTrampoline			/* as HSA's */
	PLACE	hipSiteTrampoline
	lea	pointer(%rip), %rax
	jmp	*(%rax)
END hipSiteTrampoline, STEPPED, CALL

SITE hipSiteFrame
	PLACE	hipSiteFrame
	sub	$24, %rsp
	add	$24, %rsp
	RESULT
END hipSiteFrame, STEPPED, CALL

SITE hipSiteVector
	PLACE	hipSiteVector
	movaps	%xmm0, -24(%rsp)
	push	%rbx
	pop	%rbx
	RESULT
END hipSiteVector, STEPPED, CALL

SITE hipSiteLoopInstruction
	PLACE	hipSiteLoopInstruction
	jrcxz	1f
	RESULT
1:	RESULT
END hipSiteLoopInstruction, STEPPED, CALL

	/* --- functions that jump on by a table, to `result` or `behind` --- */

	.pushsection .data.rel.ro, "aw", @progbits
	.p2align 3
table:
	.quad	result, behind, behind + 1, 0
	.globl	sites_behind
	.type	sites_behind, @object
sites_behind:				/* what hipSiteTable... lead to; for the tests */
	.quad	behind
	.popsection
	.pushsection .data.rel, "aw", @progbits
	.p2align 3
table_pointer:
	.quad	table
	.popsection

	.p2align 4
	.type	behind, @function
behind:
	.cfi_startproc
	push	%rbx
	pop	%rbx
	RESULT
	.cfi_endproc
	.size	behind, . - behind

	.p2align 4
	.type	get_table, @function
get_table:				/* as HIP's GetHipDispatchTable */
	movzbl	variable(%rip), %eax
	test	%al, %al
	jne	1f
	mov	table_pointer(%rip), %rax
	ret
1:	xor	%eax, %eax
	ret
	.size	get_table, . - get_table

SITE hipSiteTableLoad			/* as HSA's */
	PLACE	hipSiteTableLoad
	mov	table_pointer(%rip), %rax
	jmp	*8(%rax)
END hipSiteTableLoad, STEPPED, CALL

SITE hipSiteTableCall			/* as HIP's, from ROCm 6.2 on */
	PLACE	hipSiteTableCall
	endbr64
	sub	$0x28, %rsp
	mov	%rdi, 0x18(%rsp)
	mov	%rsi, 0x10(%rsp)
	mov	%rdx, 0x8(%rsp)
	mov	%ecx, 0x4(%rsp)
	call	get_table
	mov	0x4(%rsp), %ecx
	mov	0x8(%rsp), %rdx
	mov	8(%rax), %rax
	mov	0x10(%rsp), %rsi
	mov	0x18(%rsp), %rdi
	add	$0x28, %rsp
	jmp	*%rax
END hipSiteTableCall, STEPPED, CALL

	.macro	SAVE
	sub	$0x38, %rsp
	mov	%rdi, (%rsp)
	mov	%rsi, 8(%rsp)
	mov	%rdx, 16(%rsp)
	mov	%rcx, 24(%rsp)
	mov	%r8, 32(%rsp)
	mov	%r9, 40(%rsp)
	.endm

	.macro	RESTORE
	mov	(%rsp), %rdi
	mov	8(%rsp), %rsi
	mov	16(%rsp), %rdx
	mov	24(%rsp), %rcx
	mov	32(%rsp), %r8
	mov	40(%rsp), %r9
	add	$0x38, %rsp
	.endm

SITE hipSiteTableCallSaves
	PLACE	hipSiteTableCallSaves
	SAVE
	call	get_table
	RESTORE
	jmp	*8(%rax)
END hipSiteTableCallSaves, STEPPED, CALL

SITE hipSiteTableArgument		/* another argument than its own */
	PLACE	hipSiteTableArgument
	mov	table_pointer(%rip), %rax
	mov	%rdi, %rdx
	jmp	*8(%rax)
END hipSiteTableArgument, STEPPED, CALL

SITE hipSiteTableLosesArgument		/* overwritten where it was saved */
	PLACE	hipSiteTableLosesArgument
	SAVE
	movl	$0, 36(%rsp)
	call	get_table
	RESTORE
	jmp	*8(%rax)
END hipSiteTableLosesArgument, STEPPED, CALL

SITE hipSiteTableEscapes		/* the saved words may be changed by the callee */
	PLACE	hipSiteTableEscapes
	SAVE
	lea	(%rsp), %rdi
	call	get_table
	RESTORE
	jmp	*8(%rax)
END hipSiteTableEscapes, STEPPED, CALL

SITE hipSiteTableBranch
	PLACE	hipSiteTableBranch
	mov	table_pointer(%rip), %rax
	cmp	$1, %rdi
	je	1f
	jmp	*8(%rax)
1:	ud2
END hipSiteTableBranch, STEPPED, CALL

SITE hipSiteTableMiddle			/* to where no function begins */
	PLACE	hipSiteTableMiddle
	mov	table_pointer(%rip), %rax
	jmp	*16(%rax)
END hipSiteTableMiddle, STEPPED, NO_CALL

SITE hipSiteTableNoFrame		/* or none that has an entry for unwinding */
	PLACE	hipSiteTableNoFrame
	mov	table_pointer(%rip), %rax
	jmp	*(%rax)
END hipSiteTableNoFrame, STEPPED, CALL

SITE hipSiteTableEmpty
	PLACE	hipSiteTableEmpty
	mov	table_pointer(%rip), %rax
	jmp	*24(%rax)
END hipSiteTableEmpty, STEPPED, NO_CALL

	/* --- after endbr64 --- */

SITE hipSiteEndbrPush
	endbr64
	PLACE	hipSiteEndbrPush
	push	%rbp
	pop	%rbp
	RESULT
END hipSiteEndbrPush, EMULATED, CALL

SITE hipSiteEndbrNop5
	endbr64
	PLACE	hipSiteEndbrNop5
	NOP_5
	RESULT
END hipSiteEndbrNop5, NOP5, CALL

SITE hipSiteEndbrNop5Push
	endbr64
	PLACE	hipSiteEndbrNop5Push
	NOP_5
	push	%rbp
	pop	%rbp
	RESULT
END hipSiteEndbrNop5Push, NOP5, CALL

SITE hipSiteNop5Indirect		/* a jump that may lead anywhere passes no nop by */
	PLACE	hipSiteNop5Indirect
	NOP_5
	push	%rbp
	pop	%rbp
	jmp	*pointer(%rip)
END hipSiteNop5Indirect, NOP5, CALL

SITE hipSiteEndbrFrame
	PLACE	hipSiteEndbrFrame
	endbr64
	sub	$8, %rsp
	add	$8, %rsp
	RESULT
END hipSiteEndbrFrame, STEPPED, CALL

SITE hipSiteEndbrMovePush
	endbr64
	mov	%rdi, %rax
	PLACE	hipSiteEndbrMovePush
	push	%rbx
	pop	%rbx
	RESULT
END hipSiteEndbrMovePush, EMULATED, CALL

	/* --- after instructions that change nothing of what is read --- */

SITE hipSiteMovePush
	mov	%rdi, %rax
	PLACE	hipSiteMovePush
	push	%rax
	pop	%rax
	RESULT
END hipSiteMovePush, EMULATED, CALL

SITE hipSiteRefusedNopPush
	NOP_10
	PLACE	hipSiteRefusedNopPush
	push	%rax
	pop	%rax
	RESULT
END hipSiteRefusedNopPush, EMULATED, CALL

SITE hipSiteLoadPush			/* its own data */
	mov	variable(%rip), %rax
	PLACE	hipSiteLoadPush
	push	%rax
	pop	%rax
	RESULT
END hipSiteLoadPush, EMULATED, CALL

SITE hipSiteCanaryPush			/* the thread's */
	mov	%fs:0x28, %rax
	PLACE	hipSiteCanaryPush
	push	%rax
	pop	%rax
	RESULT
END hipSiteCanaryPush, EMULATED, CALL

SITE hipSiteStackArgumentPush
	mov	8(%rsp), %r10
	PLACE	hipSiteStackArgumentPush
	push	%r10
	pop	%r10
	RESULT
END hipSiteStackArgumentPush, EMULATED, CALL

SITE hipSiteTestJump			/* the flags are kept */
	cmp	%rdi, %rsi
	PLACE	hipSiteTestJump
	jb	1f
	lea	(%rdi,%rsi,2), %rax
	add	8(%rsp), %rax
	ret
1:	xor	%eax, %eax
	ret
END hipSiteTestJump, EMULATED, CALL

SITE hipSiteMoveCall
	mov	%rsp, %r11
	PLACE	hipSiteMoveCall
	call	1f
	RESULT
1:	ret
END hipSiteMoveCall, EMULATED, CALL

SITE hipSiteSelfCall			/* a call to the entry is a call */
	mov	%rdi, %rax
	PLACE	hipSiteSelfCall
	push	%rdi
	test	%rdx, %rdx
	jns	1f
	call	hipSiteSelfCall
1:	pop	%rdi
	RESULT
END hipSiteSelfCall, EMULATED, CALL

	/* --- the red zone --- */

SITE hipSiteRedZonePush			/* a push may come after it */
	mov	%rdi, -16(%rsp)
	PLACE	hipSiteRedZonePush
	push	%rbx
	mov	-8(%rsp), %rdi
	pop	%rbx
	RESULT
END hipSiteRedZonePush, EMULATED, CALL

SITE hipSiteRedZoneJump
	mov	%rdi, -8(%rsp)
	mov	%rsi, -128(%rsp)
	PLACE	hipSiteRedZoneJump
	jmp	1f
	ud2
1:	mov	-8(%rsp), %rdi
	mov	-128(%rsp), %rsi
	RESULT
END hipSiteRedZoneJump, EMULATED, CALL

SITE hipSiteRedZoneNop5			/* a call may not */
	PLACE	hipSiteRedZoneNop5
	mov	%rdi, -16(%rsp)
	NOP_5
	mov	-16(%rsp), %rdi
	RESULT
END hipSiteRedZoneNop5, STEPPED, CALL

SITE hipSiteRedZoneNop5Push
	mov	%rdi, -24(%rsp)
	NOP_5
	PLACE	hipSiteRedZoneNop5Push
	push	%rbx
	mov	-16(%rsp), %rdi
	pop	%rbx
	RESULT
END hipSiteRedZoneNop5Push, EMULATED, CALL

SITE hipSiteRedZoneByPointer		/* nor may a store to an unknown address */
	lea	-32(%rsp), %rax
	PLACE	hipSiteRedZoneByPointerNot
	mov	%rdi, (%rax)
	push	%rbx
	pop	%rbx
	RESULT
	.set	.Lplace_hipSiteRedZoneByPointer, hipSiteRedZoneByPointer
END hipSiteRedZoneByPointer, STEPPED, CALL

	/* --- what may not be passed --- */

	.macro	NOT_PASSED name, insn:vararg
SITE \name
	PLACE	\name
	\insn
	push	%rbx
	pop	%rbx
	RESULT
END \name, STEPPED, CALL
	.endm

NOT_PASSED hipSiteChangesRdi, lea (%rdi), %rdi
NOT_PASSED hipSiteChangesEsi, mov %esi, %esi
NOT_PASSED hipSiteChangesDl, mov %dl, %dl
NOT_PASSED hipSiteChangesDh, mov %dh, %dh
NOT_PASSED hipSiteChangesCx, add $0, %cx
NOT_PASSED hipSiteChangesR8, cmovz %r8, %r8
NOT_PASSED hipSiteChangesR9, sete %r9b
NOT_PASSED hipSiteExchange, xchg %rdi, %rdi
NOT_PASSED hipSiteChangesRsp, lea (%rsp), %rsp
NOT_PASSED hipSiteChangesXmm, movaps %xmm1, %xmm1
NOT_PASSED hipSiteMayFault, mov (%r9), %rax
NOT_PASSED hipSiteMayFaultIndexed, mov (%rsp,%rcx), %rax
NOT_PASSED hipSiteMayFaultFar, mov -4096(%rsp), %rax
NOT_PASSED hipSiteMayFaultThread, mov %fs:-8, %rax
NOT_PASSED hipSiteStores, incl variable(%rip)
NOT_PASSED hipSiteStoresArgument, mov %rax, 16(%rsp)
NOT_PASSED hipSiteStoresAcross, orq $0, -4(%rsp)
NOT_PASSED hipSiteFence, mfence
NOT_PASSED hipSiteIndirectCall, call *return(%rip)

	.pushsection .data.rel.ro, "aw", @progbits
	.p2align 3
return:
	.quad	hipSiteReturn
	.popsection

	/* --- branches to places past the entry --- */

SITE hipSiteOwnBranch			/* a loop of its own */
	PLACE	hipSiteOwnBranch
	mov	$3, %eax
1:	push	%rax
	pop	%rax
	dec	%eax
	jnz	1b
	RESULT
END hipSiteOwnBranch, STEPPED, CALL

SITE hipSiteLoopsToEntry
	dec	%rcx
	jg	hipSiteLoopsToEntry
	RESULT
END_SKIPPED hipSiteLoopsToEntry, CALL

SITE hipSiteLoopsToPush			/* where the place would be the entry */
	push	%rbx
	pop	%rbx
	dec	%rcx
	jg	hipSiteLoopsToPush
	RESULT
END_SKIPPED hipSiteLoopsToPush, CALL

SITE hipSiteForeignJump
	PLACE	hipSiteForeignJump
	mov	%rdi, %rax
.Linto_foreign:
	push	%rbx
	pop	%rbx
	RESULT
END hipSiteForeignJump, STEPPED, CALL

SITE hipSiteForeignBefore		/* a jump to before the place */
	PLACE	hipSiteForeignBefore
	mov	%rdi, %rax
.Linto_before:
	mov	%rdi, %r10
	push	%rbx
	pop	%rbx
	RESULT
END hipSiteForeignBefore, STEPPED, CALL

SITE hipSiteForeignBehind		/* a jump past it does not matter */
	mov	%rdi, %rax
	PLACE	hipSiteForeignBehind
	push	%rbx
.Linto_behind:
	pop	%rbx
	RESULT
END hipSiteForeignBehind, EMULATED, CALL

	.p2align 4
	.type	jump_to_short, @function
jump_to_short:
	.byte	0xeb, .Linto_short - . - 1
	.size	jump_to_short, . - jump_to_short

SITE hipSiteForeignShort		/* by a branch of two bytes, before it */
	PLACE	hipSiteForeignShort
	mov	%rdi, %rax
.Linto_short:
	push	%rbx
	pop	%rbx
	RESULT
END hipSiteForeignShort, STEPPED, CALL

SITE hipSiteForeignShortBehind		/* and past it */
	PLACE	hipSiteForeignShortBehind
	mov	%rdi, %rax
.Linto_short_behind:
	push	%rbx
	pop	%rbx
	RESULT
END hipSiteForeignShortBehind, STEPPED, CALL
	.byte	0x74, .Linto_short_behind - . - 1
	ret

SITE hipSiteForeignNop5			/* into the nop that the kernel makes a call */
	NOP_5
	RESULT
	.set	.Linto_nop5, hipSiteForeignNop5 + 3
END_SKIPPED hipSiteForeignNop5, CALL

SITE hipSiteForeignNop5Push		/* if it can be passed, it is */
	mov	%rdi, %rax
	PLACE	hipSiteForeignNop5PushNot
	NOP_5
	push	%rbx
	pop	%rbx
	RESULT
	.set	.Linto_nop5_push, .Lplace_hipSiteForeignNop5PushNot + 3
	.set	.Lplace_hipSiteForeignNop5Push, hipSiteForeignNop5Push
END hipSiteForeignNop5Push, STEPPED, CALL

	.p2align 4
	.type	jumps, @function
jumps:
	jc	.Linto_behind
	.byte	0x0f, 0x82
	.long	.Linto_foreign - . - 4
	.byte	0xe8
	.long	.Linto_before - . - 4
	.byte	0x0f, 0x82
	.long	.Linto_nop5 - . - 4
	.byte	0xe9
	.long	.Linto_nop5_push - . - 4
	.size	jumps, . - jumps

SITE hipSiteAround			/* another function begins inside */
	PLACE	hipSiteAround
	mov	%rdi, %rax
	.globl	hipSiteInside
	.type	hipSiteInside, @function
hipSiteInside:
	PLACE	hipSiteInside
	push	%rbx
	pop	%rbx
	RESULT
END hipSiteInside, EMULATED, CALL
END hipSiteAround, STEPPED, CALL

SITE hipSiteComputedJump		/* to an unknown address */
	PLACE	hipSiteComputedJump
	mov	%rdi, %rax
	push	%rbx
	pop	%rbx
	lea	1f(%rip), %rax
	jmp	*%rax
1:	RESULT
END hipSiteComputedJump, STEPPED, CALL

SITE hipSiteComputedJumpEndbr		/* not to the place after an endbr64 */
	endbr64
	PLACE	hipSiteComputedJumpEndbr
	push	%rbx
	pop	%rbx
	lea	1f(%rip), %rax
	jmp	*%rax
1:	RESULT
END hipSiteComputedJumpEndbr, EMULATED, CALL

SITE hipSiteDataInside			/* what follows cannot be decoded */
	PLACE	hipSiteDataInside
	mov	%rdi, %rax
	push	%rbx
	pop	%rbx
	jmp	1f
	.byte	0x06, 0x06
1:	RESULT
END hipSiteDataInside, STEPPED, CALL

	/* --- not to be probed --- */

	.macro	NOT_PROBED name, insn:vararg
SITE \name
	\insn
	RESULT
END_SKIPPED \name, NO_CALL
	.endm

NOT_PROBED hipSiteLock, lock incl variable(%rip)
NOT_PROBED hipSiteSegment, mov %cs:(%rdi), %eax
NOT_PROBED hipSiteInt3, int3
NOT_PROBED hipSiteInt80, int $0x80
NOT_PROBED hipSiteUd2, ud2
NOT_PROBED hipSiteSyscall, syscall
NOT_PROBED hipSiteHalt, hlt
NOT_PROBED hipSiteIn, in %dx, %al
NOT_PROBED hipSitePushFlags, pushf
NOT_PROBED hipSiteLoadSegment, mov %eax, %ss
NOT_PROBED hipSiteNotNop, xchg %rax, %r8
NOT_PROBED hipSiteAvxBadOpcode, vmovdqa (%rdi), %ymm8
NOT_PROBED hipSiteJump16, .byte 0x66, 0xe9, 0, 0, 0, 0
NOT_PROBED hipSiteNotCode, .byte 0x06

	.p2align 4
	.globl	hipSiteCutOff
	.type	hipSiteCutOff, @function
hipSiteCutOff:				/* shorter than its first instruction */
	movabs	$1, %rax
	RESULT
	.size	hipSiteCutOff, 4
	TABLE	hipSiteCutOff, 0, SKIPPED, CALL

	.globl	hipSiteResolver
	.type	hipSiteResolver, @gnu_indirect_function
	.p2align 4
hipSiteResolver:
	push	%rbx
	pop	%rbx
	lea	result(%rip), %rax
	ret
	.size	hipSiteResolver, . - hipSiteResolver
	.pushsection .rodata.names, "a", @progbits
.Lname_resolver:
	.asciz	"hipSiteResolver"
	.popsection
	.pushsection .data.rel.ro.sites, "aw", @progbits
	.quad	.Lname_resolver, 0, 0, SKIPPED, NO_CALL
	.popsection

	.pushsection .data, "aw", @progbits
	.globl	hipSiteInData
	.type	hipSiteInData, @function
hipSiteInData:
	.byte	0x55, 0x5d, 0xc3
	.size	hipSiteInData, . - hipSiteInData
	TABLE	hipSiteInData, 0, SKIPPED, NO_CALL
	.popsection

	/* --- sizes, pages --- */

	.p2align 4
	.globl	hipSiteNoSize
	.type	hipSiteNoSize, @function
hipSiteNoSize:
	endbr64
	PLACE	hipSiteNoSize
	push	%rbx
	pop	%rbx
	RESULT
	TABLE	hipSiteNoSize, .Lplace_hipSiteNoSize, EMULATED, CALL

	.p2align 4
	.globl	hipSiteNoSizeShort
	.type	hipSiteNoSizeShort, @function
hipSiteNoSizeShort:			/* the next one begins right after its first instruction */
	PLACE	hipSiteNoSizeShort
	mov	%rdi, %rax
	TABLE	hipSiteNoSizeShort, .Lplace_hipSiteNoSizeShort, STEPPED, CALL
	.globl	hipSiteNext
	.type	hipSiteNext, @function
hipSiteNext:
	PLACE	hipSiteNext
	push	%rbx
	pop	%rbx
	RESULT
END hipSiteNext, EMULATED, CALL

	.p2align 12, 0xcc
	.skip	4096 - 3, 0xcc
	.globl	hipSitePageEnd
	.type	hipSitePageEnd, @function
hipSitePageEnd:				/* a nop that the kernel cannot rewrite at once */
	PLACE	hipSitePageEnd
	NOP_5
	RESULT
END hipSitePageEnd, EMULATED, CALL

	.pushsection .data.rel.ro.sites, "aw", @progbits
	.globl	sites_end
	.type	sites_end, @object
sites_end:
	.popsection

	.section .note.GNU-stack, "", @progbits
