/* SPDX-License-Identifier: MIT */
/*
 * The functions of a tool that the runtime calls at the beginning and the end of each event of
 * scratch memory, from ROCm 6.1 on. It keeps one function an event, so that those that were there
 * before are to be called by those that take their place.
 */
#ifndef RTRACE_INPROCESS_SCRATCH_EVENTS_H
#define RTRACE_INPROCESS_SCRATCH_EVENTS_H

#include <stddef.h>

#include "hsa_tables.h"

#ifdef RT_HSA_HAS_tools

/* Nothing is taken of a runtime with another table layout than that of our headers. */
static inline void scratch_events__take(HsaApiTable *table, const ToolsApiTable *ours,
					ToolsApiTable *before)
{
	size_t length = offsetof(HsaApiTable, tools_) + sizeof(table->tools_);
	ToolsApiTable *tools = table->version.minor_id >= length ? table->tools_ : NULL;

	if (!tools || tools->version.major_id != HSA_TOOLS_API_TABLE_MAJOR_VERSION ||
	    tools->version.minor_id < sizeof(*tools))
		return;
	*before = *tools;
#define TAKE(event)                                      \
	tools->hsa_amd_tool_scratch_event_##event##_fn = \
		ours->hsa_amd_tool_scratch_event_##event##_fn
	TAKE(alloc_start);
	TAKE(alloc_end);
	TAKE(free_start);
	TAKE(free_end);
	TAKE(async_reclaim_start);
	TAKE(async_reclaim_end);
#undef TAKE
}

static inline hsa_status_t scratch_events__pass_on(hsa_amd_tool_event fn,
						   hsa_amd_tool_event_t event)
{
	return fn ? fn(event) : HSA_STATUS_SUCCESS;
}

#endif

#endif
