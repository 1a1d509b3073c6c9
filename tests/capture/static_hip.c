// SPDX-License-Identifier: MIT
/*
 * A program that has HIP's functions in itself, as one that is linked statically has, and functions
 * that are only named alike.
 *
 *   static_hip [ROUNDS [go]]           go: says `ready PID` and waits for SIGUSR1 first
 *   static_hip ROUNDS until FILE       goes on until FILE exists, and for ROUNDS more
 *   static_hip ROUNDS child FILE       the same in a child that it starts at once, after "child
 * PID"
 *
 * Each round takes a millisecond and calls four functions of HIP with its number as an argument,
 * and hipster(), which is none. Before its calls it prints "call NUMBER NOW" (ns, CLOCK_BOOTTIME).
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int hipMalloc(void **ptr, size_t size);
int hipFree(void *ptr);
int hipMemcpy(void *dst, const void *src, size_t size, int kind);
int hipLaunchKernel(const void *function, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy,
		    uint32_t block_z, void **args);
int hipster(long n);

int hipMalloc(void **ptr, size_t size)
{
	*ptr = malloc(size);
	return *ptr ? 0 : 2;
}

int hipFree(void *ptr)
{
	free(ptr);
	return 0;
}

int hipMemcpy(void *dst, const void *src, size_t size, int kind)
{
	memmove(dst, src, size);
	return 0;
}

int hipLaunchKernel(const void *function, uint64_t grid_xy, uint32_t grid_z, uint64_t block_xy,
		    uint32_t block_z, void **args)
{
	return 0;
}

int hipster(long n)
{
	return n + 1;
}

static unsigned long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000000000UL + now.tv_nsec;
}

static void call_all(long n)
{
	struct timespec pause = {.tv_nsec = 1000000};
	void *memory;

	printf("call %ld %lu\n", n, now_ns());
	if (hipMalloc(&memory, n) || hipMemcpy(memory, memory, n, 1) ||
	    hipLaunchKernel((void *)call_all, n, 1, 1, 1, &memory) || hipFree(memory) ||
	    hipster(n) != n + 1)
		exit(1);
	nanosleep(&pause, NULL);
}

static void wait_for_signal(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	sigwait(&set, &number);
}

/* Forks. In the parent, returns when the child has ended. */
static bool in_parent(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		return false;
	printf("child %d\n", (int)child);
	fflush(stdout);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(1);
	return true;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1, made = 0;

	if (argc > 2 && !strcmp(argv[2], "child") && in_parent())
		return 0;
	if (argc > 3)
		while (access(argv[3], F_OK))
			call_all(++made);
	else if (argc > 2)
		wait_for_signal();
	while (rounds-- > 0)
		call_all(++made);
	printf("result PASSED\n");
	return 0;
}
