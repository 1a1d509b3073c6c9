/* SPDX-License-Identifier: MIT */
/*
 * Processes that are traced by their probes alone, though they carry an agent: another tracer must
 * not have it capture the calls, which would pass our probes by.
 */
#ifndef RTRACE_AGENT_FOREIGN_AGENTS_H
#define RTRACE_AGENT_FOREIGN_AGENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/agent/agent_claim.h"

struct probed; /* a list; NULL: empty */

/*
 * Looks for its agent now and, if it is not there yet, as often more with foreign_agents__look.
 * What it has captured before `since` (boot ns) is not missed. True: it was not in the list.
 */
bool foreign_agents__add(struct probed **list, pid_t pid, uint64_t since, int looks);

/* Calls `fn` for each process with calls that bypassed our probes between these times. */
typedef void (*probed_fn)(pid_t pid, uint64_t begin, uint64_t end, void *arg);
void foreign_agents__look(struct probed *list, probed_fn fn, void *arg);

/* One of them with an agent that can be claimed now; 0: none. */
pid_t foreign_agents__freed(const struct probed *list, enum claim_rank rank);

/* That process, and those that have ended, 0: only these; those that still capture end now. */
void foreign_agents__forget(struct probed **list, pid_t pid, probed_fn fn, void *arg);

/* The end of what is traced: those that still capture do so until now. */
void foreign_agents__finish(struct probed *list, probed_fn fn, void *arg);

/* A sign of life to their agents, which is due every 100 ms. */
void foreign_agents__beat(struct probed *list);

/* Does one of the agents capture calls all the same? It stops on our sign of life. */
bool foreign_agents__are_blinded(const struct probed *list);

void foreign_agents__free(struct probed **list);

#endif
