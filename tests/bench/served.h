/* SPDX-License-Identifier: MIT */
/*
 * A process that makes calls, measured from outside by scripts/bench.
 *
 * It prints `ready PID`. Then, for every line `FUNCTION THREADS CALLS` on stdin, it has THREADS
 * threads make CALLS calls each. It prints the nanoseconds that one call took the median thread.
 * The threads begin each batch together, so that they meet each other even when it is short. One
 * process serves all measurements, so that they compare.
 */
#ifndef BENCH_SERVED_H
#define BENCH_SERVED_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/batches.h"

#define SERVED_BATCH   500
#define SERVED_THREADS 256

struct served {
	const char *name; /* NULL after the last */
	void (*run)(long calls);
};

static struct batches served_batches;
static pthread_barrier_t served_together;

static void served__pause(void)
{
	usleep(1000);
	pthread_barrier_wait(&served_together);
}

static void *served__thread(void *ns)
{
	pthread_barrier_wait(&served_together);
	*(double *)ns = batches__measure(&served_batches);
	return NULL;
}

static int served__measure(const struct served *function, int threads, long calls)
{
	pthread_t thread[SERVED_THREADS];
	double ns[SERVED_THREADS];

	served_batches =
		(struct batches){function->run, served__pause, calls / SERVED_BATCH, SERVED_BATCH};
	if (served_batches.count < 1 || threads < 1 || threads > SERVED_THREADS ||
	    pthread_barrier_init(&served_together, NULL, threads))
		return -1;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, served__thread, &ns[i]))
			return -1;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&served_together);
	qsort(ns, threads, sizeof(*ns), batches__compare);
	printf("%.2f\n", ns[threads / 2]);
	return fflush(stdout);
}

/* Serves until the end of input; returns the exit status. */
static inline int served__all(const char *program, const struct served *functions)
{
	const struct served *f;
	char line[128], name[32];
	int threads;
	long calls;

	printf("ready %d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%31s %d %ld", name, &threads, &calls) != 3)
			break;
		for (f = functions; f->name && strcmp(f->name, name); f++)
			;
		if (!f->name || served__measure(f, threads, calls))
			break;
	}
	if (feof(stdin))
		return 0;
	fprintf(stderr, "%s: not understood: %s", program, line);
	return 2;
}

#endif
