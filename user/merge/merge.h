/* SPDX-License-Identifier: MIT */
/*
 * The merge: records of the capture go in, in the order of time, between those of the agents
 * (gpu_operations.h); events come out.
 */
#ifndef RTRACE_MERGE_MERGE_H
#define RTRACE_MERGE_MERGE_H

#include "abi/bpf_records.h"
#include "user/merge/gpu_operations.h"
#include "user/merge/trace_state.h"

struct merge;

struct merge *merge__new(struct trace *trace, struct operations *operations);
void merge__free(struct merge *m);

/*
 * A record from the kernel, any kind of abi/bpf_records.h; those that are not for the merge are
 * ignored.
 */
void merge__kernel(struct merge *m, const struct rt_rec *rec);

/* Calls of the process may be missing from that time. `name` is kept by the merge. */
void merge__gap(struct merge *m, uint32_t pid, const char *name, uint64_t begin, uint64_t end);

/* The trace ends at `now`: emits all that is still waiting. */
void merge__finish(struct merge *m, uint64_t now);

#endif
