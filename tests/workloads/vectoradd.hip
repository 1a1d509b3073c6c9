/* SPDX-License-Identifier: MIT */
/*
 * Adds two vectors on the GPU and verifies the sum: the smallest complete HIP program.
 *
 * Each iteration allocates, copies both vectors in, launches fillWith<float> and vectorAdd, copies
 * the sum out, frees. Prints the counts (see count.h) and the result.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

static const char usage[] = "vectoradd [-n ELEMENTS] [-i ITERATIONS]\n";

static void verify(const float *a, const float *b, const float *sum, uint32_t n)
{
	uint32_t i;

	if (!count__verifying())
		return;
	for (i = 0; i < n; i++)
		CHECK(sum[i] == a[i] + b[i], "element %u is %g instead of %g", i, sum[i],
		      a[i] + b[i]);
}

static void add_on_gpu(const float *a, const float *b, float *sum, uint32_t n)
{
	size_t bytes = n * sizeof(float);
	float *gpu_a, *gpu_b, *gpu_sum;

	CALL(hipMalloc, ((void **)&gpu_a, bytes));
	CALL(hipMalloc, ((void **)&gpu_b, bytes));
	CALL(hipMalloc, ((void **)&gpu_sum, bytes));
	CALL(hipMemcpy, (gpu_a, a, bytes, hipMemcpyHostToDevice));
	COPIED(H2D, bytes);
	CALL(hipMemcpy, (gpu_b, b, bytes, hipMemcpyHostToDevice));
	COPIED(H2D, bytes);
	/* What an earlier iteration left in the same memory must not pass for this one's sum. */
	LAUNCH(fillWith<float>, workload__blocks(n), WORKLOAD_BLOCK, 0, 0, gpu_sum, -1.0f, n);
	LAUNCH(vectorAdd, workload__blocks(n), WORKLOAD_BLOCK, 0, 0, gpu_a, gpu_b, gpu_sum, n);
	CALL(hipGetLastError, ());
	CALL(hipDeviceSynchronize, ());
	CALL(hipMemcpy, (sum, gpu_sum, bytes, hipMemcpyDeviceToHost));
	COPIED(D2H, bytes);
	CALL(hipFree, (gpu_a));
	CALL(hipFree, (gpu_b));
	CALL(hipFree, (gpu_sum));
}

int main(int argc, char **argv)
{
	uint32_t n = 1 << 16, iterations = 1, i;
	float *a, *b, *sum;
	int option;

	while ((option = getopt(argc, argv, "n:i:h")) != -1) {
		if (option == 'n')
			n = workload__number(optarg);
		else if (option == 'i')
			iterations = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	COUNT_REGISTRATION(KERNELS);
	a = (float *)malloc(n * sizeof(float));
	b = (float *)malloc(n * sizeof(float));
	sum = (float *)calloc(n, sizeof(float));
	CHECK(a && b && sum, "no memory");
	for (i = 0; i < n; i++) {
		a[i] = i;
		b[i] = 0.5f * i;
	}
	for (i = 0; i < iterations; i++) {
		add_on_gpu(a, b, sum, n);
		verify(a, b, sum, n);
	}
	free(a);
	free(b);
	free(sum);
	return count__pass();
}
