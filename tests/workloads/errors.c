// SPDX-License-Identifier: MIT
/*
 * Calls that must fail, each with its code, so that a trace can be checked for return values.
 *
 * Prints `returns FUNCTION CODE` for each in the order of the calls, the counts (see count.h) and
 * the result. A tracer must change neither the codes nor what is possible afterwards.
 */
#include <getopt.h>
#include <hip/hip_runtime_api.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

static const char usage[] = "errors [-n ROUNDS]\n";

static void fail_devices(void)
{
	hipDeviceProp_t properties;
	int gpus;

	CALL(hipGetDeviceCount, (&gpus));
	EXPECT(hipErrorInvalidDevice, hipSetDevice, (gpus));
	EXPECT(hipErrorInvalidDevice, hipGetDeviceProperties, (&properties, 999));
	/* The last error is kept until somebody asks for it. */
	EXPECT(hipErrorInvalidDevice, hipPeekAtLastError, ());
	EXPECT(hipErrorInvalidDevice, hipGetLastError, ());
	CALL(hipGetLastError, ());
}

static void fail_memory(void)
{
	char host[16] = "";
	void *gpu, *huge;

	CALL(hipMalloc, (&gpu, sizeof(host)));
	EXPECT(hipErrorOutOfMemory, hipMalloc, (&huge, (size_t)1 << 60));
	EXPECT(hipErrorInvalidValue, hipMalloc, (NULL, 16));
	EXPECT(hipErrorInvalidValue, hipMemcpy, (NULL, host, sizeof(host), hipMemcpyHostToDevice));
	EXPECT(hipErrorInvalidValue, hipMemset, (NULL, 0, 16));
	EXPECT(hipErrorInvalidValue, hipFree, (host));
	CALL(hipMemcpy, (gpu, host, sizeof(host), hipMemcpyHostToDevice));
	COPIED(H2D, sizeof(host));
	CALL(hipFree, (gpu));
}

static void fail_modules(void)
{
	hipFunction_t function;
	hipError_t bad_image;
	hipModule_t module;
	int version;

	/* The only code here that is not the same in all versions of HIP. */
	CALL(hipRuntimeGetVersion, (&version));
	bad_image = version < 60000000 ? hipErrorInvalidKernelFile : hipErrorInvalidImage;
	EXPECT(hipErrorFileNotFound, hipModuleLoad, (&module, "/nonexistent/kernels.hsaco"));
	EXPECT(bad_image, hipModuleLoadData, (&module, "this is no code object"));
	CALL(hipModuleLoad, (&module, workload__beside("kernels.hsaco")));
	EXPECT(hipErrorNotFound, hipModuleGetFunction, (&function, module, "noSuchKernel"));
	CALL(hipModuleUnload, (module));
}

static void fail_events(void)
{
	hipEvent_t recorded, fresh;
	float ms;

	CALL(hipEventCreate, (&recorded));
	CALL(hipEventCreate, (&fresh));
	CALL(hipEventRecord, (recorded, NULL));
	CALL(hipEventSynchronize, (recorded));
	EXPECT(hipErrorInvalidHandle, hipEventElapsedTime, (&ms, recorded, fresh));
	EXPECT(hipErrorInvalidHandle, hipEventElapsedTime, (&ms, NULL, recorded));
	CALL(hipEventDestroy, (recorded));
	CALL(hipEventDestroy, (fresh));
}

int main(int argc, char **argv)
{
	unsigned long rounds = 1;
	int option;

	while ((option = getopt(argc, argv, "n:h")) != -1) {
		if (option != 'n')
			return workload__usage(option, usage);
		rounds = workload__number(optarg);
	}
	for (unsigned long i = 0; i < rounds; i++) {
		fail_devices();
		fail_memory();
		fail_modules();
		fail_events();
	}
	return count__pass();
}
