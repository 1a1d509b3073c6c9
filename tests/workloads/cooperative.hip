/* SPDX-License-Identifier: MIT */
/*
 * Cooperative launches, which HIP gives to a queue of their own, among ordinary ones on two streams.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS 1024

static const char usage[] = "cooperative [-n LAUNCHES of each kind and stream]\n";

static void launch_together(hipStream_t stream, uint32_t *gpu)
{
	uint32_t n = ELEMENTS, operand = 1;
	void *arguments[] = {&gpu, &n, &operand};

	CALL(hipLaunchCooperativeKernel, ((const void *)elementAdd, dim3(workload__blocks(n)),
					  dim3(WORKLOAD_BLOCK), arguments, 0, stream));
	KERNEL(elementAdd, 1);
}

int main(int argc, char **argv)
{
	unsigned long launches = 10;
	hipStream_t streams[2];
	uint32_t *gpu;
	int option;

	while ((option = getopt(argc, argv, "n:h")) != -1) {
		if (option != 'n')
			return workload__usage(option, usage);
		launches = workload__number(optarg);
	}
	COUNT_REGISTRATION(KERNELS);
	CALL(hipMalloc, ((void **)&gpu, ELEMENTS * sizeof(*gpu)));
	for (int i = 0; i < 2; i++)
		CALL(hipStreamCreate, (&streams[i]));
	for (unsigned long i = 0; i < launches; i++)
		for (int k = 0; k < 2; k++) {
			launch_together(streams[k], gpu);
			LAUNCH(elementXor, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, streams[k], gpu,
			       ELEMENTS, 1);
		}
	CALL(hipDeviceSynchronize, ());
	for (int i = 0; i < 2; i++)
		CALL(hipStreamDestroy, (streams[i]));
	CALL(hipFree, (gpu));
	return count__pass();
}
