/* SPDX-License-Identifier: MIT */
/*
 * HSA runtimes of the process beyond the one that the agent serves: what they give to GPUs is
 * counted as lost.
 *
 * A process has several if it loads another copy of the runtime's file, as Python's wheels bring
 * them, or by dlmopen(). Each loads the agent and calls its OnLoad with a table of its own.
 */
#ifndef RTRACE_HSA_AGENT_CORE_OTHER_RUNTIMES_H
#define RTRACE_HSA_AGENT_CORE_OTHER_RUNTIMES_H

#include "hsa_tables.h"

/*
 * Puts wrappers into the runtime's table that count dispatches, barriers and copies in the agent's
 * memory at that address, which stays, while a tracer wants operations. To be called while the
 * runtime loads its tools. Without effect on a runtime with unknown tables, and on more than
 * OTHERS_MAX of them; these are counted in rt_agent_state.others all the same.
 */
void others__count(HsaApiTable *table, void *memory);

#define OTHERS_MAX 4

#endif
