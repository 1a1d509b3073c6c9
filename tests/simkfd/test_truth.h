/* SPDX-License-Identifier: MIT */
/* Reads the truth log of the simulated GPU. */
#ifndef SIMKFD_TEST_TRUTH_H
#define SIMKFD_TEST_TRUTH_H

#include <stddef.h>
#include <stdint.h>

struct truth_line {
	int pid, gpu;
	unsigned int queue;
	uint64_t n, op;
	char kind[16];
	char kernel[256];
	uint64_t bytes;
	uint32_t grid[3], workgroup[3];
	unsigned int barrier;
	uint64_t begin, end;
};

struct truth_log {
	struct truth_line *lines;
	size_t count;
};

/*
 * The lines of the file from `offset` on, which is moved to its end; fails the test if one is not
 * as documented. To be freed with truth_log__free.
 */
struct truth_log truth_log__read(const char *path, long *offset);
void truth_log__free(struct truth_log *log);

/* How many lines are of that process (0: any), kind and kernel (NULL: any). */
size_t truth_log__count(const struct truth_log *log, int pid, const char *kind, const char *kernel);

#endif
