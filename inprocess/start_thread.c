/* SPDX-License-Identifier: MIT */
/*
 * Starts threads of the agent's own.
 */
#include "inprocess/start_thread.h"

#include <errno.h>
#include <signal.h>

#define STACK_SIZE (256 * 1024)

int thread_start(pthread_t *thread, void *(*run)(void *))
{
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(thread, &attr, run, NULL);
	if (err == EINVAL)
		err = pthread_create(thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}
