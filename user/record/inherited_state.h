/* SPDX-License-Identifier: MIT */
/*
 * What the tracer has from its parent and its command is to have, too, though the tracer changes it
 * for itself, or fork(2) does not pass it on: signals that are ignored or blocked, timers, the
 * parent-death signal, the scheduling policy. All else a forked child has by itself, if the tracer
 * changes it after the fork only.
 */
#ifndef RTRACE_RECORD_INHERITED_STATE_H
#define RTRACE_RECORD_INHERITED_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>

#define INHERITED_TIMERS 3
#define INHERITED_SCHED	 64 /* room for a struct sched_attr of the kernel */

struct inherited {
	sigset_t ignored, blocked;
	struct itimerval timers[INHERITED_TIMERS]; /* by ITIMER_* */
	_Alignas(8) unsigned char scheduling[INHERITED_SCHED];
	int death_signal; /* sent when the parent ends; 0: none */
	int subreaper;
};

/*
 * Gives descriptors 0 to 2 that are closed a file that can neither be read nor written as they
 * would be: no other file of the tracer must have these numbers. A program that is executed has
 * them closed.
 */
void inherited_state__reserve_standard_files(void);

/* Notes it all, and takes the timers away from this process. Before any of it is changed. */
void inherited_state__save(struct inherited *in);

/* In the forked child, as the last thing before exec: pending signals may end it. */
void inherited_state__restore(const struct inherited *in);

#endif
