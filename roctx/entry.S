/* SPDX-License-Identifier: MIT */
/*
 * The public entry points of libroctx64, each of which begins with one 5-byte nop.
 *
 * A uprobe costs what it takes to execute the instruction under it. The kernel emulates a nop, which
 * makes it one of the cheap ones, and from Linux 6.18 on it replaces a 5-byte nop by a call, so that
 * the probe needs no trap at all. A compiler gives no such promise about the first instruction of a
 * C function (it may be endbr64, a push or a sub), so the entry is written here. It jumps to the C
 * function with stack and registers as the caller left them, which is all that a probe on the entry
 * or on the return address needs.
 */

	.macro	entry name, target
	.globl	\name
	.type	\name, @function
	.hidden	\target
	.p2align 4
\name:
	.cfi_startproc
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	jmp	\target
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	entry	roctx_version_major, roctx__version_major
	entry	roctx_version_minor, roctx__version_minor
	entry	roctxMarkA, roctx__mark
	entry	roctxRangePushA, roctx__range_push
	entry	roctxRangePop, roctx__range_pop
	entry	roctxRangeStartA, roctx__range_start
	entry	roctxRangeStop, roctx__range_stop
	entry	roctxRegisterTracerCallback, roctx__register_tracer_callback

	.section .note.GNU-stack, "", @progbits
