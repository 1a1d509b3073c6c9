// SPDX-License-Identifier: MIT
/*
 * A thread for each call, in batches.
 */
#include "user/parallel.h"

#include <pthread.h>
#include <stdbool.h>

#define THREADS_MAX 16

struct call {
	pthread_t thread;
	bool started;
	size_t i;
	void (*fn)(size_t i, void *arg);
	void *arg;
};

static void *run(void *p)
{
	struct call *call = p;

	call->fn(call->i, call->arg);
	return NULL;
}

static void run_batch(size_t from, size_t n, void (*fn)(size_t i, void *arg), void *arg)
{
	struct call calls[THREADS_MAX];

	for (size_t k = 0; k < n; k++) {
		calls[k] = (struct call){.i = from + k, .fn = fn, .arg = arg};
		calls[k].started = n > 1 && !pthread_create(&calls[k].thread, NULL, run, &calls[k]);
		if (!calls[k].started)
			run(&calls[k]);
	}
	for (size_t k = 0; k < n; k++)
		if (calls[k].started)
			pthread_join(calls[k].thread, NULL);
}

void parallel__run(size_t n, void (*fn)(size_t i, void *arg), void *arg)
{
	for (size_t from = 0; from < n; from += THREADS_MAX)
		run_batch(from, n - from < THREADS_MAX ? n - from : THREADS_MAX, fn, arg);
}
