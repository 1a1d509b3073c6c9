/* SPDX-License-Identifier: MIT */
/*
 * Transposes a 1024 x 1024 matrix on the GPU, again and again, each time with fresh memory.
 *
 * Prints `Device name NAME` once and `PASSED!` or `FAILED: N errors` for each iteration, as the
 * sample of the same name that ROCm's documentation traces; then the counts (see count.h) and the
 * result.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define WIDTH		  1024
#define ELEMENTS	  (WIDTH * WIDTH)
#define BYTES		  (ELEMENTS * sizeof(float))
#define THREADS_PER_BLOCK 4

static const char usage[] = "matrixtranspose [ITERATIONS]  (default 100)\n";

static int count_errors(const float *transposed, const float *matrix)
{
	int errors = 0, x, y;

	for (y = 0; y < WIDTH; y++)
		for (x = 0; x < WIDTH; x++)
			errors += transposed[y * WIDTH + x] != matrix[x * WIDTH + y];
	return errors;
}

static int transpose(void)
{
	dim3 grid(WIDTH / THREADS_PER_BLOCK, WIDTH / THREADS_PER_BLOCK);
	dim3 block(THREADS_PER_BLOCK, THREADS_PER_BLOCK);
	float *matrix = (float *)malloc(BYTES), *transposed = (float *)calloc(1, BYTES);
	float *gpu_matrix, *gpu_transposed;
	int i, errors;

	CHECK(matrix && transposed, "no memory");
	for (i = 0; i < ELEMENTS; i++)
		matrix[i] = i * 10.0f;
	CALL(hipMalloc, ((void **)&gpu_matrix, BYTES));
	CALL(hipMalloc, ((void **)&gpu_transposed, BYTES));
	CALL(hipMemcpy, (gpu_matrix, matrix, BYTES, hipMemcpyHostToDevice));
	COPIED(H2D, BYTES);
	LAUNCH(matrixTranspose, grid, block, 0, 0, gpu_transposed, gpu_matrix, WIDTH);
	CALL(hipMemcpy, (transposed, gpu_transposed, BYTES, hipMemcpyDeviceToHost));
	COPIED(D2H, BYTES);
	errors = count__verifying() ? count_errors(transposed, matrix) : 0;
	if (errors)
		printf("FAILED: %d errors\n", errors);
	else
		printf("PASSED!\n");
	CALL(hipFree, (gpu_matrix));
	CALL(hipFree, (gpu_transposed));
	free(matrix);
	free(transposed);
	return errors;
}

int main(int argc, char **argv)
{
	unsigned long i, iterations = 100;
	hipDeviceProp_t properties;
	int option, errors = 0;

	while ((option = getopt(argc, argv, "h")) != -1)
		return workload__usage(option, usage);
	if (optind < argc)
		iterations = workload__number(argv[optind]);
	COUNT_REGISTRATION(KERNELS);
	CALL(hipGetDeviceProperties, (&properties, 0));
	printf("Device name %s\n", properties.name);
	for (i = 0; i < iterations; i++)
		errors += transpose();
	CHECK(!errors, "%d elements are wrong", errors);
	return count__pass();
}
