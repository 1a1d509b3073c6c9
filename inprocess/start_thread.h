/* SPDX-License-Identifier: MIT */
/*
 * Threads of the agent's own in the application's process.
 */
#ifndef RTRACE_INPROCESS_START_THREAD_H
#define RTRACE_INPROCESS_START_THREAD_H

#include <pthread.h>

/*
 * Starts a thread on which no signal of the application is ever handled. Its stack is small, unless
 * the application's thread-local data, which are stored there, have no room in that. 0 or -errno.
 */
int start_thread__start(pthread_t *thread, void *(*run)(void *));

#endif
