/* SPDX-License-Identifier: MIT */
/*
 * What most workloads need besides counting: numbers from the command line, the time, the path of a
 * file that was built beside the program, and arrays of elements to compute on.
 */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/workloads/elements.h"

#define WORKLOAD_BLOCK 256

/* How many blocks of WORKLOAD_BLOCK work-items cover n elements. */
static inline uint32_t workload__blocks(uint32_t n)
{
	return (n + WORKLOAD_BLOCK - 1) / WORKLOAD_BLOCK;
}

/* The argument of an option that takes a number; ends the program if it is none. */
static inline unsigned long workload__number(const char *text)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-') {
		fprintf(stderr, "options: not a number, '%s'\n", text);
		exit(2);
	}
	return value;
}

/* Prints a usage text; returns the exit status: 0 when it was asked for with -h. */
static inline int workload__usage(int option, const char *text)
{
	fputs(text, option == 'h' ? stdout : stderr);
	return option == 'h' ? 0 : 2;
}

static inline uint64_t workload__now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline void workload__sleep_us(unsigned long us)
{
	struct timespec delay;

	delay.tv_sec = us / 1000000;
	delay.tv_nsec = us % 1000000 * 1000;
	while (nanosleep(&delay, &delay) && errno == EINTR)
		;
}

/* The path of `name` in the folder of the running program. */
static inline const char *workload__beside(const char *name)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	path[length < 0 ? 0 : length] = '\0';
	slash = strrchr(path, '/');
	slash = slash ? slash + 1 : path;
	snprintf(slash, path + sizeof(path) - slash, "%s", name);
	return path;
}

static inline void workload__fill(uint32_t *data, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		data[i] = elements__initial(i);
}

#endif
