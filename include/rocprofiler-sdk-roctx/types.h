/* SPDX-License-Identifier: MIT */
/* What identifies ranges and threads. */
#ifndef ROCPROFILER_SDK_ROCTX_TYPES_H
#define ROCPROFILER_SDK_ROCTX_TYPES_H

#include <stdint.h>

/* Of a range from roctxRangeStartA(): from 1 on, never used twice in one process. */
typedef uint64_t roctx_range_id_t;

/* Of a thread, as gettid() has it; 0: all of the process. */
typedef uint64_t roctx_thread_id_t;

#endif
