// SPDX-License-Identifier: MIT
/*
 * Agents of librocprofiler-sdk, on the simulated GPU (in LD_PRELOAD, SIMKFD_GPUS of them): what
 * their properties are, and what the environment lets the runtimes see.
 */
#include <string.h>

#include "tests/rocprofiler/sdktest.h"

#define MAX 16

static const rocprofiler_agent_t *agents[MAX];
static size_t count;

static rocprofiler_status_t keep(rocprofiler_agent_version_t version, const void **list, size_t n,
				 void *data)
{
	CHECK_EQUAL(version, ROCPROFILER_AGENT_INFO_VERSION_0);
	CHECK(n <= MAX);
	for (count = 0; count < n; count++)
		agents[count] = list[count];
	return ROCPROFILER_STATUS_SUCCESS;
}

static void get_agents(void)
{
	CHECK_OK(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, keep,
						    sizeof(rocprofiler_agent_t), NULL));
	CHECK_EQUAL(count, 3);
}

static void all_are_numbered(void)
{
	const rocprofiler_agent_t *before;

	get_agents();
	for (size_t i = 0; i < count; i++) {
		CHECK_EQUAL(agents[i]->size, sizeof(*agents[i]));
		CHECK(agents[i]->id.handle);
		CHECK_EQUAL(agents[i]->node_id, i);
		CHECK_EQUAL(agents[i]->logical_node_id, i);
		CHECK_EQUAL(agents[i]->logical_node_type_id, i ? i - 1 : 0);
		CHECK_EQUAL(agents[i]->type,
			    i ? ROCPROFILER_AGENT_TYPE_GPU : ROCPROFILER_AGENT_TYPE_CPU);
	}
	CHECK(agents[1]->id.handle != agents[2]->id.handle);
	before = agents[1];
	get_agents();
	CHECK(agents[1] == before);
}

static void a_cpu_has_cores_and_memory(void)
{
	const rocprofiler_agent_t *cpu;

	get_agents();
	cpu = agents[0];
	CHECK_EQUAL(cpu->cpu_cores_count, sysconf(_SC_NPROCESSORS_ONLN));
	CHECK_EQUAL(cpu->cu_count, cpu->cpu_cores_count);
	CHECK_EQUAL(cpu->simd_count, 0);
	CHECK(!strcmp(cpu->vendor_name, "CPU"));
	CHECK(cpu->name && cpu->product_name && cpu->model_name);
	CHECK_EQUAL(cpu->mem_banks_count, 1);
	CHECK_EQUAL(cpu->mem_banks[0].heap_type, HSA_HEAPTYPE_SYSTEM);
	CHECK(cpu->mem_banks[0].size_in_bytes);
	CHECK(cpu->runtime_visibility.hsa && cpu->runtime_visibility.hip);
}

static void a_gpu_has_what_the_driver_says(void)
{
	const rocprofiler_agent_t *gpu;

	get_agents();
	gpu = agents[2];
	CHECK(!strncmp(gpu->name, "gfx", 3));
	CHECK(!strcmp(gpu->vendor_name, "AMD"));
	CHECK(gpu->product_name[0] && gpu->family_id);
	CHECK(gpu->gpu_id);
	CHECK(gpu->gpu_id != agents[1]->gpu_id);
	CHECK_EQUAL(gpu->cu_count * gpu->simd_per_cu, gpu->simd_count);
	CHECK_EQUAL(gpu->wave_front_size, 64);
	CHECK_EQUAL(gpu->max_waves_per_cu, gpu->simd_per_cu * gpu->max_waves_per_simd);
	CHECK_EQUAL(gpu->num_xcc, 1);
	CHECK_EQUAL(gpu->vendor_id, 4098);
	CHECK_EQUAL(gpu->workgroup_max_size, 1024);
	CHECK_EQUAL(gpu->caches_count, 2);
	CHECK_EQUAL(gpu->caches[1].level, 2);
	CHECK_EQUAL(gpu->io_links_count, 1);
	CHECK_EQUAL(gpu->io_links[0].node_from, 2);
	CHECK_EQUAL(gpu->io_links[0].node_to, 0);
	CHECK_EQUAL(gpu->io_links[0].type, HSA_IOLINKTYPE_PCIEXPRESS);
	CHECK(gpu->mem_banks_count == 1 && gpu->mem_banks[0].size_in_bytes);
}

static void check_visible(int hsa1, int hip1, int hsa2, int hip2)
{
	get_agents();
	CHECK_EQUAL(agents[1]->runtime_visibility.hsa, hsa1);
	CHECK_EQUAL(agents[1]->runtime_visibility.hip, hip1);
	CHECK_EQUAL(agents[2]->runtime_visibility.hsa, hsa2);
	CHECK_EQUAL(agents[2]->runtime_visibility.hip, hip2);
}

static void all_are_visible(void)
{
	check_visible(1, 1, 1, 1);
}

static void hip_may_see_less(void)
{
	setenv("HIP_VISIBLE_DEVICES", "1", 1);
	check_visible(1, 0, 1, 1);
}

static void hsa_may_see_less(void)
{
	setenv("ROCR_VISIBLE_DEVICES", "1", 1);
	check_visible(0, 0, 1, 1);
}

/* HIP's 0 is what HSA sees first. */
static void hip_counts_what_hsa_sees(void)
{
	setenv("ROCR_VISIBLE_DEVICES", "1, 0", 1);
	setenv("CUDA_VISIBLE_DEVICES", "0", 1);
	check_visible(1, 0, 1, 1);
}

#define TESTS(test)                                                                               \
	test(all_are_numbered) test(a_cpu_has_cores_and_memory)                                   \
		test(a_gpu_has_what_the_driver_says) test(all_are_visible) test(hip_may_see_less) \
			test(hsa_may_see_less) test(hip_counts_what_hsa_sees)

TESTS(IN_CHILD)

#define LISTED(name) CHILD_TEST(name),

int main(void)
{
	const struct CMUnitTest tests[] = {TESTS(LISTED)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
