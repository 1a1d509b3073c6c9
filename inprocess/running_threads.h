/* SPDX-License-Identifier: MIT */
/*
 * Whether something is still going on in the process, besides the calling thread.
 */
#ifndef RTRACE_INPROCESS_RUNNING_THREADS_H
#define RTRACE_INPROCESS_RUNNING_THREADS_H

#include <stdbool.h>

/*
 * Is another thread of the process running, or ready to run and without a CPU, or in a wait of the
 * kernel's that no signal ends? False if /proc cannot be read. Allocates memory.
 */
bool running_threads__any(void);

#endif
