/* SPDX-License-Identifier: MIT */
/*
 * Finds the call that caused a GPU operation where a thread of the runtime submits it: the order of
 * what was launched on a stream settles it.
 *
 * With AMD_DIRECT_DISPATCH=0 HIP gives every stream a thread of its own, which submits what was
 * launched on the stream, one thing after the other. The capture tells of each new thread in which
 * call it was made (RT_REC_THREAD): that call made the stream, or was the first to use it. So
 * threads and streams belong together for certain, and the n-th operation of the thread is of the
 * n-th launch on the stream, which the names of kernels and the sizes of copies confirm.
 *
 * What cannot be settled so stays without a cause: operations of threads that are older than the
 * trace (unless just one stream can be meant), launches on one stream by several threads at the
 * same time, kernels that a graph or the launch behind it may have launched.
 */
#ifndef RTRACE_WORKERS_H
#define RTRACE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "user/correlate.h"
#include "user/event.h"
#include "user/streams.h"
#include "user/function.h"
#include "user/task.h"

/* A thread was started inside the open call whose outermost is `root`. */
void workers__born(struct process *p, uint32_t tid, uint64_t root);

/*
 * An outermost HIP call has ended that made `stream` or worked on it. Call it after
 * correlate__span, whose word `caused` is: operations were submitted inside of it. `bytes`: that
 * are copied or filled, 0 unknown; `aligned`: to what is filled by one kernel.
 */
struct worked {
	const struct event *ev;
	struct stream *stream;
	enum launch_kind kind;
	bool caused;
	uint64_t bytes;
	bool aligned;
};
void workers__call(struct process *p, const struct worked *w, settled_fn fn, void *arg);

/*
 * An operation that may be submitted by such a thread, in the order of submission. Calls `fn` at
 * once, or from a later call; the cause that it has already, if any, holds if no other is found.
 */
void workers__submit(struct process *p, struct gpu_op *op, settled_fn fn, void *arg);

/* It is not of that thread after all. */
void workers__withdraw(struct process *p, struct gpu_op *op);

/* Nothing more will come of that process: what waits stays without a cause. */
void workers__give_up(struct process *p, settled_fn fn, void *arg);

/* Frees what is kept of the process; its operations must have been given up. */
void workers__forget(struct process *p);

/* For streams.c: frees a stream's launches. */
void workers__forget_launches(struct stream *stream);

#endif
