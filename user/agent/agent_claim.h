/* SPDX-License-Identifier: MIT */
/*
 * Which tracer may write into an agent's memory: locks on the memory's file
 * (abi/agent_ring.h).
 *
 * A lock belongs to the open file description: it lasts until the last descriptor is closed and the
 * last mapping is removed. So a tracer that dies has no claim, and process numbers do not decide
 * about claims. Nothing here waits. All functions may be called by any thread.
 */
#ifndef RTRACE_AGENT_AGENT_CLAIM_H
#define RTRACE_AGENT_AGENT_CLAIM_H

#include <stdbool.h>

enum claim_rank {
	CLAIM_OF_NODE,	  /* a recorder of the whole machine: gives way to one ... */
	CLAIM_OF_PROCESS, /* ... that was started for the process (-p, -- CMD) */
};

/*
 * Claims the memory that `fd`, open for writing, is a description of. 0: nobody else writes to it
 * as long as the description is open. -EBUSY: another tracer has the claim, and keeps it. -EAGAIN:
 * another has it and is asked to give it up, as long as the description is open: to be repeated.
 * Others as from the system.
 */
int agent_claim__take(int fd, enum claim_rank rank);

/* Does a tracer that was started for the process ask for the claim, or have it? Not by `fd`. */
bool agent_claim__is_asked_for(int fd);

/* Has any tracer the claim? `fd` may be open for reading alone. */
bool agent_claim__is_held(int fd);

/* Would agent_claim__take succeed? */
bool agent_claim__is_free(int fd, enum claim_rank rank);

#endif
