/* SPDX-License-Identifier: MIT */
/*
 * Memory that HSA's functions allocate and free, of pools and regions and as virtual memory:
 * MEMORY_ALLOCATION.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_ALLOCATIONS_H
#define RTRACE_ROCPROFILER_SOURCES_ALLOCATIONS_H

#include "hsa_tables.h"

/* Puts its functions into the table; hsa_functions.h has what they call. */
void allocations__wrap(HsaApiTable *table);

#endif
