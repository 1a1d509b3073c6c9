/* SPDX-License-Identifier: MIT */
/*
 * Starts threads of the agent's own.
 */
#include "inprocess/start_thread.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

#define STACK_SIZE (256 * 1024)

int start_thread__start(pthread_t *thread, void *(*run)(void *))
{
	pthread_attr_t attr;
	sigset_t all, old;
	bool sized = !pthread_attr_init(&attr);
	int err;

	sigfillset(&all);
	if (sized)
		pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(thread, sized ? &attr : NULL, run, NULL);
	if (err == EINVAL)
		err = pthread_create(thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (sized)
		pthread_attr_destroy(&attr);
	return -err;
}
