/* SPDX-License-Identifier: MIT */
/*
 * Finds, in a process, the functions behind a library's trampolines, and where to probe them.
 */
#ifndef RTRACE_IMPLEMENTATION_H
#define RTRACE_IMPLEMENTATION_H

#include "user/library.h"
#include "user/trampoline.h"

struct implementation {
	const struct probe *trampoline; /* whose place it may take */
	uint64_t offset;		/* in the library's file, of the instruction to probe */
	struct place place;		/* emulated or better */
	uint64_t before, after;		/* bytes of its segment around the probe */
};

/*
 * For each function of the library that is single-stepped: if it is a trampoline that leads to code
 * of the same library, to where by the library's unwind table a function begins, and if that has a
 * place that is not single-stepped, there is an implementation in *found. A table whose entries
 * belong to somebody else by now, a tool for instance, gives none for them.
 *
 * `base`: what the process adds to the file's addresses. Returns how many, or -errno; the caller
 * frees *found.
 */
int implementation__find(const struct library *lib, uint64_t base, trampoline_read *read, void *arg,
			 struct implementation **found);

#endif
