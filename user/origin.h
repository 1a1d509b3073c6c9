/* SPDX-License-Identifier: MIT */
/*
 * When and where a trace was made: what its recording says of it, and what it is exported with.
 */
#ifndef RTRACE_ORIGIN_H
#define RTRACE_ORIGIN_H

#include <stdint.h>

/* CLOCK_BOOTTIME, _MONOTONIC and _REALTIME of one moment. */
struct trace_clocks {
	uint64_t boot_ns, mono_ns, real_ns;
};

struct trace_origin {
	struct trace_clocks clocks; /* near its begin */
	uint8_t uuid[16];	    /* of the trace */
	char hostname[65], kernel[65];
};

void trace_clocks__now(struct trace_clocks *c);

/* Here, now, and none that was there before. */
void origin__here(struct trace_origin *o);

#endif
