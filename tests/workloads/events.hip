/* SPDX-License-Identifier: MIT */
/*
 * Events: recorded, waited for by another stream, and asked for times.
 *
 * With -k NS, the duration that the simulated GPU was told to give slowStore
 * (SIMKFD_KERNELS=slowStore=NS), the times are checked too: hipExtLaunchKernel with a start and a
 * stop event must give the kernel's duration, and two events recorded around a row of kernels at
 * least the sum of theirs. Prints the times as `elapsed WHAT NS`, the counts (see count.h) and the
 * result.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>
#include <hip/hip_ext.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ROW    10
#define ROUNDS 1000

static const char usage[] = "events [-k NS]  (what slowStore takes on the simulated GPU)\n";

static unsigned long kernel_ns;
static uint32_t *gpu;

static void check_time(const char *what, float ms, unsigned long least, unsigned long most)
{
	unsigned long ns = ms * 1e6f + 0.5f;

	printf("elapsed %s %lu\n", what, ns);
	if (kernel_ns)
		CHECK(ns >= least && ns <= most, "%s took %lu ns, not %lu to %lu", what, ns, least,
		      most);
}

/* Events around a row of kernels on one stream. */
static void time_row(hipStream_t stream, hipEvent_t begin, hipEvent_t end)
{
	unsigned long least = ROW * kernel_ns;
	float ms;
	int i;

	CALL(hipEventRecord, (begin, stream));
	for (i = 0; i < ROW; i++)
		LAUNCH(slowStore, 1, 1, 0, stream, gpu, i, ROUNDS);
	CALL(hipEventRecord, (end, stream));
	CALL(hipEventSynchronize, (end));
	CALL(hipEventElapsedTime, (&ms, begin, end));
	/* Between the kernels the queue runs dry when the machine is busy: the upper bound is wide.
	 */
	check_time("row", ms, least - least / 100, least + 50 * 1000 * 1000);
}

/* Events that belong to the dispatch itself. */
static void time_kernel(hipStream_t stream, hipEvent_t begin, hipEvent_t end)
{
	uint32_t value = 1, rounds = ROUNDS;
	void *args[] = {&gpu, &value, &rounds};
	float ms;

	KERNEL(slowStore, 1);
	CALL(hipExtLaunchKernel,
	     ((const void *)slowStore, dim3(1), dim3(1), args, 0, stream, begin, end, 0));
	CALL(hipEventSynchronize, (end));
	CALL(hipEventElapsedTime, (&ms, begin, end));
	/* Single precision and the granularity of the GPU's clock allow 1 %. */
	check_time("kernel", ms, kernel_ns - kernel_ns / 100 - 100,
		   kernel_ns + kernel_ns / 100 + 100);
}

/* The second stream goes on only when the first has got to the event. */
static void wait_across_streams(hipStream_t first, hipStream_t second, hipEvent_t event)
{
	uint32_t value = 0;

	LAUNCH(slowStore, 1, 1, 0, first, gpu, 7, ROUNDS);
	CALL(hipEventRecord, (event, first));
	CALL(hipStreamWaitEvent, (second, event, 0));
	LAUNCH(elementAdd, 1, WORKLOAD_BLOCK, 0, second, gpu, 1, 1);
	CALL(hipStreamSynchronize, (second));
	CALL(hipEventQuery, (event));
	CALL(hipMemcpy, (&value, gpu, sizeof(value), hipMemcpyDeviceToHost));
	COPIED(D2H, sizeof(value));
	CHECK(!count__verifying() || value == 8, "the value is %u instead of 8", value);
}

int main(int argc, char **argv)
{
	hipEvent_t begin, end, event;
	hipStream_t first, second;
	int option;

	while ((option = getopt(argc, argv, "k:h")) != -1) {
		if (option == 'k')
			kernel_ns = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	COUNT_REGISTRATION(KERNELS);
	CALL(hipMalloc, ((void **)&gpu, sizeof(*gpu)));
	CALL(hipStreamCreate, (&first));
	CALL(hipStreamCreate, (&second));
	CALL(hipEventCreate, (&begin));
	CALL(hipEventCreate, (&end));
	CALL(hipEventCreateWithFlags, (&event, hipEventDisableTiming));
	time_row(first, begin, end);
	time_kernel(first, begin, end);
	wait_across_streams(first, second, event);
	CALL(hipEventDestroy, (begin));
	CALL(hipEventDestroy, (end));
	CALL(hipEventDestroy, (event));
	CALL(hipStreamDestroy, (first));
	CALL(hipStreamDestroy, (second));
	CALL(hipFree, (gpu));
	return count__pass();
}
