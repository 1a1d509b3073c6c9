/* SPDX-License-Identifier: MIT */
/*
 * What happens to memory, queues, code objects and the runtime itself: an agent's records of it
 * become events.
 *
 * The agent records an address when memory is freed. The size and the device are known here, from
 * the record of the allocation.
 */
#ifndef RTRACE_MERGE_GPU_RESOURCES_H
#define RTRACE_MERGE_GPU_RESOURCES_H

#include <stdbool.h>

#include "user/agent/agent_memory.h"
#include "user/event/event.h"

struct resources;

struct resources *gpu_resources__new(void);
void gpu_resources__free(struct resources *r);

/*
 * Fills in kind, name, times and `gpu` of the event, but for the operation's number. Records are to
 * come in the order of their times. False: it makes no sense.
 */
bool gpu_resources__fill(struct resources *r, struct agent_view *v, const struct rt_agent_rec *rec,
			 struct event *ev);

/* Nothing more will come from that agent. */
void gpu_resources__forget(struct resources *r, const struct agent_view *v);

#endif
