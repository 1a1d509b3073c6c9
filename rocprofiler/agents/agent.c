// SPDX-License-Identifier: MIT
/*
 * The list of agents.
 */
#include "rocprofiler/agents/agent.h"

#include <pthread.h>
#include <stdlib.h>

#include "rocprofiler/agents/agent_files.h"

#define AGENTS_MAX   1024
#define FIRST_HANDLE 0x100000 /* other handles are of other ranges */

static const rocprofiler_agent_t *agents[AGENTS_MAX];
static uint32_t count;

/* Nodes that cannot be read have no number among agents. */
static void add(rocprofiler_agent_t *a, int32_t *of_type)
{
	a->id.handle = FIRST_HANDLE + count;
	a->logical_node_id = count;
	a->logical_node_type_id = of_type[a->type]++;
	agent_visibility__read(a);
	agents[count++] = a;
}

static void read_all(void)
{
	int32_t of_type[ROCPROFILER_AGENT_TYPE_LAST] = {0};

	for (uint32_t node = 0; count < AGENTS_MAX; node++) {
		rocprofiler_agent_t *a = malloc(sizeof(*a));
		int error = a ? agent_files__read(node, a) : AGENT_NO_NODE;

		if (!error)
			add(a, of_type);
		else
			free(a);
		if (error == AGENT_NO_NODE)
			return;
	}
}

static void read_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_all);
}

const rocprofiler_agent_t *agent__find(rocprofiler_agent_id_t id)
{
	uint64_t index = id.handle - FIRST_HANDLE;

	read_once();
	return index < count ? agents[index] : NULL;
}

const rocprofiler_agent_t *agent__of_node(uint32_t node)
{
	read_once();
	for (uint32_t i = 0; i < count; i++)
		if (agents[i]->node_id == node)
			return agents[i];
	return NULL;
}

rocprofiler_status_t
rocprofiler_query_available_agents(rocprofiler_agent_version_t version,
				   rocprofiler_query_available_agents_cb_t callback,
				   size_t agent_size, void *user_data)
{
	const void *list[AGENTS_MAX];

	if (version != ROCPROFILER_AGENT_INFO_VERSION_0)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	if (agent_size > sizeof(rocprofiler_agent_t))
		return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
	read_once();
	for (uint32_t i = 0; i < count; i++)
		list[i] = agents[i];
	return callback(version, list, count, user_data);
}
