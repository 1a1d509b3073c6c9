/* SPDX-License-Identifier: MIT */
/*
 * When and where a trace was made: part of its recording, and of the formats it is exported to.
 */
#ifndef RTRACE_EVENT_TRACE_ORIGIN_H
#define RTRACE_EVENT_TRACE_ORIGIN_H

#include <stdint.h>

/* CLOCK_BOOTTIME, _MONOTONIC and _REALTIME of one moment. */
struct trace_clocks {
	uint64_t boot_ns, mono_ns, real_ns;
};

struct trace_origin {
	struct trace_clocks clocks; /* near its begin */
	uint8_t uuid[16];	    /* of the trace */
	char hostname[65], kernel[65];
	char boot_id[37];	/* the kernel's, of this boot; "": not known */
	uint64_t real_error_ns; /* that CLOCK_REALTIME may be off, by NTP's account; 0: not known */
	uint32_t nodes;		/* that it was merged of; 0: it was recorded */
};

void trace_clocks__now(struct trace_clocks *c);

/* Here, now, and none that was there before. */
void trace_origin__here(struct trace_origin *o);

/* A uuid that no other trace has. */
void trace_origin__new_uuid(struct trace_origin *o);

#endif
