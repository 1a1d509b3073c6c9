// SPDX-License-Identifier: MIT
/*
 * A job that does what training does: each step copies a batch in, launches the kernels of its
 * layers, copies a result out and waits for it.
 *
 *   training KERNELS.hsaco STEPS
 *
 * Says "ready" when all is set up and has run, and waits for a line of input. Then it prints the
 * nanoseconds that a step took, by the clock on the wall.
 */
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LAYERS	 40
#define ELEMENTS 4096
#define BYTES	 (ELEMENTS * sizeof(uint32_t))
#define WARM_UP	 50

static hipFunction_t kernel;
static hipStream_t stream;
static uint32_t *host, *gpu;

static void must(hipError_t err, const char *what)
{
	if (err == hipSuccess)
		return;
	fprintf(stderr, "training: %s: %s\n", what, hipGetErrorString(err));
	exit(1);
}

#define MUST(call) must(call, #call)

static void step(void)
{
	uint32_t n = ELEMENTS, operand = 1;
	void *args[] = {&gpu, &n, &operand};

	MUST(hipMemcpyAsync(gpu, host, BYTES, hipMemcpyHostToDevice, stream));
	for (int i = 0; i < LAYERS; i++)
		MUST(hipModuleLaunchKernel(kernel, ELEMENTS / 64, 1, 1, 64, 1, 1, 0, stream, args,
					   NULL));
	MUST(hipMemcpyAsync(host, gpu, sizeof(*host), hipMemcpyDeviceToHost, stream));
	MUST(hipStreamSynchronize(stream));
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static double time_steps(long steps)
{
	double begin = now_ns();

	for (long i = 0; i < steps; i++)
		step();
	return (now_ns() - begin) / steps;
}

int main(int argc, char **argv)
{
	long steps = argc == 3 ? atol(argv[2]) : 0;
	hipModule_t module;

	if (steps < 1) {
		fprintf(stderr, "usage: training KERNELS.hsaco STEPS\n");
		return 2;
	}
	MUST(hipModuleLoad(&module, argv[1]));
	MUST(hipModuleGetFunction(&kernel, module, "elementAdd"));
	MUST(hipStreamCreate(&stream));
	MUST(hipHostMalloc((void **)&host, BYTES, 0));
	MUST(hipMalloc((void **)&gpu, BYTES));
	time_steps(WARM_UP);
	printf("ready\n");
	fflush(stdout);
	getchar();
	printf("%.0f\n", time_steps(steps));
	return 0;
}
