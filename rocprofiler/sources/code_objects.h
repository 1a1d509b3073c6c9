/* SPDX-License-Identifier: MIT */
/*
 * Code objects and their kernels, as HSA loads and unloads them. They are reported
 * (ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT) and, traced or not, kernels have ids.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_CODE_OBJECTS_H
#define RTRACE_ROCPROFILER_SOURCES_CODE_OBJECTS_H

#include <stdint.h>

#include "hsa_tables.h"

/* Puts its functions into the table; hsa_functions.h has what they call. */
void code_objects__wrap(HsaApiTable *table);

/* Reports all loaded code as unloaded: HSA is about to be shut down, or tools to be finalised. */
void code_objects__unload_all(void);

/* Of a packet's kernel object; 0: not known. No lock is taken. */
uint64_t code_objects__kernel_id(uint64_t kernel_object);

#endif
