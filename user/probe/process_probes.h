/* SPDX-License-Identifier: MIT */
/*
 * The probes of a library in one process: those of its file, but where a function is a trampoline
 * that the kernel would have to single-step, in its target if that is cheaper.
 *
 * The target of a trampoline is read from the process alone, which can write anything there: it is
 * valid only for the calls of that process. Calls that the library makes itself do not pass the
 * trampoline and are none of the API: the capture leaves them out by their return addresses (struct
 * probe). Calls of our agent are none of the API either. The agent calls the targets in the table
 * directly, so probes of functions that it uses are not moved. Where an agent captures calls, it
 * continues at the trampoline's target: no probe is moved.
 */
#ifndef RTRACE_PROBE_PROCESS_PROBES_H
#define RTRACE_PROBE_PROCESS_PROBES_H

#include <sys/types.h>

#include "user/probe/library_probes.h"

/*
 * The probes for that process, in which an agent captures calls or not if it has one, as many as
 * the library has, in *probes, which the caller frees. Returns how many were moved, or -errno. A
 * library that is not mapped, or not initialised yet, has none moved.
 */
int process_probes__probes(const struct library *lib, pid_t pid, bool agents_capture,
			   struct probe **probes);

/*
 * At how many of these probes the process's memory has what the file has: no breakpoint. 0 also if
 * that cannot be read.
 */
size_t process_probes__missing(const struct library *lib, pid_t pid, bool agents_capture);

#endif
