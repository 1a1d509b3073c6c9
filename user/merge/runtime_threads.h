/* SPDX-License-Identifier: MIT */
/*
 * Finds the call that caused a GPU operation where a thread of the runtime submits it: the order of
 * what was launched on a stream settles it.
 *
 * With AMD_DIRECT_DISPATCH=0 HIP gives every stream a thread of its own, which submits what was
 * launched on the stream, one thing after the other. The capture records the call in which each new
 * thread was made (RT_REC_THREAD): that call made the stream, or was the first to use it. So
 * threads and streams belong together for certain, and the n-th operation of the thread is of the
 * n-th launch on the stream. The names of kernels and the sizes of copies confirm that.
 *
 * What cannot be settled so stays without a cause: operations of threads that are older than the
 * trace (unless just one stream can be meant), launches on one stream by several threads at the
 * same time, kernels that a graph or the launch after it may have launched.
 */
#ifndef RTRACE_MERGE_RUNTIME_THREADS_H
#define RTRACE_MERGE_RUNTIME_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "user/merge/correlate.h"
#include "user/event/event.h"
#include "user/merge/hip_streams.h"
#include "user/api/functions.h"
#include "user/merge/processes.h"

/* A thread was started inside an open call; `root` is the outermost call around it. */
void runtime_threads__born(struct process *p, uint32_t tid, uint64_t root);

/*
 * An outermost HIP call has ended that made `stream` or worked on it. To be called after
 * correlate__span, which returns `caused`: operations were submitted inside of the HIP call.
 * `bytes`: that are copied or filled, 0 unknown; `aligned`: to what is filled by one kernel.
 */
struct worked {
	const struct event *ev;
	struct stream *stream;
	enum launch_kind kind;
	bool caused;
	uint64_t bytes;
	bool aligned;
};
void runtime_threads__call(struct process *p, const struct worked *w, settled_fn fn, void *arg);

/*
 * An operation that may be submitted by such a thread, in the order of submission. Calls `fn` at
 * once, or from a later call; the cause that it has already, if any, holds if no other is found.
 */
void runtime_threads__submit(struct process *p, struct gpu_op *op, settled_fn fn, void *arg);

/* It is not of that thread after all. */
void runtime_threads__withdraw(struct process *p, struct gpu_op *op);

/* Nothing more will come of that process: what waits stays without a cause. */
void runtime_threads__give_up(struct process *p, settled_fn fn, void *arg);

/* Frees what is kept of the process; its operations must have been given up. */
void runtime_threads__forget(struct process *p);

/* For hip_streams.c: frees a stream's launches. */
void runtime_threads__forget_launches(struct stream *stream);

#endif
