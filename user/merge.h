/* SPDX-License-Identifier: MIT */
/*
 * The merge: records of the capture and of the agents go in, in the order of time; events come out.
 */
#ifndef RTRACE_MERGE_H
#define RTRACE_MERGE_H

#include "bpf/events.h"
#include "user/agent.h"
#include "user/event.h"
#include "user/function.h"
#include "user/output.h"
#include "user/strings.h"
#include "user/task.h"

struct merge;

struct merge *merge__new(struct functions *fns, struct strings *strings, struct tasks *tasks,
			 struct output *out);
void merge__free(struct merge *m);

/*
 * The trace holds the calls that overlap [begin, end], and the GPU operations that these caused or
 * that were submitted in that time. The probes and the agents are not switched on and off in the
 * same instant: without this, launches at the edges would stand there without their kernels.
 */
void merge__set_window(struct merge *m, uint64_t begin, uint64_t end);

/* A record from the kernel (any kind of bpf/events.h; those that are not for the merge are
 * ignored). */
void merge__kernel(struct merge *m, const struct rt_rec *rec);

/* A record of an agent's ring. The view must live until merge__agent_gone. */
void merge__agent(struct merge *m, struct agent_view *v, const struct rt_agent_rec *rec);

/* The agent will send no more: its operations without an end are told as they are. */
void merge__agent_gone(struct merge *m, struct agent_view *v);

/* How many GPU operations have not ended yet. */
size_t merge__running(const struct merge *m);

/* The trace ends at `now`: tells all that is still waiting. */
void merge__finish(struct merge *m, uint64_t now);

/* What has been told, and what could not. The lost_* members are not the merge's to fill. */
struct trace_stats *merge__stats(struct merge *m);

#endif
