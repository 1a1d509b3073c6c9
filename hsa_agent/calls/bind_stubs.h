/* SPDX-License-Identifier: MIT */
/*
 * Has what the process calls of HIP, HSA and roctx led to the stubs, and what it loads later, too.
 */
#ifndef RTRACE_HSA_AGENT_CALLS_BIND_STUBS_H
#define RTRACE_HSA_AGENT_CALLS_BIND_STUBS_H

#include <stdbool.h>
#include <linux/types.h>

/* Once, on a thread of the application's. */
void bind_stubs__init(void);

/*
 * Looks, now and then, what is loaded. `changed`: there are functions that were not known before.
 * Does not wait for the loader: what there is to do a thread of its own does. `places` is counted
 * up by those that it has changed. By one thread.
 */
void bind_stubs__look(bool changed, __u64 *places);

#endif
