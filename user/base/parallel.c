// SPDX-License-Identifier: MIT
/*
 * Threads that each take the next call until there are no more.
 */
#include "user/base/parallel.h"

#include <pthread.h>

#define THREADS_MAX 16

struct calls {
	size_t next, n;
	void (*fn)(size_t i, void *arg);
	void *arg;
};

static void *work(void *p)
{
	struct calls *c = p;
	size_t i;

	while ((i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->n)
		c->fn(i, c->arg);
	return NULL;
}

/* The calling thread works too, and does all if no other can be had. */
void parallel__run(size_t n, void (*fn)(size_t i, void *arg), void *arg)
{
	struct calls calls = {.n = n, .fn = fn, .arg = arg};
	pthread_t threads[THREADS_MAX - 1];
	size_t started = 0;

	while (started + 1 < n && started < THREADS_MAX - 1 &&
	       !pthread_create(&threads[started], NULL, work, &calls))
		started++;
	work(&calls);
	for (size_t k = 0; k < started; k++)
		pthread_join(threads[k], NULL);
}
