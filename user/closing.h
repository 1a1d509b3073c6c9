/* SPDX-License-Identifier: MIT */
/*
 * The lines at the end of a trace: what was recorded, and what was lost.
 */
#ifndef RTRACE_CLOSING_H
#define RTRACE_CLOSING_H

#include "user/agent.h"
#include "user/event.h"

/* Adds what the agent has lost, and says what else there is to know of it. */
void closing__add_agent(struct trace_stats *stats, const struct agent_view *v);

void closing__say(const struct trace_stats *stats, double seconds);

#endif
