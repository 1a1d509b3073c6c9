/* SPDX-License-Identifier: MIT */
/*
 * An agent's records of submissions.
 */
#ifndef RTRACE_MERGE_AGENT_OPERATION_H
#define RTRACE_MERGE_AGENT_OPERATION_H

#include "user/agent/agent_memory.h"
#include "user/merge/correlate.h"

/* Fills in what was submitted. False: the record is of something that happens without the GPU. */
bool agent_operation__fill(struct gpu_op *op, struct agent_view *v, const struct rt_agent_rec *rec);

/* Counts a record of a submission that is dropped as the agent would that has no room for it. */
void agent_operation__lose(struct trace_stats *stats, unsigned int kind);

#endif
