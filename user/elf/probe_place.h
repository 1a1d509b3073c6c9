/* SPDX-License-Identifier: MIT */
/*
 * Where in a function its probe goes.
 *
 * The cost of a call depends on the probed instruction (enum insn_treatment): 0.5 to 0.7 us where
 * the kernel emulates it, ten to twenty times that where it has to single-step it. If the first
 * instruction of a function is not emulated, the probe goes to the first emulated one after it. If
 * there is none, it goes to the first that can be probed. Nothing that the capture reads may have
 * changed until then: the stack pointer, what it points to, the argument registers. The rules, each
 * of which has a test of its own:
 *
 * - Only straight-line code is passed: no jump, call or return (insn.obstacle).
 * - Nothing leads to the place but the way from the entry: no branch of the function, of the rest
 *   of the library (branch_targets.h) or to another symbol ends after the entry, up to the place
 *   and inside of its instruction. If the function has an indirect jump (its targets are unknown)
 *   or code that cannot be decoded, nothing but an endbr64 and nops is passed.
 * - A nop of 5 bytes is passed, not probed, where the kernel has forked children die of it
 *   (nop5_test.h).
 * - A nop of 5 bytes or more is probed only where the function has not written to the red zone
 *   yet: Linux 6.18 rewrites it to a call, which pushes four words on the stack of the thread.
 * - A function with a jump back to its first instruction is not probed: each turn would count.
 */
#ifndef RTRACE_ELF_PROBE_PLACE_H
#define RTRACE_ELF_PROBE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "user/elf/instruction.h"

enum place_kind {
	PLACE_EMULATED,
	PLACE_NOP5, /* emulated without a trap */
	PLACE_SINGLE_STEPPED,
	PLACE_SKIPPED,
	PLACE_KINDS,
};

/* "emulated", "nop5", "single-stepped", "skipped" */
extern const char *const place_kind_names[PLACE_KINDS];

struct place {
	enum place_kind kind;
	uint32_t shift; /* bytes from the entry to the probed instruction */
	uint32_t reach; /* bytes from the entry on into which, but for the first, nobody may lead */
	const char *why; /* a constant: why it is skipped, or not better; NULL if it is emulated */
};

struct code {
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /* in the file's address space */
};

/*
 * Chooses the place. `limit`: the lowest distance from the entry, above 0, at which code outside
 * of the function enters it; SIZE_MAX if none does. To search only for what matters, ask with
 * SIZE_MAX first, search within the reach of the answer, and ask again with what was found.
 */
struct place probe_place__choose(const struct code *fn, size_t limit, unsigned int kernel);

#endif
