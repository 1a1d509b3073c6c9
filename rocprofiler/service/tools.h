/* SPDX-License-Identifier: MIT */
/*
 * The tools in this process.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_TOOLS_H
#define RTRACE_ROCPROFILER_SERVICE_TOOLS_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/registration.h>

/* Lives as long as the process. */
struct tool {
	struct tool *next;
	uint32_t priority; /* how many are in front of it */
	rocprofiler_configure_func_t configure;
	const char *place;	     /* where it was found, for messages */
	rocprofiler_client_id_t *id; /* which it may change, ... */
	uint32_t handle;	     /* ... but for this */
	bool wanted;		     /* it has returned what follows */
	rocprofiler_tool_configure_result_t result;
	uint32_t finalized; /* or about to be */
	uint32_t out;	    /* no function of it is called any more, but those for buffers */
};

/*
 * All, each once, in the order of their priorities: `forced`, if not NULL; those that
 * ROCP_TOOL_LIBRARIES names, which are loaded; the one that the linker finds; those of other
 * libraries that are loaded.
 */
struct tool *tools__find(rocprofiler_configure_func_t forced);

/* Would it find any, without one that is forced? */
bool tools__are_there(void);

static inline bool tool__is_out(const struct tool *tool)
{
	return tool && __atomic_load_n(&tool->out, __ATOMIC_ACQUIRE);
}

static inline bool tool__is_finalized(const struct tool *tool)
{
	return __atomic_load_n(&tool->finalized, __ATOMIC_ACQUIRE);
}

#endif
