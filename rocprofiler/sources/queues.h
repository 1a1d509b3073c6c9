/* SPDX-License-Identifier: MIT */
/*
 * Which GPU a queue of HSA is of.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_QUEUES_H
#define RTRACE_ROCPROFILER_SOURCES_QUEUES_H

#include <rocprofiler-sdk/agent.h>

#include "hsa_tables.h"

/* Puts its functions into the table; hsa_functions.h has what they call. */
void queues__wrap(HsaApiTable *table);

/* Handle 0: not known. No lock is taken. */
rocprofiler_agent_id_t queues__agent(const hsa_queue_t *queue);

#endif
