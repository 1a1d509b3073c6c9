/* SPDX-License-Identifier: MIT */
/*
 * Processes that are stopped for a moment, by SIGSTOP: the BPF programs stop one that has just
 * mapped something (bpf/library_mappings.h), the tracer one that runs already. What is held is in
 * BPF maps, so that a tracer that is killed can be stood in for (release_on_death.h).
 */
#ifndef RTRACE_PROBE_HOLDS_H
#define RTRACE_PROBE_HOLDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* All that must stay open while there are holds. */
struct holds {
	int held, letting_go;		/* the BPF maps */
	const volatile uint32_t *count; /* how often a process that is kept off was held */
	uint32_t seen;
};

/* Has such a process been held since it was asked last? */
bool holds__has_kept_off(struct holds *h);

/* Calls `fn` for each. */
void holds__each_kept_off(struct holds *h, void (*fn)(pid_t pid, void *arg), void *arg);

/*
 * Stops the process, if nobody else has: true, when all its threads are. It waits for that, for
 * 100 ms at most.
 */
bool holds__stop(struct holds *h, pid_t pid);

/* The same of a process that probes do not keep off, and without the wait. */
bool holds__begin_stop(struct holds *h, pid_t pid);

/* Waits for that. */
void holds__wait(pid_t pid);

/*
 * To let a process go: begin, do what it was held for, and end. end returns false if it was held
 * once more meanwhile: then that is to be done again.
 */
void holds__begin_release(struct holds *h, pid_t pid, bool kept_off);
bool holds__end_release(struct holds *h, pid_t pid);

#endif
