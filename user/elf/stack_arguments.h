/* SPDX-License-Identifier: MIT */
/*
 * Where a function puts the floating-point arguments that it is called with.
 *
 * A probe does not see the vector registers: while it runs they still are in the processor, and no
 * BPF program can read them there. But a function that calls others must put such an argument on
 * the stack first, and compilers do it at once. A second probe right after that finds it there.
 */
#ifndef RTRACE_ELF_STACK_ARGUMENTS_H
#define RTRACE_ELF_STACK_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/bpf_records.h"
#include "user/elf/probe_place.h"

struct spills {
	struct rt_spills slots; /* count 0: not found */
	uint32_t shift;		/* bytes from the entry to the instruction to probe */
	uint32_t reach; /* bytes from the entry; no branch may lead into them but to the first */
};

/*
 * Finds where %xmm0 to %xmm<count - 1> are put, all of them, in straight-line code from the entry
 * on. false: they are not, or their places are unknown.
 */
bool stack_arguments__find(const struct code *fn, unsigned int count, unsigned int kernel,
			   struct spills *out);

#endif
