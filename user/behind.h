/* SPDX-License-Identifier: MIT */
/*
 * The probes of a library in one process: those of its file, but where a function is a trampoline
 * that the kernel would have to single-step, in the function behind it if that is cheaper.
 *
 * What is behind a trampoline is known from the process alone, and is its word: it holds for its
 * own calls and for nobody else's. Calls that the library makes itself do not pass the trampoline
 * and are none of the API: the capture leaves them out by where they return to (struct probe). So
 * are those of our agent, which calls what it found in the table: what it uses is left where it is.
 * Where an agent captures calls it goes on behind the trampoline: all are left where they are.
 */
#ifndef RTRACE_BEHIND_H
#define RTRACE_BEHIND_H

#include <sys/types.h>

#include "user/library.h"

/*
 * The probes for that process, in which an agent captures calls or not if it has one, as many as
 * the library has, in *probes, which the caller frees. Returns how many were moved, or -errno. A
 * library that is not mapped, or not initialised yet, has none moved.
 */
int behind__probes(const struct library *lib, pid_t pid, bool agents_capture,
		   struct probe **probes);

#endif
