/* SPDX-License-Identifier: MIT */
/*
 * If HSA has handed in its table by rocprofiler-register, its shutdown is not reported. HSA is shut
 * down when hsa_shut_down() was called as often as hsa_init().
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_HSA_REFERENCE_H
#define RTRACE_ROCPROFILER_SOURCES_HSA_REFERENCE_H

#include "hsa_tables.h"

/* Inside of its first hsa_init(): `ends` is called before HSA is shut down, on that thread. */
void hsa_reference__wrap(HsaApiTable *table, void (*ends)(void));

#endif
