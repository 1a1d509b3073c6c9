/* SPDX-License-Identifier: MIT */
/*
 * HSA's functions as they were before libroctracer64 and this library put theirs into the tables:
 * calls of these are not reported.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_HSA_FUNCTIONS_H
#define RTRACE_ROCPROFILER_SOURCES_HSA_FUNCTIONS_H

#include <stdbool.h>

#include <rocprofiler-sdk/agent.h>

#include "inprocess/hsa_tables_known.h"
#include <hsa/hsa_ven_amd_loader.h>

struct hsa_functions {
	CoreApiTable core;
	AmdExtTable amd;
	hsa_ven_amd_loader_1_01_pfn_t loader; /* zero: there is none */
};

extern struct hsa_functions hsa_functions;

/* False: the tables are laid out in a way that is not known. */
bool hsa_functions__keep(const HsaApiTable *table);

/* NULL: it is none that the driver has. */
const rocprofiler_agent_t *hsa_functions__agent(hsa_agent_t agent);

#endif
