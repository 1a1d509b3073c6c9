/* SPDX-License-Identifier: MIT */
/*
 * HSA, as it comes: it loads libroctracer64 or this library as a tool, or hands in its table, or
 * both, which is the same. In any case libroctracer64 has its table and passes it on to us.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_HSA_RUNTIME_H
#define RTRACE_ROCPROFILER_SOURCES_HSA_RUNTIME_H

#include <stdint.h>

#include "hsa_tables.h"

struct roctracer_core;

/* For the subscriber. */
void hsa_runtime__loading(HsaApiTable *table);
void hsa_runtime__loaded(HsaApiTable *table, uint64_t version);

/* It hands in its table. `core` may be NULL: then nothing is traced. */
void hsa_runtime__set_table(const struct roctracer_core *core, HsaApiTable *table, uint64_t version,
			    uint64_t instance);

#endif
