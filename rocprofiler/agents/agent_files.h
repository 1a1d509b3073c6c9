/* SPDX-License-Identifier: MIT */
/*
 * Reads an agent from the kernel driver's description of it, and from other sources.
 */
#ifndef RTRACE_ROCPROFILER_AGENTS_AGENT_FILES_H
#define RTRACE_ROCPROFILER_AGENTS_AGENT_FILES_H

#include <stdbool.h>

#include <rocprofiler-sdk/agent.h>

#define AGENT_NO_NODE -1

/* Reads a node: 0, an error if the node cannot be read, or AGENT_NO_NODE after the last one. */
int agent_files__read(uint32_t node, rocprofiler_agent_t *agent);

/* Reads a GPU's product name and family from libdrm, if it is there. */
void agent_drm__read(rocprofiler_agent_t *agent);

/* What the environment lets the runtimes see; the agent's number among GPUs is set. */
void agent_visibility__read(rocprofiler_agent_t *agent);

#endif
