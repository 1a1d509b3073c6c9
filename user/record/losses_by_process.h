/* SPDX-License-Identifier: MIT */
/*
 * What was lost of each process: the kernel's counts of calls and the agents' counts of records,
 * reported to the sinks as they grow.
 */
#ifndef RTRACE_RECORD_LOSSES_BY_PROCESS_H
#define RTRACE_RECORD_LOSSES_BY_PROCESS_H

#include "user/agent/agent_set.h"
#include "user/probe/capture.h"
#include "user/output/output_set.h"

struct lost_by;

struct lost_by *losses_by_process__new(void); /* NULL: no memory */
void losses_by_process__free(struct lost_by *l);

/* Reports to `out` the losses since the last report. */
void losses_by_process__tell(struct lost_by *l, struct capture *capture, struct agents *agents,
			     struct output *out);

#endif
