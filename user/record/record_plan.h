/* SPDX-License-Identifier: MIT */
/*
 * What the options of a recording ask of the probes and of the agents. Nothing here changes
 * anything.
 */
#ifndef RTRACE_RECORD_RECORD_PLAN_H
#define RTRACE_RECORD_RECORD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "user/probe/capture.h"
#include "user/probe/targets.h"
#include "user/record/record_options.h"

/* Are GPU operations to be recorded? */
bool record_plan__wants_gpu(const struct options *o);

/* May agents capture calls in the place of probes? */
bool record_plan__agents_capture(const struct options *o);

/* Is anything to be read of agents? */
bool record_plan__wants_agents(const struct options *o);

/* Is a command to be started with the agent? */
bool record_plan__starts_agent(const struct options *o);

/* RT_AGENT_WANT_...: what an agent is asked for. */
uint32_t record_plan__agent_wants(const struct options *o);

/* Which processes the probes reach. Asks the kernel what it has. */
enum targets_reach record_plan__reach(const struct options *o);

/* By what means functions are probed in those. Asks the kernel what it has. */
enum capture_mode record_plan__mode(const struct options *o, enum targets_reach reach);

/* The programs that no probe may touch; it lives as long as the options. */
const struct kept_off *record_plan__kept_off(const struct options *o);

/* Are calls left out, of some processes or by what they are, so that causes may be missing? */
bool record_plan__filters_calls(const struct options *o);

/* Are calls of some processes left out? */
bool record_plan__filters_processes(const struct options *o);

/* How the capture is opened; it points into the options. */
struct capture_config record_plan__capture(const struct options *o, enum targets_reach reach);

#endif
