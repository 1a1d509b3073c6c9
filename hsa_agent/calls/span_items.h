/* SPDX-License-Identifier: MIT */
/* The items after a span: arguments beyond the registers, and what pointers lead to. */
#ifndef RTRACE_HSA_AGENT_CALLS_SPAN_ITEMS_H
#define RTRACE_HSA_AGENT_CALLS_SPAN_ITEMS_H

#include <stdint.h>

#include "abi/span_ring.h"

/* What is to be read of a function's calls. While it is read it may change: word by word. */
struct span_plan {
	uint32_t reads; /* 0: nothing */
	union {
		struct rt_read read;
		uint32_t word;
	} read[RT_READS];
};

/*
 * Appends to the record the frame's words, which are in `words`, and what the plan reads (NULL:
 * nothing). After the record there is room for RT_DATA_MAX bytes.
 *
 * Pointers may lead nowhere, whatever the function has returned: see peek.h.
 */
void span_items__append(struct rt_span_rec *rec, const struct rt_span_frame *f, const __u64 *words,
			const struct span_plan *plan);

#endif
