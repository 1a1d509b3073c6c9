/* SPDX-License-Identifier: MIT */
/*
 * Processes that come by fork: some before HIP is initialised, which then use the GPU, and one
 * after, which only exits.
 *
 * Prints a block `process PID` and the counts of that process (see count.h) for every process that
 * used the GPU, the parent's block last, and the result. The program's kernels were registered
 * once, in the parent; each child that uses the GPU undoes it for itself when it exits.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>
#include <sys/wait.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS 4096
#define BYTES	 (ELEMENTS * sizeof(uint32_t))

static const char usage[] = "forker [-c CHILDREN] [-n LAUNCHES per process]\n";

static unsigned long children = 3, launches = 10;

static void compute(uint32_t operand)
{
	static uint32_t data[ELEMENTS];
	uint32_t *gpu, i, x;
	unsigned long k;

	workload__fill(data, ELEMENTS);
	CALL(hipMalloc, ((void **)&gpu, BYTES));
	CALL(hipMemcpy, (gpu, data, BYTES, hipMemcpyHostToDevice));
	COPIED(H2D, BYTES);
	for (k = 0; k < launches; k++)
		LAUNCH(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, 0, gpu, ELEMENTS,
		       operand);
	CALL(hipMemcpy, (data, gpu, BYTES, hipMemcpyDeviceToHost));
	COPIED(D2H, BYTES);
	CALL(hipFree, (gpu));
	for (i = 0; count__verifying() && i < ELEMENTS; i++) {
		x = elements__initial(i) + (uint32_t)launches * operand;
		CHECK(data[i] == x, "element %u is %#x instead of %#x", i, data[i], x);
	}
}

/* The blocks of several processes share one stdout: each is written at once. */
static void print_process(void)
{
	printf("process %d\n", (int)getpid());
	count__print();
	fflush(stdout);
}

static pid_t fork_worker(uint32_t operand)
{
	pid_t pid = fork();

	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (pid)
		return pid;
	count__reset();
	COUNT(__hipUnregisterFatBinary, 1);
	compute(operand);
	print_process();
	exit(0);
}

static pid_t fork_idle(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		_exit(0);
	return pid;
}

static void wait_for(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status),
	      "process %d failed", (int)pid);
}

int main(int argc, char **argv)
{
	static char buffer[65536];
	unsigned long i;
	pid_t *pids;
	int option;

	while ((option = getopt(argc, argv, "c:n:h")) != -1) {
		if (option == 'c')
			children = workload__number(optarg);
		else if (option == 'n')
			launches = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	COUNT_REGISTRATION(KERNELS);
	pids = (pid_t *)calloc(children, sizeof(*pids));
	CHECK(pids, "no memory");
	for (i = 0; i < children; i++)
		pids[i] = fork_worker(i + 1);
	compute(1000);
	wait_for(fork_idle());
	compute(1001);
	for (i = 0; i < children; i++)
		wait_for(pids[i]);
	free(pids);
	print_process();
	printf("result PASSED\n");
	return 0;
}
