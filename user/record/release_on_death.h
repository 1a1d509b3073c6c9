/* SPDX-License-Identifier: MIT */
/*
 * A process that outlives the tracer by a moment, to undo what the kernel does not.
 *
 * Processes are stopped while the tracer puts probes into their code or takes them out. One that is
 * killed just then could not let them go on. The guard does: it waits for the end of the tracer,
 * and if that comes without a good-bye it sends SIGCONT to all that are held.
 *
 * Meanwhile it watches the kernel's lock of trace events (event_lock.h): the tracer cannot, if it
 * waits for that lock itself.
 */
#ifndef RTRACE_RECORD_RELEASE_ON_DEATH_H
#define RTRACE_RECORD_RELEASE_ON_DEATH_H

#include "user/probe/holds.h"
#include "user/record/event_lock.h"

/*
 * Starts the guard. The maps have the processes that are held as keys. Of `lock` the descriptors
 * are used; where one is negative, the guard does not watch the lock. Returns a descriptor to be
 * given to release_on_death__dismiss, or -errno.
 */
int release_on_death__start(const struct holds *holds, const struct event_lock *lock);

/* All is well: the guard ends. Negative descriptors are fine. */
void release_on_death__dismiss(int guard);

#endif
