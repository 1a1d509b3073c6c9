/* SPDX-License-Identifier: MIT */
/*
 * The GPU operations of a trace: submissions and completions come in, events go out, each under the
 * call that caused it.
 */
#ifndef RTRACE_MERGE_GPU_OPERATIONS_H
#define RTRACE_MERGE_GPU_OPERATIONS_H

#include <stddef.h>

#include "user/agent/agent_memory.h"
#include "user/merge/trace_state.h"

struct operations;
struct gpu_op;

struct operations *gpu_operations__new(struct trace *trace);
void gpu_operations__free(struct operations *o);

/* A record of an agent's ring. The view must live until gpu_operations__agent_gone. */
void gpu_operations__record(struct operations *o, struct agent_view *v,
			    const struct rt_agent_rec *rec);

/* To be called every now and then: gives times to what has ended, as far as the clocks are known.
 */
void gpu_operations__time(struct operations *o);
/*
 * A dispatch that was read at its doorbell (doorbell_dispatches.h), with all but its cause and, if
 * it has any, its times. `source` and `number` are its key, among those of agents too. 0 or -errno.
 */
int gpu_operations__submit(struct operations *o, const void *source, uint64_t number,
			   const struct event *ev, bool kernel_known);

/* It was submitted by another thread, at another time. */
void gpu_operations__resubmit(struct operations *o, const void *source, uint64_t number,
			      uint32_t tid, uint64_t ts);

/* It has ended, at times that are known, or with `end` 0 are not: `why`. */
void gpu_operations__end(struct operations *o, const void *source, uint64_t number, uint64_t begin,
			 uint64_t end, enum ev_why why);

/* The agent will send no more: its operations without an end are emitted as they are. */
void gpu_operations__agent_gone(struct operations *o, struct agent_view *v);

/* For correlate.h: its cause is known, or known not to exist. `arg`: the operations. */
void gpu_operations__settled(struct gpu_op *op, void *arg);

/* How many have not ended yet. */
size_t gpu_operations__running(const struct operations *o);

/* Emits all that is left, as it is. */
void gpu_operations__finish(struct operations *o);

#endif
