/* SPDX-License-Identifier: MIT */
/*
 * What was lost of each process: the kernel's counts of calls and the agents' counts of records,
 * told to the sinks as they grow.
 */
#ifndef RTRACE_LOSTBY_H
#define RTRACE_LOSTBY_H

#include "user/agents.h"
#include "user/capture.h"
#include "user/output.h"

struct lost_by;

struct lost_by *lost_by__new(void); /* NULL: no memory */
void lost_by__free(struct lost_by *l);

/* Tells `out` what came since it was told last. */
void lost_by__tell(struct lost_by *l, struct capture *capture, struct agents *agents,
		   struct output *out);

#endif
