/* SPDX-License-Identifier: MIT */
/*
 * The lines at the end of a trace: what was recorded, and what was lost.
 */
#ifndef RTRACE_RECORD_CLOSING_MESSAGE_H
#define RTRACE_RECORD_CLOSING_MESSAGE_H

#include "user/agent/agent_memory.h"
#include "user/event/event.h"

/* Adds what the agent has lost, and logs its other notable conditions. */
void closing_message__add_agent(struct trace_stats *stats, const struct agent_view *v);

void closing_message__say(const struct trace_stats *stats, double seconds);

/* With --dispatch-from-bpf. `old`: packets in flight when their queues were first seen. */
void closing_message__say_doorbells(const struct trace_stats *stats, uint64_t old);

#endif
