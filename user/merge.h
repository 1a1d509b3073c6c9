/* SPDX-License-Identifier: MIT */
/*
 * The merge: records of the capture go in, in the order of time, between those of the agents
 * (operations.h); events come out.
 */
#ifndef RTRACE_MERGE_H
#define RTRACE_MERGE_H

#include "bpf/events.h"
#include "user/operations.h"
#include "user/trace.h"

struct merge;

struct merge *merge__new(struct trace *trace, struct operations *operations);
void merge__free(struct merge *m);

/*
 * A record from the kernel, any kind of bpf/events.h; those that are not for the merge are ignored.
 */
void merge__kernel(struct merge *m, const struct rt_rec *rec);

/* Calls of the process may be missing from that time. `name` is kept by the merge. */
void merge__gap(struct merge *m, uint32_t pid, const char *name, uint64_t begin, uint64_t end);

/* The trace ends at `now`: tells all that is still waiting. */
void merge__finish(struct merge *m, uint64_t now);

#endif
