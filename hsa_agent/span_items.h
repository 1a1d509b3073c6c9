/* SPDX-License-Identifier: MIT */
/*
 * What stands behind a span: arguments beyond the registers, and what pointers lead to.
 */
#ifndef RTRACE_AGENT_SPAN_ITEMS_H
#define RTRACE_AGENT_SPAN_ITEMS_H

#include <stdint.h>

#include "hsa_agent/span_ring.h"

/* What is to be read of a function's calls. While it is read it may change: word by word. */
struct span_plan {
	uint32_t reads; /* 0: nothing */
	uint32_t failure, benign;
	union {
		struct rt_read read;
		uint32_t word;
	} read[RT_READS];
};

/*
 * Appends to the record, behind which there is room for RT_DATA_MAX bytes, the frame's words, which
 * lie in `words`, and what the plan reads (NULL: nothing).
 *
 * A function that has succeeded has used what it was given, so its pointers are followed. Those of
 * one that has failed may lead nowhere: they are read by the kernel, which is slower and says so.
 */
void span_items__append(struct rt_span_rec *rec, const struct rt_span_frame *f, const __u64 *words,
			const struct span_plan *plan);

#endif
