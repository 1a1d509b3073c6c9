// SPDX-License-Identifier: MIT
/*
 * Threads that call hipGetDevice at a high rate, and count what they have done where it can be read
 * when they were killed.
 *
 *   rate THREADS SECONDS CALLS FILE
 *
 * CALLS: a second, of all threads; 0: as many as they can. FILE gets a 64-bit number each, of the
 * calls that have returned, 64 bytes apart. Prints `calls hipGetDevice N` and `result PASSED`.
 */
#include <errno.h>
#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64
#define BATCH	    1000
#define AHEAD_US    50 /* is slept when the rate is kept: a tracer needs the CPU, too */

static struct {
	uint64_t calls;
	uint64_t _apart[7];
} * counts;

static double seconds, rate; /* of each thread */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void *call(void *arg)
{
	uint64_t *calls = arg;
	double begin = now(), at = begin;
	int device;

	for (; at < begin + seconds; at = now()) {
		if (rate && *calls > (at - begin) * rate) {
			usleep(AHEAD_US);
			continue;
		}
		for (int i = 0; i < BATCH; i++) {
			if (hipGetDevice(&device))
				exit(1);
			__atomic_store_n(calls, *calls + 1, __ATOMIC_RELEASE);
		}
	}
	return NULL;
}

static int map_counts(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || ftruncate(fd, THREADS_MAX * sizeof(*counts)))
		return -1;
	counts = mmap(NULL, THREADS_MAX * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	close(fd);
	return counts == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	uint64_t sum = 0;
	int threads = argc == 5 ? atoi(argv[1]) : 0;

	if (threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: rate THREADS SECONDS CALLS FILE\n");
		return 2;
	}
	seconds = atof(argv[2]);
	rate = atof(argv[3]) / threads;
	if (map_counts(argv[4])) {
		fprintf(stderr, "rate: %s: %s\n", argv[4], strerror(errno));
		return 1;
	}
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, call, &counts[i].calls))
			return 1;
	for (int i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum += counts[i].calls;
	}
	printf("calls hipGetDevice %lu\nresult PASSED\n", (unsigned long)sum);
	return 0;
}
