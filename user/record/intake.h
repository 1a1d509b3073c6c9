/* SPDX-License-Identifier: MIT */
/*
 * The way of the records from their sources into the merge.
 */
#ifndef RTRACE_RECORD_INTAKE_H
#define RTRACE_RECORD_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "user/record/agentless_processes.h"
#include "user/agent/agent_set.h"
#include "user/probe/capture.h"
#include "user/doorbell/doorbell_dispatches.h"
#include "user/merge/merge.h"
#include "user/merge/reorder_buffer.h"
#include "user/probe/targets.h"

#define INTAKE_ROUND_NS 1000000ULL /* a round is to be run every millisecond */

/* The recorder owns the stages before and after the intake; the intake owns `order`. */
struct intake {
	struct capture *capture;
	struct targets *targets;
	struct holds holds;
	struct agents *agents;
	struct trace *trace;
	struct operations *operations;
	struct merge *merge;
	struct dispatches *dispatches; /* NULL: not wanted */
	struct absent *absent;	       /* NULL: no agent is expected anywhere */
	struct order *order;
	uint64_t last_round, last_tick, last_beat;
	uint32_t records;     /* released */
	uint64_t agent_calls; /* that agents have captured, as far as the filters let them pass */
	bool stopping;	      /* the probes are being taken off: none may be added */
	bool filtered;	      /* calls of some processes are left out */
	const struct capture_filter *filter;
};

/* What the agents are to call. */
struct agents_callbacks intake__callbacks(struct intake *in);

/* What is called for a time of a process that is not in the trace; `arg`: the intake. */
void intake__gap(pid_t pid, const char *what, uint64_t begin, uint64_t end, void *arg);

/* What the targets are to call. */
struct targets_callbacks intake__targets_callbacks(struct intake *in);

/* Drains all sources and releases what is old enough. */
void intake__round(struct intake *in);

/* Until the GPU operations that were submitted have ended and no record is held up, or `ms`. */
void intake__drain_for(struct intake *in, int ms);

/* The very last: takes and releases all that there is. */
void intake__drain_last(struct intake *in);

void intake__free(struct intake *in);

#endif
