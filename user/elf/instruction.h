/* SPDX-License-Identifier: MIT */
/*
 * One x86-64 instruction, as far as probing is concerned: how the kernel treats a uprobe on it,
 * where it leads, and whether a probe may be placed after it instead.
 */
#ifndef RTRACE_ELF_INSTRUCTION_H
#define RTRACE_ELF_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A kernel release as one number that can be compared. Its low bits are free for facts that no
 * release number shows: by default, probed 5-byte nops become calls from 6.18 on, and no process
 * dies of that.
 */
#define KERNEL(major, minor) ((major) << 16 | (minor) << 8)
#define KERNEL_NOP5_TRAPS    0x1 /* they never become calls */
#define KERNEL_NOP5_KILLS    0x2 /* forked children may die of them (nop5_test.h): none is probed */

/*
 * What the kernel does at a probed instruction when its handlers have run (Linux,
 * arch/x86/kernel/uprobes.c). The best first.
 */
enum insn_treatment {
	INSN_CALL,     /* a nop of 5 bytes that is rewritten to a call: no trap at all */
	INSN_EMULATED, /* its effect is played in the trap */
	INSN_STEPPED,  /* it is executed out of line with the trace flag: a second trap */
	INSN_REFUSED,  /* cannot be probed, or must not: see `why` */
};

struct insn {
	uint8_t length;
	enum insn_treatment treatment;
	const char *why; /* of INSN_REFUSED */
	bool is_nop;
	bool is_branch;	  /* jump, loop or call, direct or not */
	bool is_call;	  /* of those, the calls */
	bool is_indirect; /* of those, the ones that lead to an address in a register or memory */
	bool is_endbr;
	uint64_t target; /* of a direct branch */

	/*
	 * Why a probe may not be placed after it instead; NULL: it may. The instruction must always
	 * go on to the next one and must not fault: a call must not die before it was seen. It must
	 * not change the stack pointer, the integer argument registers, the vector registers or any
	 * memory but the red zone. rax, the number of vector registers of a variadic call, and the
	 * other registers may change: the capture does not read them.
	 */
	const char *obstacle;
	bool writes_red_zone; /* the 128 bytes below the stack pointer */
};

/*
 * Decodes the instruction at `code`, which is at `address`, and judges it by the rules of that
 * kernel. false: there is none, or it is cut off.
 */
bool instruction__decode(struct insn *insn, const uint8_t *code, size_t len, uint64_t address,
			 unsigned int kernel);

/* The same in a fraction of the time; fills in only its length and where it leads. */
bool instruction__follow(struct insn *insn, const uint8_t *code, size_t len, uint64_t address);

#endif
