/* SPDX-License-Identifier: MIT */
/*
 * Finds, in a process, the targets of a library's trampolines, and where to probe them.
 */
#ifndef RTRACE_PROBE_TRAMPOLINE_TARGETS_H
#define RTRACE_PROBE_TRAMPOLINE_TARGETS_H

#include "user/probe/library_probes.h"
#include "user/elf/trampoline.h"

struct implementation {
	const struct probe *trampoline; /* the probe that it may replace */
	uint64_t offset;		/* in the library's file, of the instruction to probe */
	struct place place;		/* emulated or better */
	uint64_t before, after;		/* bytes of its segment around the probe */
};

/*
 * For each function of the library that is single-stepped, *found has an implementation if:
 *
 * - it is a trampoline that leads to code of the same library,
 * - by the library's unwind table a function begins there, and
 * - that function has a place that is not single-stepped.
 *
 * Table entries that another library, for instance a tool, has replaced give none.
 *
 * `base`: what the process adds to the file's addresses. Returns how many, or -errno; the caller
 * frees *found.
 */
int trampoline_targets__find(const struct library *lib, uint64_t base, trampoline_read *read,
			     void *arg, struct implementation **found);

#endif
