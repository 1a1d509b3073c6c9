/* SPDX-License-Identifier: MIT */
/*
 * The agents of the machine, as the kernel's driver has them: read once, and kept.
 */
#ifndef RTRACE_ROCPROFILER_AGENTS_AGENT_H
#define RTRACE_ROCPROFILER_AGENTS_AGENT_H

#include <rocprofiler-sdk/agent.h>

/* NULL: there is no such agent. */
const rocprofiler_agent_t *agent__find(rocprofiler_agent_id_t id);

/* By the driver's number of its node. */
const rocprofiler_agent_t *agent__of_node(uint32_t node);

#endif
