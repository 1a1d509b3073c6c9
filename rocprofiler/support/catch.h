/* SPDX-License-Identifier: MIT */
/*
 * Calls of a tool's functions that no exception leaves: those that are made at initialisation, at
 * the end, and on threads of the library, where no caller could catch it.
 */
#ifndef RTRACE_ROCPROFILER_SUPPORT_CATCH_H
#define RTRACE_ROCPROFILER_SUPPORT_CATCH_H

#include <stdbool.h>

/* True: the function has thrown. What asks a thread to end (pthread_cancel) goes through. */
bool catch__call(void (*fn)(void *arg), void *arg);

#endif
