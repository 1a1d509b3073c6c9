/* SPDX-License-Identifier: MIT */
/*
 * Processes of a launched command that use the GPU without the agent: why they have none, and what
 * to do about it. One line a process, and a gap in the trace from its first GPU work to its end.
 */
#ifndef RTRACE_RECORD_AGENTLESS_PROCESSES_H
#define RTRACE_RECORD_AGENTLESS_PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

#include "user/api/functions.h"

struct absent;

/* The process had no GPU operations recorded between these times, for that reason. */
typedef void absent_gap_fn(pid_t pid, const char *what, uint64_t begin, uint64_t end, void *arg);

/* `agent`: the library that the command was started with; copied. NULL: no memory. */
struct absent *agentless__new(const char *agent, absent_gap_fn *gap, void *arg);
void agentless__free(struct absent *a);

/* The process has an agent since then, of whatever tracer and in whatever state. */
void agentless__has_agent(struct absent *a, pid_t pid, uint64_t at);

/*
 * A call has returned. One that needs a runtime that is initialised shows that the agent should be
 * there by now: looks at the process once, while it is there.
 */
void agentless__call(struct absent *a, pid_t pid, const struct function *fn,
		     const struct rt_rec_span *span);

/*
 * The process has ended, or runs another program. Its line is logged and its gap reported within a
 * few seconds, by the calls below: late records of it may come.
 */
void agentless__ended(struct absent *a, pid_t pid, uint64_t at);

/* Logs the lines of running processes that are due. To be called every 100 ms or so. */
void agentless__tick(struct absent *a, uint64_t now);

/* The trace ends: of all processes that are left. */
void agentless__finish(struct absent *a, uint64_t now);

#endif
