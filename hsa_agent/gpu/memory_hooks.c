// SPDX-License-Identifier: MIT
/*
 * Memory: records what is allocated and freed, of pools and regions and, where the runtime has it,
 * as virtual memory.
 *
 * A record is made when the runtime has answered, and only if it did what it was asked for. Nothing
 * is remembered of an allocation: the tracer knows which allocation each address belongs to. The
 * runtime's own allocations do not come this way, nor do ours.
 */
#include "hsa_agent/core/agent_internal.h"
#include "inprocess/pointer_map.h"
#include "inprocess/peek.h"

/*
 * Handles of pools to ids of devices. A region's handle is that of a pool; the regions of a GPU
 * include those of the host that it can reach, so the pools show which device has the memory.
 */
static struct map owners = MAP_INIT;

static hsa_status_t on_pool(hsa_amd_memory_pool_t pool, void *arg)
{
	if (pointer_map__put(&owners, pool.handle, *(const uint32_t *)arg))
		shared_memory__lose_meta(&agent.shm);
	return HSA_STATUS_SUCCESS;
}

static void add_device(hsa_agent_t device, uint32_t id, void *arg)
{
	hsa.amd.hsa_amd_agent_iterate_memory_pools_fn(device, on_pool, &id);
}

void memory__init(void)
{
	devices__each(add_device, NULL);
}

static void tell(enum rt_agent_what what, uint64_t begin, uint64_t owner, uint64_t address,
		 uint64_t bytes, uint64_t other)
{
	uint64_t pos;
	struct rt_agent_rec *rec = agent__claim(RT_AGENT_MEMORY, what, begin, &pos);

	if (!rec)
		return;
	rec->resource.agent = pointer_map__get(&owners, owner);
	rec->resource.address = address;
	rec->resource.bytes = bytes;
	rec->resource.other = other;
	shared_memory__publish(rec, pos);
}

/* What the runtime has written there; 0: another thread has taken the place away since. */
static uint64_t address_at(void **place)
{
	return (uint64_t)peek__pointer(place, NULL);
}

/* ---- pools and regions ---- */

hsa_status_t hook_hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size,
					       uint32_t flags, void **ptr)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.amd.hsa_amd_memory_pool_allocate_fn(pool, size, flags, ptr);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_ALLOC, begin, pool.handle, address_at(ptr), size, 0);
	return status;
}

hsa_status_t hook_hsa_amd_memory_pool_free(void *ptr)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.amd.hsa_amd_memory_pool_free_fn(ptr);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS && ptr)
		tell(RT_WHAT_FREE, begin, 0, (uint64_t)ptr, 0, 0);
	return status;
}

hsa_status_t hook_hsa_memory_allocate(hsa_region_t region, size_t size, void **ptr)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.core.hsa_memory_allocate_fn(region, size, ptr);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_ALLOC, begin, region.handle, address_at(ptr), size, 0);
	return status;
}

hsa_status_t hook_hsa_memory_free(void *ptr)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.core.hsa_memory_free_fn(ptr);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS && ptr)
		tell(RT_WHAT_FREE, begin, 0, (uint64_t)ptr, 0, 0);
	return status;
}

/* ---- virtual memory: ROCm 6 and later ---- */

#ifdef RT_HSA_HAS_hsa_amd_vmem_handle_create
hsa_status_t memory__vmem_address_reserve(void **va, size_t size, uint64_t address, uint64_t flags)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.amd.hsa_amd_vmem_address_reserve_fn(va, size, address, flags);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_VMEM_RESERVE, begin, 0, address_at(va), size, 0);
	return status;
}

hsa_status_t memory__vmem_address_free(void *va, size_t size)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.amd.hsa_amd_vmem_address_free_fn(va, size);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_VMEM_UNRESERVE, begin, 0, (uint64_t)va, size, 0);
	return status;
}

hsa_status_t memory__vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size,
					hsa_amd_memory_type_t type, uint64_t flags,
					hsa_amd_vmem_alloc_handle_t *handle)
{
	uint64_t begin = agent_begin();
	hsa_status_t status =
		hsa.amd.hsa_amd_vmem_handle_create_fn(pool, size, type, flags, handle);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_VMEM_CREATE, begin, pool.handle, address_at((void **)&handle->handle),
		     size, 0);
	return status;
}

hsa_status_t memory__vmem_handle_release(hsa_amd_vmem_alloc_handle_t handle)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.amd.hsa_amd_vmem_handle_release_fn(handle);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_VMEM_RELEASE, begin, 0, handle.handle, 0, 0);
	return status;
}

hsa_status_t memory__vmem_map(void *va, size_t size, size_t offset,
			      hsa_amd_vmem_alloc_handle_t handle, uint64_t flags)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.amd.hsa_amd_vmem_map_fn(va, size, offset, handle, flags);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_VMEM_MAP, begin, 0, (uint64_t)va, size, handle.handle);
	return status;
}

hsa_status_t memory__vmem_unmap(void *va, size_t size)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.amd.hsa_amd_vmem_unmap_fn(va, size);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_VMEM_UNMAP, begin, 0, (uint64_t)va, size, 0);
	return status;
}
#endif

#ifdef RT_HSA_HAS_hsa_amd_vmem_address_reserve_align
hsa_status_t memory__vmem_address_reserve_align(void **va, size_t size, uint64_t address,
						uint64_t alignment, uint64_t flags)
{
	uint64_t begin = agent_begin();
	hsa_status_t status =
		hsa.amd.hsa_amd_vmem_address_reserve_align_fn(va, size, address, alignment, flags);

	if (unlikely(begin) && status == HSA_STATUS_SUCCESS)
		tell(RT_WHAT_VMEM_RESERVE, begin, 0, address_at(va), size, 0);
	return status;
}
#endif
