/* SPDX-License-Identifier: MIT */
/*
 * One x86-64 instruction, as far as probing is concerned: how the kernel treats a uprobe on it,
 * where it leads, and whether a probe may as well stand behind it.
 */
#ifndef RTRACE_INSN_H
#define RTRACE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel release as one number that can be compared. */
#define KERNEL(major, minor) ((major) << 16 | (minor))

/* The release that runs. */
unsigned int insn__running_kernel(void);

/*
 * What the kernel does at a probed instruction when its handlers have run (Linux,
 * arch/x86/kernel/uprobes.c). The best first.
 */
enum insn_treatment {
	INSN_CALL,     /* a 5-byte nop that is rewritten to a call: no trap at all */
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
	bool is_indirect; /* of those, the ones that lead to where a register or memory says */
	bool is_endbr;
	uint64_t target; /* of a direct branch */

	/*
	 * Why a probe may not stand behind it instead; NULL: it may. It may if the instruction
	 * always goes on to the next one, leaves the stack pointer, the integer argument registers,
	 * the vector registers and all memory but the red zone as they are, and cannot fault: a
	 * call must not die before it was seen. rax, which says how many vector registers a
	 * variadic call uses, and the other registers may change: the capture does not read them.
	 */
	const char *obstacle;
	bool writes_red_zone; /* the 128 bytes below the stack pointer */
};

/*
 * Decodes the instruction at `code`, which lies at `address`, and judges it by the rules of that
 * kernel. false: there is none, or it is cut off.
 */
bool insn__decode(struct insn *insn, const uint8_t *code, size_t len, uint64_t address,
		  unsigned int kernel);

/* The same in a fraction of the time; fills in only its length and where it leads. */
bool insn__follow(struct insn *insn, const uint8_t *code, size_t len, uint64_t address);

#endif
