// SPDX-License-Identifier: MIT
/*
 * Asks the machine where and when it is.
 */
#include "user/event/trace_origin.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

#define CLOCKS_NS    2000 /* between the first and the last; else they are read again, ... */
#define CLOCKS_TRIES 16	  /* ... so often; the best counts */

/* If the thread is interrupted in between, the clocks are of different moments. */
void trace_clocks__now(struct trace_clocks *c)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < CLOCKS_TRIES && least > CLOCKS_NS; i++) {
		struct trace_clocks now = {
			.boot_ns = ns_of(CLOCK_BOOTTIME),
			.mono_ns = ns_of(CLOCK_MONOTONIC),
			.real_ns = ns_of(CLOCK_REALTIME),
		};
		uint64_t took = ns_of(CLOCK_BOOTTIME) - now.boot_ns;

		if (took >= least)
			continue;
		least = took;
		*c = now;
	}
}

void trace_origin__new_uuid(struct trace_origin *o)
{
	if (getentropy(o->uuid, sizeof(o->uuid)))
		memcpy(o->uuid, &o->clocks.real_ns, sizeof(o->clocks.real_ns));
}

static void read_boot_id(char *to, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || !fgets(to, (int)size, f))
		*to = '\0';
	if (f)
		fclose(f);
}

/* The error bound that a time daemon has set in the kernel; 0 if the clock is not synchronized. */
static uint64_t real_error(void)
{
	struct timex t = {};
	int state = adjtimex(&t);

	if (state < 0 || state == TIME_ERROR || t.status & STA_UNSYNC || t.maxerror <= 0)
		return 0;
	return (uint64_t)t.maxerror * 1000;
}

void trace_origin__here(struct trace_origin *o)
{
	struct utsname uts = {};

	*o = (struct trace_origin){};
	trace_clocks__now(&o->clocks);
	trace_origin__new_uuid(o);
	uname(&uts);
	snprintf(o->hostname, sizeof(o->hostname), "%s", uts.nodename);
	snprintf(o->kernel, sizeof(o->kernel), "%s", uts.release);
	read_boot_id(o->boot_id, sizeof(o->boot_id));
	o->real_error_ns = real_error();
}
