// SPDX-License-Identifier: MIT
/*
 * A data race, in any program that this library is preloaded into: what ThreadSanitizer says of it
 * shows that it is at work.
 */
#include <pthread.h>
#include <stdlib.h>

#define ROUNDS 10000

static int races;

static void *race(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		*(volatile int *)&races += 1;
	return arg;
}

static void race_on_two_threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, race, NULL))
		return;
	race(NULL);
	pthread_join(thread, NULL);
}

/* When all libraries are at work. */
static void __attribute__((constructor)) start(void)
{
	atexit(race_on_two_threads);
}
