// SPDX-License-Identifier: MIT
/*
 * Asks the machine where and when it is.
 */
#include "user/origin.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void trace_clocks__now(struct trace_clocks *c)
{
	*c = (struct trace_clocks){
		.boot_ns = ns_of(CLOCK_BOOTTIME),
		.mono_ns = ns_of(CLOCK_MONOTONIC),
		.real_ns = ns_of(CLOCK_REALTIME),
	};
}

void origin__here(struct trace_origin *o)
{
	struct utsname uts = {};

	*o = (struct trace_origin){};
	trace_clocks__now(&o->clocks);
	if (getentropy(o->uuid, sizeof(o->uuid)))
		memcpy(o->uuid, &o->clocks.real_ns, sizeof(o->clocks.real_ns));
	uname(&uts);
	snprintf(o->hostname, sizeof(o->hostname), "%s", uts.nodename);
	snprintf(o->kernel, sizeof(o->kernel), "%s", uts.release);
}
