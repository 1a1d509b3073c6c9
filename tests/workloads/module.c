// SPDX-License-Identifier: MIT
/*
 * Kernels from a code object that is loaded at run time, as frameworks with their own compilers do.
 *
 * Each iteration loads kernels.hsaco from beside the program, looks up two kernels, launches them
 * with both ways of passing arguments, verifies, and unloads. Prints the counts (see count.h) and
 * the result.
 */
#include <getopt.h>
#include <hip/hip_runtime_api.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS 1000
#define OPERAND	 12345u

static const char usage[] = "module [-i ITERATIONS] [-k KERNELS.hsaco]\n";

static hipFunction_t find(hipModule_t module, const char *name)
{
	hipFunction_t function;

	CALL(hipModuleGetFunction, (&function, module, name));
	return function;
}

/* Arguments as a list of pointers. */
static void launch_add(hipFunction_t function, uint32_t *gpu)
{
	uint32_t n = ELEMENTS, operand = OPERAND;
	void *args[] = {&gpu, &n, &operand};

	CALL(hipModuleLaunchKernel,
	     (function, workload__blocks(n), 1, 1, WORKLOAD_BLOCK, 1, 1, 0, NULL, args, NULL));
	KERNEL(elementAdd, 1);
}

/* Arguments as a finished argument block. */
static void launch_xor(hipFunction_t function, uint32_t *gpu)
{
	struct {
		uint32_t *data;
		uint32_t n, operand;
	} block = {gpu, ELEMENTS, OPERAND};
	size_t size = sizeof(block);
	void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &block, HIP_LAUNCH_PARAM_BUFFER_SIZE,
			 &size, HIP_LAUNCH_PARAM_END};

	CALL(hipModuleLaunchKernel, (function, workload__blocks(ELEMENTS), 1, 1, WORKLOAD_BLOCK, 1,
				     1, 0, NULL, NULL, extra));
	KERNEL(elementXor, 1);
}

static void verify(const uint32_t *data)
{
	uint32_t i, expected;

	for (i = 0; count__verifying() && i < ELEMENTS; i++) {
		expected = elements__xor(elements__add(elements__initial(i), OPERAND), OPERAND);
		CHECK(data[i] == expected, "element %u is %#x instead of %#x", i, data[i],
		      expected);
	}
}

static void iterate(const char *path)
{
	uint32_t data[ELEMENTS], *gpu;
	hipModule_t module;

	workload__fill(data, ELEMENTS);
	CALL(hipModuleLoad, (&module, path));
	CALL(hipMalloc, ((void **)&gpu, sizeof(data)));
	CALL(hipMemcpy, (gpu, data, sizeof(data), hipMemcpyHostToDevice));
	COPIED(H2D, sizeof(data));
	launch_add(find(module, "elementAdd"), gpu);
	launch_xor(find(module, "elementXor"), gpu);
	CALL(hipMemcpy, (data, gpu, sizeof(data), hipMemcpyDeviceToHost));
	COPIED(D2H, sizeof(data));
	verify(data);
	CALL(hipFree, (gpu));
	CALL(hipModuleUnload, (module));
}

int main(int argc, char **argv)
{
	const char *path = workload__beside("kernels.hsaco");
	unsigned long i, iterations = 3;
	int option;

	while ((option = getopt(argc, argv, "i:k:h")) != -1) {
		if (option == 'i')
			iterations = workload__number(optarg);
		else if (option == 'k')
			path = optarg;
		else
			return workload__usage(option, usage);
	}
	CALL(hipInit, (0));
	for (i = 0; i < iterations; i++)
		iterate(path);
	return count__pass();
}
