/* SPDX-License-Identifier: MIT */
/*
 * roctracer's example of single operations: a callback and records of hipModuleLaunchKernel, and
 * records of what the GPU dispatched for it, in a pool whose buffers hold less than it needs.
 *
 *   one_operation LAUNCHES    beside kernels.hsaco's folder
 *
 * Prints what example.h says, then the counts (see count.h) and the result.
 */
#include <hip/hip_runtime.h>

#include "tests/roctracer/example.h"
#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

static void on_call(uint32_t domain, uint32_t cid, const void *data, void *arg)
{
	flockfile(stdout);
	example__call(domain, cid, data);
	printf("\n");
	funlockfile(stdout);
}

static void launch(unsigned long launches)
{
	hipFunction_t function;
	hipModule_t module;
	uint32_t *gpu, n = 1, operand = 1;
	void *args[] = {&gpu, &n, &operand};

	CALL(hipModuleLoad, (&module, workload__beside("../workloads/kernels.hsaco")));
	CALL(hipModuleGetFunction, (&function, module, "elementAdd"));
	CALL(hipMalloc, ((void **)&gpu, sizeof(*gpu)));
	for (unsigned long i = 0; i < launches; i++) {
		CALL(hipModuleLaunchKernel, (function, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
		KERNEL(elementAdd, 1);
	}
	CALL(hipDeviceSynchronize, ());
	CALL(hipFree, (gpu));
	CALL(hipModuleUnload, (module));
}

int main(int argc, char **argv)
{
	roctracer_properties_t properties{};

	properties.buffer_size = 12;
	properties.buffer_callback_fun = example__records;
	ROCTRACER_CALL(roctracer_open_pool(&properties));
	ROCTRACER_CALL(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HIP_API, HIP_API_ID_hipModuleLaunchKernel,
						    on_call, nullptr));
	ROCTRACER_CALL(roctracer_enable_op_activity(ACTIVITY_DOMAIN_HIP_API, HIP_API_ID_hipModuleLaunchKernel));
	ROCTRACER_CALL(roctracer_enable_op_activity(ACTIVITY_DOMAIN_HIP_OPS, HIP_OP_ID_DISPATCH));

	launch(argc > 1 ? workload__number(argv[1]) : 1);

	ROCTRACER_CALL(roctracer_disable_callback());
	ROCTRACER_CALL(roctracer_disable_activity());
	ROCTRACER_CALL(roctracer_close_pool());
	return count__pass();
}
