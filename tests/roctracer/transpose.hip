/* SPDX-License-Identifier: MIT */
/*
 * roctracer's example of everything: MatrixTranspose with callbacks and records of all domains, for
 * which tracing is started and stopped in each iteration anew; and its example of tracing control.
 *
 *   transpose ITERATIONS            as a tool: prints what example.h says
 *   transpose ITERATIONS control    as a program that says which part of it is to be traced: the
 *                                   launch, between roctracer_start and roctracer_stop, which
 *                                   it knows as 1001 in the first iteration, and so on
 *
 * Then come the counts (see count.h) and the result.
 */
#include "tests/workloads/kernels.hip"

#include "tests/roctracer/example.h"
#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define WIDTH		  1024
#define ELEMENTS	  (WIDTH * WIDTH)
#define BYTES		  (ELEMENTS * sizeof(float))
#define THREADS_PER_BLOCK 4

static bool control;

/* ---- the tool ---- */

static void print_arguments(uint32_t cid, const hip_api_data_t *data)
{
	switch (cid) {
	case HIP_API_ID_hipMemcpy:
		printf(" dst(%p) src(%p) size(%#zx) kind(%u)", data->args.hipMemcpy.dst,
		       data->args.hipMemcpy.src, data->args.hipMemcpy.sizeBytes,
		       (unsigned int)data->args.hipMemcpy.kind);
		break;
	case HIP_API_ID_hipMalloc:
		printf(" ptr(%p) size(%#zx)", (void *)data->args.hipMalloc.ptr, data->args.hipMalloc.size);
		break;
	case HIP_API_ID_hipFree:
		printf(" ptr(%p)", data->args.hipFree.ptr);
		break;
	case HIP_API_ID_hipLaunchKernel:
		printf(" kernel(\"%s\") stream(%p)",
		       hipKernelNameRefByPtr(data->args.hipLaunchKernel.function_address,
					     data->args.hipLaunchKernel.stream),
		       (void *)data->args.hipLaunchKernel.stream);
		break;
	}
}

static void on_call(uint32_t domain, uint32_t cid, const void *callback_data, void *arg)
{
	const hip_api_data_t *data;

	if (domain != ACTIVITY_DOMAIN_HIP_API)
		return;
	flockfile(stdout);
	data = example__call(domain, cid, callback_data);
	if (data->phase == ACTIVITY_API_PHASE_ENTER)
		print_arguments(cid, data);
	else if (cid == HIP_API_ID_hipMalloc)
		printf(" *ptr(%p)", *data->args.hipMalloc.ptr);
	printf("\n");
	funlockfile(stdout);
}

static void start_tracing(void)
{
	roctracer_properties_t properties{};

	if (control)
		return;
	printf("# START\n");
	properties.buffer_size = 0x1000;
	properties.buffer_callback_fun = example__records;
	ROCTRACER_CALL(roctracer_open_pool(&properties));
	ROCTRACER_CALL(roctracer_enable_callback(on_call, nullptr));
	ROCTRACER_CALL(roctracer_enable_activity());
}

static void stop_tracing(void)
{
	if (control)
		return;
	ROCTRACER_CALL(roctracer_disable_callback());
	ROCTRACER_CALL(roctracer_disable_activity());
	ROCTRACER_CALL(roctracer_close_pool());
	printf("# STOP\n");
}

/* ---- the program ---- */

static int count_errors(const float *transposed, const float *matrix)
{
	int errors = 0;

	for (int y = 0; y < WIDTH; y++)
		for (int x = 0; x < WIDTH; x++)
			errors += transposed[y * WIDTH + x] != matrix[x * WIDTH + y];
	return errors;
}

static void begin_region(void)
{
	static activity_correlation_id_t id = 1000;

	ROCTRACER_CALL(roctracer_activity_push_external_correlation_id(++id));
	roctracer_start();
}

static void end_region(void)
{
	roctracer_stop();
	ROCTRACER_CALL(roctracer_activity_pop_external_correlation_id(nullptr));
}

static int transpose(const float *matrix, float *transposed)
{
	dim3 grid(WIDTH / THREADS_PER_BLOCK, WIDTH / THREADS_PER_BLOCK);
	dim3 block(THREADS_PER_BLOCK, THREADS_PER_BLOCK);
	float *gpu_matrix, *gpu_transposed;

	CALL(hipMalloc, ((void **)&gpu_matrix, BYTES));
	CALL(hipMalloc, ((void **)&gpu_transposed, BYTES));
	CALL(hipMemcpy, (gpu_matrix, matrix, BYTES, hipMemcpyHostToDevice));
	COPIED(H2D, BYTES);
	if (control)
		begin_region();
	LAUNCH(matrixTranspose, grid, block, 0, 0, gpu_transposed, gpu_matrix, WIDTH);
	if (control)
		end_region();
	CALL(hipMemcpy, (transposed, gpu_transposed, BYTES, hipMemcpyDeviceToHost));
	COPIED(D2H, BYTES);
	CALL(hipFree, (gpu_matrix));
	CALL(hipFree, (gpu_transposed));
	return count__verifying() ? count_errors(transposed, matrix) : 0;
}

int main(int argc, char **argv)
{
	unsigned long iterations = argc > 1 ? workload__number(argv[1]) : 100;
	float *matrix = (float *)malloc(BYTES), *transposed = (float *)calloc(1, BYTES);
	int errors = 0;

	control = argc > 2 && !strcmp(argv[2], "control");
	CHECK(matrix && transposed, "no memory");
	for (int i = 0; i < ELEMENTS; i++)
		matrix[i] = i * 10.0f;
	for (unsigned long i = 0; i < iterations; i++) {
		start_tracing();
		errors += transpose(matrix, transposed);
		stop_tracing();
	}
	free(matrix);
	free(transposed);
	CHECK(!errors, "%d elements are wrong", errors);
	return count__pass();
}
