/* SPDX-License-Identifier: MIT */
/*
 * The preparations of an HSA program: the agents, their memory pools, kernels from a code object.
 *
 * Every HSA call is counted (see count.h), those in callbacks too.
 */
#ifndef WORKLOADS_HSA_GPU_H
#define WORKLOADS_HSA_GPU_H

#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

struct gpu {
	hsa_agent_t cpu, agent;		       /* the first of each kind */
	hsa_amd_memory_pool_t system, kernarg; /* the CPU's */
	hsa_amd_memory_pool_t local;	       /* the GPU's */
	hsa_code_object_reader_t reader;
	hsa_executable_t executable;
	int code_file;
};

struct gpu_kernel {
	uint64_t object;
	uint32_t kernarg_size, group_size, private_size;
};

static hsa_status_t gpu__see_agent(hsa_agent_t agent, void *data)
{
	struct gpu *gpu = data;
	hsa_device_type_t type;

	CALL(hsa_agent_get_info, (agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type == HSA_DEVICE_TYPE_CPU && !gpu->cpu.handle)
		gpu->cpu = agent;
	if (type == HSA_DEVICE_TYPE_GPU && !gpu->agent.handle)
		gpu->agent = agent;
	return HSA_STATUS_SUCCESS;
}

/* The flags of a pool of global memory, 0 for any other. */
static uint32_t gpu__pool_flags(hsa_amd_memory_pool_t pool)
{
	hsa_amd_segment_t segment;
	uint32_t flags = 0;

	CALL(hsa_amd_memory_pool_get_info, (pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	if (segment == HSA_AMD_SEGMENT_GLOBAL)
		CALL(hsa_amd_memory_pool_get_info,
		     (pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
	return flags;
}

static hsa_status_t gpu__see_cpu_pool(hsa_amd_memory_pool_t pool, void *data)
{
	struct gpu *gpu = data;
	uint32_t flags = gpu__pool_flags(pool);

	if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
		gpu->kernarg = pool;
	else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED && !gpu->system.handle)
		gpu->system = pool;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t gpu__see_gpu_pool(hsa_amd_memory_pool_t pool, void *data)
{
	struct gpu *gpu = data;

	if (gpu__pool_flags(pool) && !gpu->local.handle)
		gpu->local = pool;
	return HSA_STATUS_SUCCESS;
}

static void gpu__load_by_reader(struct gpu *gpu)
{
	CALL(hsa_executable_create_alt,
	     (HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &gpu->executable));
	CALL(hsa_executable_load_agent_code_object,
	     (gpu->executable, gpu->agent, gpu->reader, NULL, NULL));
	CALL(hsa_executable_freeze, (gpu->executable, NULL));
}

static void gpu__load(struct gpu *gpu, const char *path)
{
	gpu->code_file = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(gpu->code_file >= 0, "%s: %s", path, strerror(errno));
	CALL(hsa_code_object_reader_create_from_file, (gpu->code_file, &gpu->reader));
	gpu__load_by_reader(gpu);
}

/* Starts HSA, finds the first GPU and loads the code object. */
static void gpu__open(struct gpu *gpu, const char *code_object)
{
	memset(gpu, 0, sizeof(*gpu));
	CALL(hsa_init, ());
	CALL(hsa_iterate_agents, (gpu__see_agent, gpu));
	CHECK(gpu->agent.handle, "there is no GPU");
	CALL(hsa_amd_agent_iterate_memory_pools, (gpu->cpu, gpu__see_cpu_pool, gpu));
	CALL(hsa_amd_agent_iterate_memory_pools, (gpu->agent, gpu__see_gpu_pool, gpu));
	CHECK(gpu->kernarg.handle && gpu->system.handle && gpu->local.handle,
	      "a memory pool is missing");
	gpu__load(gpu, code_object);
}

static void gpu__close(struct gpu *gpu)
{
	CALL(hsa_executable_destroy, (gpu->executable));
	CALL(hsa_code_object_reader_destroy, (gpu->reader));
	close(gpu->code_file);
	CALL(hsa_shut_down, ());
}

static inline struct gpu_kernel gpu__kernel(struct gpu *gpu, const char *name)
{
	hsa_executable_symbol_t symbol;
	struct gpu_kernel kernel;

	CALL(hsa_executable_get_symbol_by_name, (gpu->executable, name, &gpu->agent, &symbol));
	CALL(hsa_executable_symbol_get_info,
	     (symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object));
	CALL(hsa_executable_symbol_get_info,
	     (symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
	      &kernel.kernarg_size));
	CALL(hsa_executable_symbol_get_info,
	     (symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group_size));
	CALL(hsa_executable_symbol_get_info,
	     (symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
	      &kernel.private_size));
	return kernel;
}

/* Memory that the GPU can use too. */
static void *gpu__allocate(struct gpu *gpu, hsa_amd_memory_pool_t pool, size_t size)
{
	void *memory;

	CALL(hsa_amd_memory_pool_allocate, (pool, size, 0, &memory));
	if (pool.handle != gpu->local.handle)
		CALL(hsa_amd_agents_allow_access, (1, &gpu->agent, NULL, memory));
	return memory;
}

static void gpu__free(void *memory)
{
	CALL(hsa_amd_memory_pool_free, (memory));
}

#endif
