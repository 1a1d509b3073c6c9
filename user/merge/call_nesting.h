/* SPDX-License-Identifier: MIT */
/*
 * Which call is around which, where some calls of a thread are captured by the kernel's probes and
 * others by an agent in the process.
 *
 * Each of them knows its own. The kernel says of a call that it captures in such a process, when
 * that begins, in which call of the agent that was; what it has open when a call of the agent ends
 * is around that.
 */
#ifndef RTRACE_MERGE_CALL_NESTING_H
#define RTRACE_MERGE_CALL_NESTING_H

#include <stdint.h>

#include "abi/bpf_records.h"

/* A call that is open, captured by the kernel. */
struct nesting_open {
	uint64_t corr, parent, root;
	uint32_t depth;
	uint64_t agent_corr; /* the agent's innermost call around it, 0 none */
	uint64_t begin;
};

/* Of a thread. All zero at first. */
struct nesting {
	struct nesting_open open[RT_DEPTH]; /* outermost first */
	uint32_t count;
};

/* The kernel's call has begun. */
void call_nesting__opened(struct nesting *n, const struct rt_rec_open *rec);

struct nesting_place {
	uint64_t parent, root; /* correlation ids */
	uint32_t depth;
};

/*
 * A call has ended, the kernel's or the agent's. To be called in the order of time. `n` may be
 * NULL: then it is where it says itself.
 */
struct nesting_place call_nesting__ended(struct nesting *n, const struct rt_rec_span *rec);

#endif
