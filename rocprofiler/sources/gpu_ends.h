/* SPDX-License-Identifier: MIT */
/*
 * The thread that runs the callbacks for what GPUs have done. The agent or a thread of HSA learns
 * of an end first, but holds locks.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_GPU_ENDS_H
#define RTRACE_ROCPROFILER_SOURCES_GPU_ENDS_H

#include <stdbool.h>

struct gpu_work;

/* Makes the thread, at the first call. */
void gpu_ends__prepare(void);

/* The thread will report it. False: there is no such thread. */
bool gpu_ends__put(struct gpu_work *w);

/* Is the calling thread that thread? Then it must go on reporting ends while it waits. */
bool gpu_ends__is_self(void);
void gpu_ends__go_on(void);

/* The thread ends when all ends are reported; from now on there is none. */
void gpu_ends__finalize(void);

#endif
