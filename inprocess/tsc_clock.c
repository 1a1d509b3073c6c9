// SPDX-License-Identifier: MIT
/*
 * Times by the time-stamp counter, held against CLOCK_BOOTTIME again and again.
 *
 * How long a tick is comes from two pairs of counter and time, one from when the library was loaded
 * and one from now; only when they are far enough apart is it used. The kernel steers its clock by
 * some millionths: in a millisecond that is some ns.
 */
#include "inprocess/tsc_clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "inprocess/kernel_clock.h"

#define SPAN_NS	    1000000ULL	/* by the counter alone at most */
#define BASELINE_NS 20000000ULL /* between the two pairs at least */
#define PAIR_TICKS  600		/* a pair that took longer is taken again, ... */
#define PAIR_TRIES  3		/* ... so often, and none goes on by the counter from it */
#define FIRST_TRIES 1000	/* all times depend on the first one */

struct pair {
	uint64_t counter, ns;
	uint64_t took; /* ticks */
};

static struct pair first;
static bool by_counter;

/* Its time is off by half of what it took, at most. */
static struct pair take_pair(int tries)
{
	struct pair p;

	for (int i = 0; i < tries; i++) {
		uint64_t before = __rdtsc(), after;

		p.ns = kernel_clock__boot_ns();
		after = __rdtsc();
		p.took = after - before;
		p.counter = before + p.took / 2;
		if (p.took < PAIR_TICKS)
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
	if (!kernel_uses_counter())
		return;
	first = take_pair(FIRST_TRIES);
	by_counter = first.took < PAIR_TICKS;
}

/*
 * A clock does not go back, though the counter may have been a little ahead: it goes slower then,
 * so that it is right again when it is asked next.
 */
static void go_on_from(struct clock *c, const struct pair *p)
{
	uint64_t last = c->ns + (c->ticks * c->mult >> 32);
	uint64_t ahead = p->ns < last && last - p->ns < SPAN_NS / 2 ? last - p->ns : 0;

	c->mult = ((unsigned __int128)(p->ns - first.ns) << 32) / (p->counter - first.counter);
	c->ticks = ((unsigned __int128)SPAN_NS << 32) / c->mult;
	c->mult -= (ahead << 32) / c->ticks;
	c->counter = p->counter;
	c->ns = p->ns + ahead;
}

uint64_t clock__ask(struct clock *c)
{
	struct pair p;

	if (!by_counter)
		return kernel_clock__boot_ns();
	p = take_pair(PAIR_TRIES);
	if (p.ns - first.ns < BASELINE_NS || p.counter <= first.counter || p.took >= PAIR_TICKS)
		return p.ns;
	go_on_from(c, &p);
	return c->ns;
}
