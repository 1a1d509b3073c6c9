/* SPDX-License-Identifier: MIT */
/*
 * Scratch memory that the runtime allocates for kernels that spill registers, and frees again:
 * SCRATCH_MEMORY. From ROCm 6.1 on the runtime reports this to tools.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_SCRATCH_H
#define RTRACE_ROCPROFILER_SOURCES_SCRATCH_H

#include "hsa_tables.h"

/* Puts its functions into the table, if it has a place for them. */
void scratch__wrap(HsaApiTable *table);

#endif
