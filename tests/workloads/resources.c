// SPDX-License-Identifier: MIT
/*
 * A HIP program that allocates, loads code, and launches kernels that use shared and private
 * memory.
 *
 * Says on stdout what it does, then the counts (see count.h):
 *
 *   did alloc BYTES, did free BYTES
 *   did load-code, did unload-code
 *
 * With -k N it makes N more allocations that it does not free: did keep ADDRESS BYTES
 */
#include <getopt.h>
#include <hip/hip_runtime_api.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define DATA_BYTES (64 * 1024)

static const char usage[] = "resources [-k ALLOCATIONS] [RESOURCES.hsaco]\n";

static void *allocate(size_t size)
{
	void *memory;

	CALL(hipMalloc, (&memory, size));
	printf("did alloc %zu\n", size);
	return memory;
}

static void release(void *memory, size_t size)
{
	CALL(hipFree, (memory));
	printf("did free %zu\n", size);
}

static void keep(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		size_t size = 3000 + i * 100;
		void *memory;

		CALL(hipMalloc, (&memory, size));
		printf("did keep %p %zu\n", memory, size);
	}
}

static void launch(hipModule_t module, const char *name, void *data)
{
	uint32_t rounds = 3;
	void *args[] = {&data, &rounds};
	hipFunction_t function;

	CALL(hipModuleGetFunction, (&function, module, name));
	CALL(hipModuleLaunchKernel, (function, 1, 1, 1, WORKLOAD_BLOCK, 1, 1, 0, NULL, args, NULL));
}

int main(int argc, char **argv)
{
	const char *path = workload__beside("resources.hsaco");
	hipModule_t module;
	void *data, *more[4];
	unsigned long kept = 0;
	int option;

	while ((option = getopt(argc, argv, "k:h")) != -1) {
		if (option == 'k')
			kept = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	if (optind < argc)
		path = argv[optind];
	CALL(hipInit, (0));
	data = allocate(DATA_BYTES);
	CALL(hipModuleLoad, (&module, path));
	printf("did load-code\n");
	launch(module, "sharedReverse", data);
	launch(module, "privateLookup", data);
	launch(module, "manyRegisters", data);
	KERNEL(sharedReverse, 1);
	KERNEL(privateLookup, 1);
	KERNEL(manyRegisters, 1);
	CALL(hipDeviceSynchronize, ());
	for (int i = 0; i < 4; i++)
		more[i] = allocate(1000000 + i * 1000);
	for (int i = 3; i >= 0; i--)
		release(more[i], 1000000 + i * 1000);
	CALL(hipModuleUnload, (module));
	printf("did unload-code\n");
	keep(kept);
	release(data, DATA_BYTES);
	return count__pass();
}
