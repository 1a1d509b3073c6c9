/* SPDX-License-Identifier: MIT */
/*
 * Takes probes out of the memory of processes that they keep off.
 */
#ifndef RTRACE_PROBE_KEPT_OFF_CODE_H
#define RTRACE_PROBE_KEPT_OFF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "user/probe/holds.h"
#include "user/probe/kept_off.h"
#include "user/probe/known_files.h"

/* What it is done with; all must live as long. */
struct kept_off_code {
	struct known_files *files;
	const struct kept_off *names;
	struct holds *holds;
};

/*
 * Puts the code back of what the process has mapped of all libraries that are probed; it is held.
 * Calls `fn` for each that it has mapped, probed or not, once a mapping.
 */
void kept_off_code__restore(const struct kept_off_code *k, pid_t pid,
			    void (*fn)(struct library *lib, void *arg), void *arg);

/* The processes that are held for a library. */
struct held_processes {
	struct held_process *processes;
	size_t count;
};

/*
 * Before a library is probed in all processes: holds those that probes keep off and that have
 * mapped it. Afterwards: puts the code back, lets them go, and frees.
 */
void kept_off_code__hold(const struct kept_off_code *k, const struct library *lib,
			 struct held_processes *held);
void kept_off_code__release(const struct kept_off_code *k, const struct library *lib,
			    struct held_processes *held);

#endif
