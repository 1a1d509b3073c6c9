/* SPDX-License-Identifier: MIT */
/*
 * Makes roctx ranges and marks out of the calls of the roctx API.
 *
 * roctxRangePushA opens a range on its thread, roctxRangePop closes the innermost one; StartA opens
 * one of the process, which roctxRangeStop closes by its handle, from any thread. A range lasts
 * from the entry of the call that opens it to the return of the one that closes it, and its id is
 * the correlation ID of the opening call. A process may have several libraries of roctx: each
 * closes its own ranges alone.
 */
#ifndef RTRACE_MERGE_ROCTX_RANGES_H
#define RTRACE_MERGE_ROCTX_RANGES_H

#include "user/event/event.h"
#include "user/api/functions.h"
#include "user/merge/processes.h"

typedef void (*range_fn)(const struct event *ev, void *arg);

/*
 * A roctx call has returned; `message` is its text or NULL. Hands out the range or mark that it
 * completes. `quiet`: tracing was off. A range is handed out if it was on at one of its ends.
 * -ENOMEM: the range that it opens will not be handed out; else 0.
 */
int roctx_ranges__call(struct process *p, struct thread *th, const struct event *span,
		       const struct function *function, bool quiet, const char *message,
		       range_fn fn, void *arg);

/* Id of the innermost range open on the thread at that instant, 0 if none. */
uint64_t roctx_ranges__at(const struct thread *th, uint64_t instant);

/* The thread or process has ended, or the trace has: hands out what is still open. */
void roctx_ranges__cut_thread(struct thread *th, uint64_t now, range_fn fn, void *arg);
void roctx_ranges__cut_process(struct process *p, uint64_t now, range_fn fn, void *arg);

#endif
