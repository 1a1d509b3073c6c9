/* SPDX-License-Identifier: MIT */
/*
 * Finds the direct branches of machine code that lead into given ranges of addresses.
 *
 * Nothing is missed that could be a branch: every byte is taken for the begin of a jump or call
 * with 32-bit displacement, and those with 8 bits are looked for near the ranges. What only looks
 * like a branch is found too, so a range may be avoided without need; a thousandth or less are.
 */
#ifndef RTRACE_ELF_BRANCH_TARGETS_H
#define RTRACE_ELF_BRANCH_TARGETS_H

#include <stddef.h>
#include <stdint.h>

#include "user/elf/probe_place.h"

/* The first bytes of the function at `start`, but for the very first. */
struct span {
	uint64_t start;	 /* of the function */
	uint32_t length; /* at most SPAN_MAX */
	uint32_t size;	 /* of the function: its own short branches are left to its survey */
	uint64_t hit;	 /* the lowest address above start and below start + length that something
			  * leads to; UINT64_MAX: none */
};

#define SPAN_MAX 128

/* Searches `text` for branches into the spans, which must be sorted by start. */
void branch_targets__find(const struct code *text, struct span *spans, size_t n);

#endif
