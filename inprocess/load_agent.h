/* SPDX-License-Identifier: MIT */
/*
 * librtrace-agent.so, by which it is learned what GPUs do: one in the process already, the file
 * that HSA_TOOLS_LIB names, or that which was installed with this library.
 */
#ifndef ROCTRACER_AGENT_LIBRARY_H
#define ROCTRACER_AGENT_LIBRARY_H

#include <stdbool.h>

#include "abi/agent_client.h"

/* Is there one in the process, or a file? */
bool agent_library__is_there(void);
/* A handle for dlsym(); it stays loaded. NULL: there is none in the process. */
void *agent_library__find(void);
/* The same; if there is none, the file is loaded. */
void *agent_library__load(void);

/* How to find the functions that the agent has replaced; NULL: the agent is not there. */
rtrace_agent_behind_fn *agent_library__behind(void);

#endif
