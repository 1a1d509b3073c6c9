/* SPDX-License-Identifier: MIT */
/*
 * How calls of a library's functions go on after their probes, for an agent that captures them
 * (abi/span_ring.h).
 */
#ifndef RTRACE_AGENT_ENTRY_CODE_H
#define RTRACE_AGENT_ENTRY_CODE_H

#include "abi/span_ring.h"
#include "user/agent/agent_calls.h"
#include "user/probe/library_probes.h"

/*
 * Calls `fn` for each function of the library that can be captured so. These functions are left to
 * their probes: those without known arguments (from headers), with floating-point arguments, or
 * with wanted callers; those that switch tracing on and off or may be left by exceptions; and those
 * that begin with code that the agent cannot run in their place.
 *
 * `base`: what the process adds to the addresses of the file. 0 or -errno.
 */
int entry_code__each(const struct library *lib, uint64_t base,
		     void (*fn)(const struct function *function, const struct agent_span_way *way,
				void *arg),
		     void *arg);

#endif
