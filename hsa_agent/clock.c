// SPDX-License-Identifier: MIT
/*
 * Times by the time-stamp counter, held against CLOCK_BOOTTIME again and again.
 *
 * How long a tick is comes from two pairs of counter and time, one from when the library was loaded
 * and one from now; only when they are far enough apart is it used. The kernel steers its clock by
 * some millionths: in a millisecond that is some ns.
 */
#include "hsa_agent/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SPAN_NS	    1000000ULL	/* by the counter alone at most */
#define BASELINE_NS 20000000ULL /* between the two pairs at least */
#define PAIR_TICKS  2000	/* a pair that took longer is taken again, ... */
#define PAIR_TRIES  3		/* ... so often */

struct pair {
	uint64_t counter, ns;
};

static struct pair first;
static bool by_counter;

static uint64_t boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static struct pair take_pair(void)
{
	struct pair p;

	for (int i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = __rdtsc(), after;

		p.ns = boot_ns();
		after = __rdtsc();
		p.counter = before + (after - before) / 2;
		if (after - before < PAIR_TICKS)
			break;
	}
	return p;
}

/* If the kernel makes its clock of the counter, that ticks evenly, and alike on all processors. */
static bool kernel_uses_counter(void)
{
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	char name[16] = "";

	if (!f)
		return false;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	return !strcmp(name, "tsc\n");
}

__attribute__((constructor)) static void init(void)
{
	by_counter = kernel_uses_counter();
	first = take_pair();
}

/* A clock does not go back, though the counter may have been a little ahead. */
uint64_t clock__ask(struct clock *c)
{
	uint64_t last = c->ns + (c->ticks * c->mult >> 32);
	struct pair p;

	if (!by_counter)
		return boot_ns();
	p = take_pair();
	if (p.ns - first.ns < BASELINE_NS || p.counter <= first.counter)
		return p.ns;
	if (p.ns < last && last - p.ns < SPAN_NS)
		p.ns = last;
	c->mult = ((unsigned __int128)(p.ns - first.ns) << 32) / (p.counter - first.counter);
	c->ticks = ((unsigned __int128)SPAN_NS << 32) / c->mult;
	c->counter = p.counter;
	c->ns = p.ns;
	return p.ns;
}
