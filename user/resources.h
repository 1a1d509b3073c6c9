/* SPDX-License-Identifier: MIT */
/*
 * What happens to memory, queues, code objects and the runtime itself: an agent's records of it
 * become events.
 *
 * The agent tells an address when memory is freed; how much it was and of which device is known
 * here, of what was seen to be allocated.
 */
#ifndef RTRACE_RESOURCES_H
#define RTRACE_RESOURCES_H

#include <stdbool.h>

#include "user/agent.h"
#include "user/event.h"

struct resources;

struct resources *resources__new(void);
void resources__free(struct resources *r);

/*
 * Fills in kind, name, times and `gpu` of the event, but for the operation's number. Records are to
 * come in the order of their times. False: it makes no sense.
 */
bool resources__fill(struct resources *r, struct agent_view *v, const struct rt_agent_rec *rec,
		     struct event *ev);

/* Nothing more will come from that agent. */
void resources__forget(struct resources *r, const struct agent_view *v);

#endif
