/* SPDX-License-Identifier: MIT */
/*
 * Ends the wait of processes for each other that uprobes can lead to.
 *
 * The kernel has one lock for its trace events, event_mutex. A thread that has events of ours takes
 * it when it starts a thread and when it ends (user/probe/attach_tracefs.h). A tracer that takes
 * uprobes of such an event away has the lock until each function of the node that is probed at its
 * return has returned, or its thread has made no further such call for 100 ms (from Linux 6.13 on:
 * each call starts that time again, ri_timer in kernel/events/uprobes.c). A job can be in a call
 * that goes on making others until a thread of it has started: then neither comes to an end. A stop
 * of 0.15 s ends that, as nobody makes calls meanwhile.
 */
#ifndef RTRACE_RECORD_EVENT_LOCK_H
#define RTRACE_RECORD_EVENT_LOCK_H

#include <stdint.h>

#include "user/probe/holds.h"

struct event_lock {
	int file;	/* to read it takes the lock */
	int calls;	/* of capture__long_calls */
	uint64_t asked; /* since when it has waited for the lock, ns since boot; 0: it does not */
	uint64_t due;	/* when to stop processes, on the same clock */
	uint64_t pause; /* ns until the next time, should that not help */
};

/* Opens such a file; or -errno. */
int event_lock__open(void);

/*
 * Tries, in a thread of its own, how long the lock takes to get. `l` and the descriptors stay valid
 * while this process runs. 0 or -errno.
 */
int event_lock__watch(struct event_lock *l, int file, int calls);

/*
 * To be called every 0.1 s. If nobody gets the lock for 1 s, stops the processes of
 * `calls` for 0.15 s, but those that are stopped already; if that did not help, once more after
 * 1 s, after 2 s, and so on, up to 32 s.
 */
void event_lock__relieve(struct event_lock *l, struct holds *h);

#endif
