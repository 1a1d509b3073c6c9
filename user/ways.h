/* SPDX-License-Identifier: MIT */
/*
 * How calls of a library's functions go on behind their probes, for an agent that captures them
 * (hsa_agent/span_ring.h).
 */
#ifndef RTRACE_WAYS_H
#define RTRACE_WAYS_H

#include "hsa_agent/span_ring.h"
#include "user/agent_spans.h"
#include "user/library.h"

/*
 * Calls `fn` for each function of the library that can be captured so. Left to their probes are
 * those of which no header says which arguments they have, that have floating-point ones, that
 * switch tracing on and off or may be left by exceptions, whose callers are wanted, or that begin
 * with something that the agent cannot do in their place.
 *
 * `base`: what the process adds to the addresses of the file. 0 or -errno.
 */
int ways__each(const struct library *lib, uint64_t base,
	       void (*fn)(const struct function *function, const struct agent_span_way *way,
			  void *arg),
	       void *arg);

#endif
