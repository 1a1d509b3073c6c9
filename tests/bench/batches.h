/* SPDX-License-Identifier: MIT */
/*
 * Measures what a call costs on a machine that others use too.
 *
 * The calls are made in short batches. A batch is timed by the CPU time of its thread, so time in
 * which another process had the CPU does not count, while traps and BPF programs do. The result is
 * the median batch: a batch that met cold caches or an interrupt does not move it. Between batches
 * there is a pause that is not timed, in which a consumer can catch up.
 */
#ifndef BENCH_BATCHES_H
#define BENCH_BATCHES_H

#include <stdlib.h>
#include <time.h>

struct batches {
	void (*run)(long calls);
	void (*pause)(void);
	long count, calls; /* batches, and calls in each */
};

static inline double batches__thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static inline int batches__compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Nanoseconds a call, or -1 without memory. */
static inline double batches__measure(const struct batches *b)
{
	double *ns = calloc(b->count, sizeof(*ns)), median;

	if (!ns)
		return -1;
	for (long i = 0; i < b->count; i++) {
		double begin = batches__thread_ns();

		b->run(b->calls);
		ns[i] = (batches__thread_ns() - begin) / b->calls;
		b->pause();
	}
	qsort(ns, b->count, sizeof(*ns), batches__compare);
	median = ns[b->count / 2];
	free(ns);
	return median;
}

#endif
