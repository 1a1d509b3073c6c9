/* SPDX-License-Identifier: MIT */
/*
 * Reading an agent from where the kernel's driver describes it, and from what else knows of it.
 */
#ifndef RTRACE_ROCPROFILER_AGENT_FILES_H
#define RTRACE_ROCPROFILER_AGENT_FILES_H

#include <stdbool.h>

#include <rocprofiler-sdk/agent.h>

#define AGENT_NO_NODE -1

/* Of a node: 0, an error if it is none that can be read, or AGENT_NO_NODE behind the last one. */
int agent_files__read(uint32_t node, rocprofiler_agent_t *agent);

/* What libdrm knows of a GPU, if it is there: product name, family. */
void agent_drm__read(rocprofiler_agent_t *agent);

/* What the environment lets the runtimes see; the agent's number among GPUs is set. */
void agent_visibility__read(rocprofiler_agent_t *agent);

#endif
