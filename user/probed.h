/* SPDX-License-Identifier: MIT */
/*
 * Processes that are traced by their probes alone, though they carry an agent: another tracer must
 * not have it capture the calls, which would pass our probes by.
 */
#ifndef RTRACE_PROBED_H
#define RTRACE_PROBED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct probed; /* a list; NULL: empty */

/*
 * Looks for its agent now and, if it is not there yet, as often more with probed__look. What it has
 * captured before `since` (boot ns) is not missed.
 */
void probed__add(struct probed **list, pid_t pid, uint64_t since, int looks);

/* Calls `fn` for each whose calls have passed our probes by between these times. */
typedef void (*probed_fn)(pid_t pid, uint64_t begin, uint64_t end, void *arg);
void probed__look(struct probed *list, probed_fn fn, void *arg);

/* That process, and those that have ended, 0: only these; those that still capture end now. */
void probed__forget(struct probed **list, pid_t pid, probed_fn fn, void *arg);

/* The end of what is traced: those that still capture do so until now. */
void probed__finish(struct probed *list, probed_fn fn, void *arg);

/* A sign of life to their agents, which is due every 100 ms. */
void probed__beat(struct probed *list);

/* Does one of the agents capture calls all the same? It stops when it has heard of us. */
bool probed__are_blinded(const struct probed *list);

void probed__free(struct probed **list);

#endif
