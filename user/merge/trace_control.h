/* SPDX-License-Identifier: MIT */
/*
 * When tracing was switched off: by the user for all, by a process for itself (roctracer_stop,
 * roctxProfilerPause), by a process for one of its threads.
 *
 * The calls of such times are left out in the kernel (bpf/filter.h). GPU operations come from the
 * agent, which knows nothing of it: those that no captured call explains are left out if they were
 * submitted while tracing was off. Of a thread that was resumed by itself while its process stays
 * paused, those are left out too.
 */
#ifndef RTRACE_MERGE_TRACE_CONTROL_H
#define RTRACE_MERGE_TRACE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bpf_records.h"

/* The last times in which something was off; earlier ones are forgotten. */
#define OFF_TIMES 64

struct off_times {
	struct {
		uint64_t begin, end;
	} times[OFF_TIMES]; /* a ring */
	uint64_t count;
	uint32_t why; /* RT_OFF_*, 0: it is on */
};

/* Switches off for the reason at `now`, or takes that reason away. */
void off_times__set(struct off_times *o, uint32_t why, bool off, uint64_t now);

/* Was it off at that time? */
bool off_times__at(const struct off_times *o, uint64_t instant);

struct process;
struct thread;
struct tasks;
struct rt_rec_span;

/* Was it off for all, the process or the thread? These may be NULL. */
bool trace_control__was_off(const struct off_times *all, const struct process *p,
			    const struct thread *th, uint64_t instant);

/* Follows a call of a control function (rt_plan.control). */
void trace_control__call(struct tasks *tasks, struct process *p, enum rt_control what,
			 const struct rt_rec_span *rec);

#endif
