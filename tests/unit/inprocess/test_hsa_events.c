// SPDX-License-Identifier: MIT
/*
 * Tests HSA_EVT with tables of our own: what is reported of each function, and when. Nothing is
 * reported of calls that failed or that nobody wants. Tables may be unknown or shorter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "roctracer/hsa_events.h"
#include "roctracer/roctracer_hsa.h"

#define GPU  ((hsa_agent_t){11})
#define CPU  ((hsa_agent_t){12})
#define CPU2 ((hsa_agent_t){13})
#define NODE 5
#define SIZE 4096

static CoreApiTable core;
static AmdExtTable amd;
static HsaApiTable root;

/* ---- the runtime ---- */

static hsa_status_t result; /* of the next call */
static char memory[SIZE];
static int freed, destroyed;

static hsa_status_t agent_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value)
{
	if (attribute == HSA_AGENT_INFO_DEVICE)
		*(hsa_device_type_t *)value =
			agent.handle == GPU.handle ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU;
	else
		*(uint32_t *)value = NODE;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t each_agent(hsa_status_t (*fn)(hsa_agent_t agent, void *data), void *data)
{
	const hsa_agent_t agents[] = {CPU, GPU, CPU2};

	for (int i = 0; i < 3; i++)
		assert_int_equal(fn(agents[i], data), HSA_STATUS_SUCCESS);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t no_extension(uint16_t extension, uint16_t major, size_t length, void *table)
{
	return HSA_STATUS_ERROR;
}

static hsa_status_t region_info(hsa_region_t region, hsa_region_info_t attribute, void *value)
{
	*(uint32_t *)value = attribute == HSA_REGION_INFO_SEGMENT ? HSA_REGION_SEGMENT_GLOBAL
								  : HSA_REGION_GLOBAL_FLAG_KERNARG;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t pool_info(hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t attribute,
			      void *value)
{
	*(uint32_t *)value = attribute == HSA_AMD_MEMORY_POOL_INFO_SEGMENT
				     ? HSA_AMD_SEGMENT_GROUP
				     : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
	return HSA_STATUS_SUCCESS;
}

/* One of the CPUs needs permission. */
static hsa_status_t access_info(hsa_agent_t agent, hsa_amd_memory_pool_t pool,
				hsa_amd_agent_memory_pool_info_t attribute, void *value)
{
	*(hsa_amd_memory_pool_access_t *)value =
		agent.handle == CPU.handle ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT
					   : HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t allocate(hsa_region_t region, size_t size, void **ptr)
{
	*ptr = memory;
	return result;
}

static hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
				  void **ptr)
{
	*ptr = memory;
	return result;
}

static hsa_status_t release(void *ptr)
{
	freed++;
	return result;
}

static hsa_status_t assign(void *ptr, hsa_agent_t agent, hsa_access_permission_t access)
{
	return result;
}

static hsa_status_t copy(void *dst, const void *src, size_t size)
{
	return result;
}

static hsa_status_t allow(uint32_t count, const hsa_agent_t *agents, const uint32_t *flags,
			  const void *ptr)
{
	return result;
}

static hsa_status_t freeze(hsa_executable_t executable, const char *options)
{
	return result;
}

static hsa_status_t destroy(hsa_executable_t executable)
{
	destroyed++;
	return result;
}

/* A variable, a kernel, and a kernel that is not reported. */
static hsa_status_t each_symbol(hsa_executable_t executable, hsa_agent_t agent,
				hsa_status_t (*fn)(hsa_executable_t executable, hsa_agent_t agent,
						   hsa_executable_symbol_t symbol, void *data),
				void *data)
{
	assert_int_equal(agent.handle, GPU.handle);
	for (uint64_t i = 0; i < 3; i++)
		fn(executable, agent, (hsa_executable_symbol_t){i}, data);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t symbol_info(hsa_executable_symbol_t symbol,
				hsa_executable_symbol_info_t attribute, void *value)
{
	switch (attribute) {
	case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
		*(hsa_symbol_kind_t *)value =
			symbol.handle ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE;
		return HSA_STATUS_SUCCESS;
	case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
		*(uint32_t *)value = 6;
		return symbol.handle == 1 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR;
	case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
		memcpy(value, "add.kd", 6);
		return HSA_STATUS_SUCCESS;
	default:
		*(uint64_t *)value = 0x1000;
		return HSA_STATUS_SUCCESS;
	}
}

/* ---- the tool ---- */

static struct {
	uint32_t event;
	hsa_evt_data_t data;
	char name[16];
} told[8];
static int n_told, freed_when_told, destroyed_when_told;

static void on_event(uint32_t domain, uint32_t event, const void *data, void *arg)
{
	assert_int_equal(domain, ACTIVITY_DOMAIN_HSA_EVT);
	assert_true(n_told < 8);
	told[n_told].event = event;
	told[n_told].data = *(const hsa_evt_data_t *)data;
	if (event == HSA_EVT_ID_KSYMBOL)
		strcpy(told[n_told].name, told[n_told].data.ksymbol.name);
	freed_when_told = freed;
	destroyed_when_told = destroyed;
	n_told++;
}

static void fill_tables(void)
{
	core = (CoreApiTable){
		.version = {HSA_CORE_API_TABLE_MAJOR_VERSION, sizeof(core), 0, 0},
		.hsa_agent_get_info_fn = agent_info,
		.hsa_iterate_agents_fn = each_agent,
		.hsa_system_get_major_extension_table_fn = no_extension,
		.hsa_region_get_info_fn = region_info,
		.hsa_memory_allocate_fn = allocate,
		.hsa_memory_free_fn = release,
		.hsa_memory_assign_agent_fn = assign,
		.hsa_memory_copy_fn = copy,
		.hsa_executable_freeze_fn = freeze,
		.hsa_executable_destroy_fn = destroy,
		.hsa_executable_iterate_agent_symbols_fn = each_symbol,
		.hsa_executable_symbol_get_info_fn = symbol_info,
	};
	amd = (AmdExtTable){
		.version = {HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof(amd), 0, 0},
		.hsa_amd_memory_pool_allocate_fn = pool_allocate,
		.hsa_amd_memory_pool_free_fn = release,
		.hsa_amd_memory_pool_get_info_fn = pool_info,
		.hsa_amd_agent_memory_pool_get_info_fn = access_info,
		.hsa_amd_agents_allow_access_fn = allow,
	};
	root = (HsaApiTable){
		.version = {HSA_API_TABLE_MAJOR_VERSION, sizeof(root), 0, 0},
		.core_ = &core,
		.amd_ext_ = &amd,
	};
}

static void set_all(activity_rtapi_callback_t callback)
{
	for (uint32_t event = 0; event < HSA_EVT_ID_NUMBER; event++)
		assert_true(table__set_callback(&hsa_events, event, callback, NULL));
}

static int begin(void **state)
{
	result = HSA_STATUS_SUCCESS;
	n_told = freed = destroyed = 0;
	fill_tables();
	hsa_events__wrap(&root);
	set_all(on_event);
	return 0;
}

static int end(void **state)
{
	set_all(NULL);
	table__wait_callbacks(&hsa_events, 0, HSA_EVT_ID_NUMBER);
	return 0;
}

/* ---- tests ---- */

static void is_device(int i, hsa_agent_t agent, hsa_device_type_t type, uint32_t id)
{
	assert_int_equal(told[i].event, HSA_EVT_ID_DEVICE);
	assert_int_equal(told[i].data.device.agent.handle, agent.handle);
	assert_int_equal(told[i].data.device.type, type);
	assert_int_equal(told[i].data.device.id, id);
	assert_ptr_equal(told[i].data.device.ptr, memory);
}

static void memory_of_a_region(void **state)
{
	void *ptr;

	assert_int_equal(core.hsa_memory_allocate_fn((hsa_region_t){1}, SIZE, &ptr), 0);
	assert_int_equal(n_told, 1);
	assert_int_equal(told[0].event, HSA_EVT_ID_ALLOCATE);
	assert_ptr_equal(told[0].data.allocate.ptr, memory);
	assert_int_equal(told[0].data.allocate.size, SIZE);
	assert_int_equal(told[0].data.allocate.segment, HSA_REGION_SEGMENT_GLOBAL);
	assert_int_equal(told[0].data.allocate.global_flag, HSA_REGION_GLOBAL_FLAG_KERNARG);
	assert_int_equal(core.hsa_memory_assign_agent_fn(memory, CPU2, HSA_ACCESS_PERMISSION_RW),
			 0);
	assert_int_equal(n_told, 2);
	is_device(1, CPU2, HSA_DEVICE_TYPE_CPU, 1);
	assert_int_equal(core.hsa_memory_free_fn(memory), 0);
	assert_int_equal(n_told, 3);
	assert_int_equal(told[2].event, HSA_EVT_ID_ALLOCATE);
	assert_ptr_equal(told[2].data.allocate.ptr, memory);
	assert_int_equal(told[2].data.allocate.size, 0);
	assert_int_equal(freed_when_told, 0);
	assert_int_equal(freed, 1);
}

static void memory_of_a_pool(void **state)
{
	const hsa_agent_t agents[] = {CPU, GPU};
	void *ptr;

	assert_int_equal(
		amd.hsa_amd_memory_pool_allocate_fn((hsa_amd_memory_pool_t){1}, SIZE, 0, &ptr), 0);
	assert_int_equal(n_told, 3);
	assert_int_equal(told[0].event, HSA_EVT_ID_ALLOCATE);
	assert_ptr_equal(told[0].data.allocate.ptr, memory);
	assert_int_equal(told[0].data.allocate.size, SIZE);
	assert_int_equal(told[0].data.allocate.segment, HSA_AMD_SEGMENT_GROUP);
	assert_int_equal(told[0].data.allocate.global_flag,
			 HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
	is_device(1, GPU, HSA_DEVICE_TYPE_GPU, NODE);
	is_device(2, CPU2, HSA_DEVICE_TYPE_CPU, 1);
	assert_int_equal(amd.hsa_amd_agents_allow_access_fn(2, agents, NULL, memory), 0);
	assert_int_equal(n_told, 5);
	is_device(3, CPU, HSA_DEVICE_TYPE_CPU, 0);
	is_device(4, GPU, HSA_DEVICE_TYPE_GPU, NODE);
	assert_int_equal(amd.hsa_amd_memory_pool_free_fn(memory), 0);
	assert_int_equal(n_told, 6);
	assert_int_equal(freed_when_told, 0);
	assert_int_equal(amd.hsa_amd_memory_pool_free_fn(NULL), 0);
	assert_int_equal(n_told, 6);
	assert_int_equal(freed, 2);
}

static void copies(void **state)
{
	char to[8];

	assert_int_equal(core.hsa_memory_copy_fn(to, memory, 8), 0);
	assert_int_equal(n_told, 1);
	assert_int_equal(told[0].event, HSA_EVT_ID_MEMCOPY);
	assert_ptr_equal(told[0].data.memcopy.dst, to);
	assert_ptr_equal(told[0].data.memcopy.src, memory);
	assert_int_equal(told[0].data.memcopy.size, 8);
}

static void is_kernel(int i, int unload)
{
	assert_int_equal(told[i].event, HSA_EVT_ID_KSYMBOL);
	assert_int_equal(told[i].data.ksymbol.object, 0x1000);
	assert_int_equal(told[i].data.ksymbol.name_length, 6);
	assert_string_equal(told[i].name, "add.kd");
	assert_int_equal(told[i].data.ksymbol.unload, unload);
}

static void kernels(void **state)
{
	assert_int_equal(core.hsa_executable_freeze_fn((hsa_executable_t){1}, NULL), 0);
	assert_int_equal(n_told, 1);
	is_kernel(0, 0);
	assert_int_equal(core.hsa_executable_destroy_fn((hsa_executable_t){1}), 0);
	assert_int_equal(n_told, 2);
	is_kernel(1, 1);
	assert_int_equal(destroyed_when_told, 0);
	assert_int_equal(destroyed, 1);
}

static void call_all(int status)
{
	void *ptr;

	assert_int_equal(core.hsa_memory_allocate_fn((hsa_region_t){1}, SIZE, &ptr), status);
	assert_int_equal(
		amd.hsa_amd_memory_pool_allocate_fn((hsa_amd_memory_pool_t){1}, SIZE, 0, &ptr),
		status);
	assert_int_equal(core.hsa_memory_assign_agent_fn(memory, CPU, HSA_ACCESS_PERMISSION_RW),
			 status);
	assert_int_equal(amd.hsa_amd_agents_allow_access_fn(0, NULL, NULL, memory), status);
	assert_int_equal(core.hsa_memory_copy_fn(memory, memory, 8), status);
	assert_int_equal(core.hsa_executable_freeze_fn((hsa_executable_t){1}, NULL), status);
}

static void what_fails_has_not_happened(void **state)
{
	result = HSA_STATUS_ERROR;
	call_all(HSA_STATUS_ERROR);
	assert_int_equal(n_told, 0);
}

static void what_nobody_wants(void **state)
{
	set_all(NULL);
	call_all(HSA_STATUS_SUCCESS);
	core.hsa_memory_free_fn(memory);
	core.hsa_executable_destroy_fn((hsa_executable_t){1});
	assert_int_equal(n_told, 0);
	assert_int_equal(freed, 1);
	assert_int_equal(destroyed, 1);
}

static void entries_that_are_missing(void **state)
{
	fill_tables();
	core.hsa_memory_copy_fn = NULL;
	hsa_events__wrap(&root);
	assert_null(core.hsa_memory_copy_fn);
	assert_ptr_not_equal(core.hsa_memory_allocate_fn, allocate);
	/* Shorter than any runtime's. */
	fill_tables();
	core.version.minor_id = offsetof(CoreApiTable, hsa_executable_iterate_agent_symbols_fn);
	hsa_events__wrap(&root);
	assert_ptr_equal(core.hsa_memory_allocate_fn, allocate);
}

static void tables_that_are_not_known(void **state)
{
	fill_tables();
	amd.version.major_id += 7;
	hsa_events__wrap(&root);
	assert_ptr_equal(core.hsa_memory_allocate_fn, allocate);
	fill_tables();
	root.version.minor_id = 8;
	hsa_events__wrap(&root);
	assert_ptr_equal(core.hsa_memory_allocate_fn, allocate);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_of_a_region),
		TEST(memory_of_a_pool),
		TEST(copies),
		TEST(kernels),
		TEST(what_fails_has_not_happened),
		TEST(what_nobody_wants),
		TEST(entries_that_are_missing),
		TEST(tables_that_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
