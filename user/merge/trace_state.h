/* SPDX-License-Identifier: MIT */
/*
 * What the stages that make events share: what belongs to the trace, what has come of it so far,
 * and where it goes.
 */
#ifndef RTRACE_MERGE_TRACE_STATE_H
#define RTRACE_MERGE_TRACE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "user/merge/trace_control.h"
#include "user/event/event.h"
#include "user/api/functions.h"
#include "user/merge/kernel_handles.h"
#include "user/output/output_set.h"
#include "user/api/selection.h"
#include "user/merge/user_stacks.h"
#include "common/string_pool.h"
#include "user/merge/processes.h"

struct trace {
	const struct selection *selection;
	struct functions *fns;
	struct strings *strings;
	struct tasks *tasks;
	struct handles *handles;
	struct stacks *stacks;
	struct symbols *symbols;
	struct output *out;
	/*
	 * The trace holds the calls that overlap [begin, end], and the GPU operations that these
	 * caused or that were submitted in that time. The probes and the agents are not switched on
	 * and off in the same instant: without this, launches at the edges would stand there
	 * without their kernels.
	 */
	uint64_t begin, end;
	struct off_times off; /* switched off for all */
	bool calls_filtered;  /* calls were left out: an operation without a cause is no defect */
	struct trace_stats stats;
};

/*
 * Makes all tables of a trace, of which all other members must be zero, and opens the window for
 * good; the output is the caller's. 0 or -ENOMEM; in both cases trace_state__close frees it.
 */
int trace_state__open(struct trace *t, const struct selection *selection);
void trace_state__close(struct trace *t);

/* Passes an event to the sinks and counts it. */
void trace_state__tell(struct trace *t, const struct event *ev);

static inline bool trace_state__in_window(const struct trace *t, uint64_t instant)
{
	return instant >= t->begin && instant <= t->end;
}

#endif
