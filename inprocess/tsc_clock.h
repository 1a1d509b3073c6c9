/* SPDX-License-Identifier: MIT */
/*
 * The clock of all records: CLOCK_BOOTTIME, which is what HSA_SYSTEM_INFO_TIMESTAMP reads and what
 * the runtimes give the times of GPUs in.
 *
 * Asking the kernel's page for it is the dearest part of a record, so between two questions, a
 * millisecond apart at most, a thread goes on by the processor's time-stamp counter, where that is
 * what the kernel's clock is made of.
 */
#ifndef RTRACE_INPROCESS_TSC_CLOCK_H
#define RTRACE_INPROCESS_TSC_CLOCK_H

#include <stdint.h>
#include <x86intrin.h>

/* Of a thread: what the counter was at which time, and how far that holds. */
struct clock {
	uint64_t counter, ns;
	uint64_t mult;	/* ns a tick, 32 bits after the point; 0: by the counter it does not go */
	uint64_t ticks; /* from `counter` on */
};

/* Asks the kernel. */
uint64_t clock__ask(struct clock *c);

/* ns. For the thread that it is of. */
static inline uint64_t clock__now(struct clock *c)
{
	uint64_t ticks = __rdtsc() - c->counter;

	return __builtin_expect(ticks < c->ticks, 1) ? c->ns + (ticks * c->mult >> 32)
						     : clock__ask(c);
}

#endif
