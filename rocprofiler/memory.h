/* SPDX-License-Identifier: MIT */
/*
 * Reading what an application's pointer points to, which need not be there.
 */
#ifndef RTRACE_ROCPROFILER_MEMORY_H
#define RTRACE_ROCPROFILER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define MEMORY_READ_MAX 4096

/* False: not all of it can be read. `size` is no more than MEMORY_READ_MAX; errno stays as it is.
 */
bool memory__read(void *to, const void *from, size_t size);

#endif
