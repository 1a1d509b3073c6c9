/* SPDX-License-Identifier: MIT */
/*
 * The tools that want to put functions into a runtime's tables.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_INTERCEPT_TABLE_H
#define RTRACE_ROCPROFILER_SERVICE_INTERCEPT_TABLE_H

#include <stdint.h>

#include <rocprofiler-sdk/fwd.h>

/* Shows them the table, in the order in which they asked. Ours are in it already. */
void intercept__tell(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
		     void *table);

#endif
