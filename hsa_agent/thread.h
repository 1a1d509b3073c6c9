/* SPDX-License-Identifier: MIT */
/*
 * Threads of the agent's own in the application's process.
 */
#ifndef RTRACE_AGENT_THREAD_H
#define RTRACE_AGENT_THREAD_H

#include <pthread.h>

/*
 * Starts a thread on which no signal of the application is ever handled. Its stack is small, unless
 * the application's thread-local data, which lie there, have no place in that. 0 or -errno.
 */
int thread_start(pthread_t *thread, void *(*run)(void *));

#endif
