// SPDX-License-Identifier: MIT
/*
 * Keeps HSA's functions, and asks it what can be asked of it at any time.
 */
#include "rocprofiler/sources/hsa_functions.h"

#include <string.h>

#include "rocprofiler/agents/agent.h"

struct hsa_functions hsa_functions;

/* What the table has beyond what we know is not ours to copy, and what it lacks stays NULL. */
static void copy(void *to, size_t size, const void *from, size_t length)
{
	memcpy(to, from, length < size ? length : size);
}

static bool is_known(const HsaApiTable *table)
{
	return hsa_table_known_root(table) && hsa_table_known_core(table->core_) &&
	       hsa_table_known_amd(table->amd_ext_) &&
	       TABLE_HAS(table->core_, hsa_executable_iterate_agent_symbols) &&
	       TABLE_HAS(table->core_, hsa_system_get_major_extension_table);
}

bool hsa_functions__keep(const HsaApiTable *table)
{
	struct hsa_functions *f = &hsa_functions;

	if (!is_known(table))
		return false;
	memset(f, 0, sizeof(*f));
	copy(&f->core, sizeof(f->core), table->core_, table->core_->version.minor_id);
	copy(&f->amd, sizeof(f->amd), table->amd_ext_, table->amd_ext_->version.minor_id);
	if (f->core.hsa_system_get_major_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1,
							    sizeof(f->loader), &f->loader))
		memset(&f->loader, 0, sizeof(f->loader));
	return true;
}

const rocprofiler_agent_t *hsa_functions__agent(hsa_agent_t agent)
{
	uint32_t node;

	if (hsa_functions.core.hsa_agent_get_info_fn(
		    agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DRIVER_NODE_ID, &node))
		return NULL;
	return agent__of_node(node);
}
