/* SPDX-License-Identifier: MIT */
/*
 * The runtime's API tables: checks that they are the ones we know, saves them, puts our wrappers
 * in.
 *
 * A table states its size in version.minor_id. Since ROCm 6.0 entries are only added at the end
 * within one major version, across major versions they move: so another major version is refused,
 * and an entry is touched only where the table is long enough to have it. Before, entries of the
 * AMD extension were put between others without a new version: there only the very size will do.
 */
#include <stddef.h>
#include <string.h>

#include "hsa_agent/core/agent_internal.h"

struct originals hsa;

/* How long a table of that type is that has the function. */
#define LENGTH_WITH(type, fn) (offsetof(type, fn##_fn) + sizeof(((type *)NULL)->fn##_fn))

static bool check_major(const char *what, uint32_t runtime, uint32_t ours)
{
	if (runtime == ours)
		return true;
	agent__warn("%s API table has version %u, this agent is built for %u: not tracing", what,
		    runtime, ours);
	return false;
}

static bool check_size(const char *what, uint32_t runtime, size_t need)
{
	if (runtime >= need)
		return true;
	agent__warn("%s API table has %u bytes, %zu are needed: not tracing", what, runtime, need);
	return false;
}

static bool check_amd_size(uint32_t runtime)
{
	if (HSA_AMD_EXT_API_TABLE_MAJOR_VERSION > 1)
		return check_size("AMD extension", runtime,
				  LENGTH_WITH(AmdExtTable, hsa_amd_memory_async_copy_rect));
	if (runtime == sizeof(AmdExtTable))
		return true;
	agent__warn(
		"AMD extension API table has %u bytes, this agent is built for %zu: not tracing",
		runtime, sizeof(AmdExtTable));
	return false;
}

bool tables__copy(const HsaApiTable *table, struct originals *to)
{
	const CoreApiTable *core;
	const AmdExtTable *amd;

	if (!check_major("HSA", table->version.major_id, HSA_API_TABLE_MAJOR_VERSION) ||
	    !check_size("HSA", table->version.minor_id,
			offsetof(HsaApiTable, amd_ext_) + sizeof(table->amd_ext_)))
		return false;
	core = table->core_;
	amd = table->amd_ext_;
	if (!check_major("HSA core", core->version.major_id, HSA_CORE_API_TABLE_MAJOR_VERSION) ||
	    !check_major("AMD extension", amd->version.major_id,
			 HSA_AMD_EXT_API_TABLE_MAJOR_VERSION) ||
	    !check_size("HSA core", core->version.minor_id,
			LENGTH_WITH(CoreApiTable, hsa_executable_iterate_agent_symbols)) ||
	    !check_amd_size(amd->version.minor_id))
		return false;

	memset(to, 0, sizeof(*to));
	to->major = table->version.major_id;
	memcpy(&to->core, core,
	       core->version.minor_id < sizeof(*core) ? core->version.minor_id : sizeof(*core));
	memcpy(&to->amd, amd,
	       amd->version.minor_id < sizeof(*amd) ? amd->version.minor_id : sizeof(*amd));
	return true;
}

bool tables__save(const HsaApiTable *table)
{
	return tables__copy(table, &hsa);
}

#define WRAP_IF_THERE(fn, wrapper)                                         \
	do {                                                               \
		if (amd->version.minor_id >= LENGTH_WITH(AmdExtTable, fn)) \
			amd->fn##_fn = wrapper;                            \
	} while (0)

/* Entries that only some of the releases with known tables have. */
static void wrap_newer(AmdExtTable *amd)
{
#ifdef RT_HSA_HAS_hsa_amd_memory_async_copy_on_engine
	WRAP_IF_THERE(hsa_amd_memory_async_copy_on_engine, copies__async_copy_on_engine);
#endif
#ifdef RT_HSA_HAS_hsa_amd_vmem_handle_create
	WRAP_IF_THERE(hsa_amd_vmem_address_reserve, memory__vmem_address_reserve);
	WRAP_IF_THERE(hsa_amd_vmem_address_free, memory__vmem_address_free);
	WRAP_IF_THERE(hsa_amd_vmem_handle_create, memory__vmem_handle_create);
	WRAP_IF_THERE(hsa_amd_vmem_handle_release, memory__vmem_handle_release);
	WRAP_IF_THERE(hsa_amd_vmem_map, memory__vmem_map);
	WRAP_IF_THERE(hsa_amd_vmem_unmap, memory__vmem_unmap);
#endif
#ifdef RT_HSA_HAS_hsa_amd_vmem_address_reserve_align
	WRAP_IF_THERE(hsa_amd_vmem_address_reserve_align, memory__vmem_address_reserve_align);
#endif
}

void tables__wrap(HsaApiTable *table)
{
	CoreApiTable *core = table->core_;
	AmdExtTable *amd = table->amd_ext_;

	core->hsa_queue_create_fn = hook_hsa_queue_create;
	core->hsa_queue_destroy_fn = hook_hsa_queue_destroy;
	core->hsa_queue_add_write_index_scacq_screl_fn = hook_hsa_queue_add_write_index_scacq_screl;
	core->hsa_queue_add_write_index_scacquire_fn = hook_hsa_queue_add_write_index_scacquire;
	core->hsa_queue_add_write_index_relaxed_fn = hook_hsa_queue_add_write_index_relaxed;
	core->hsa_queue_add_write_index_screlease_fn = hook_hsa_queue_add_write_index_screlease;
	core->hsa_queue_cas_write_index_scacq_screl_fn = hook_hsa_queue_cas_write_index_scacq_screl;
	core->hsa_queue_cas_write_index_scacquire_fn = hook_hsa_queue_cas_write_index_scacquire;
	core->hsa_queue_cas_write_index_relaxed_fn = hook_hsa_queue_cas_write_index_relaxed;
	core->hsa_queue_cas_write_index_screlease_fn = hook_hsa_queue_cas_write_index_screlease;
	core->hsa_queue_store_write_index_relaxed_fn = hook_hsa_queue_store_write_index_relaxed;
	core->hsa_queue_store_write_index_screlease_fn = hook_hsa_queue_store_write_index_screlease;
	core->hsa_signal_store_relaxed_fn = hook_hsa_signal_store_relaxed;
	core->hsa_signal_store_screlease_fn = hook_hsa_signal_store_screlease;
	core->hsa_signal_destroy_fn = hook_hsa_signal_destroy;
	core->hsa_executable_freeze_fn = hook_hsa_executable_freeze;
	core->hsa_executable_destroy_fn = hook_hsa_executable_destroy;
	core->hsa_memory_allocate_fn = hook_hsa_memory_allocate;
	core->hsa_memory_free_fn = hook_hsa_memory_free;
	core->hsa_memory_copy_fn = hook_hsa_memory_copy;

	amd->hsa_amd_profiling_set_profiler_enabled_fn =
		hook_hsa_amd_profiling_set_profiler_enabled;
	amd->hsa_amd_profiling_async_copy_enable_fn = hook_hsa_amd_profiling_async_copy_enable;
	amd->hsa_amd_queue_intercept_create_fn = hook_hsa_amd_queue_intercept_create;
	amd->hsa_amd_profiling_get_async_copy_time_fn = hook_hsa_amd_profiling_get_async_copy_time;
	amd->hsa_amd_memory_async_copy_fn = hook_hsa_amd_memory_async_copy;
	amd->hsa_amd_memory_async_copy_rect_fn = hook_hsa_amd_memory_async_copy_rect;
	amd->hsa_amd_memory_fill_fn = hook_hsa_amd_memory_fill;
	amd->hsa_amd_memory_pool_allocate_fn = hook_hsa_amd_memory_pool_allocate;
	amd->hsa_amd_memory_pool_free_fn = hook_hsa_amd_memory_pool_free;
	wrap_newer(amd);
	scratch__wrap(table);
}
