/* SPDX-License-Identifier: MIT */
/*
 * The thread on which callbacks are told of what GPUs have done: who learns of that first, the
 * agent or a thread of HSA, holds locks.
 */
#ifndef RTRACE_ROCPROFILER_GPU_ENDS_H
#define RTRACE_ROCPROFILER_GPU_ENDS_H

#include <stdbool.h>

struct gpu_work;

/* Makes the thread, at the first call. */
void gpu_ends__prepare(void);

/* It is told soon. False: there is no such thread. */
bool gpu_ends__put(struct gpu_work *w);

/* Does the calling thread tell? Then it is what has to go on with that while it waits. */
bool gpu_ends__is_self(void);
void gpu_ends__go_on(void);

/* It ends when everything is told; from now on there is none. */
void gpu_ends__finalize(void);

#endif
