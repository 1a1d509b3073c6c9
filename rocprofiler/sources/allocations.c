// SPDX-License-Identifier: MIT
/*
 * An allocation belongs to the call that the thread is in, which is HSA's where that is traced; it
 * has an id of its own where none is.
 */
#include "rocprofiler/sources/allocations.h"

#include <pthread.h>

#include "inprocess/pointer_map.h"
#include "inprocess/peek.h"
#include "inprocess/kernel_clock.h"
#include "rocprofiler/sources/hsa_functions.h"
#include "rocprofiler/service/operation.h"
#include "rocprofiler/support/say.h"

#define KIND	      ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION
#define BUFFERS	      ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION
#define ALLOCATE      ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE
#define VMEM_ALLOCATE ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE
#define FREE	      ROCPROFILER_MEMORY_ALLOCATION_FREE
#define VMEM_FREE     ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE

typedef rocprofiler_callback_tracing_memory_allocation_data_t allocation_data;

/*
 * Handles of pools to ids of agents. A region's handle is that of a pool. The regions of a GPU
 * include those of the host that it can reach, so the agent is found by the pool.
 */
static struct map owners = MAP_INIT;

static void forked(void)
{
	pthread_mutex_init(&owners.lock, NULL);
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

/* ---- agents of pools ---- */

static hsa_status_t add_pool(hsa_amd_memory_pool_t pool, void *arg)
{
	const rocprofiler_agent_t *agent = arg;

	if (pointer_map__put(&owners, pool.handle, agent->id.handle))
		say("no memory: allocations are told without their agent");
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t add_agent(hsa_agent_t hsa_agent, void *arg)
{
	const rocprofiler_agent_t *agent = hsa_functions__agent(hsa_agent);

	if (agent)
		hsa_functions.amd.hsa_amd_agent_iterate_memory_pools_fn(hsa_agent, add_pool,
									(void *)agent);
	return HSA_STATUS_SUCCESS;
}

/* ---- operations ---- */

static bool begin(struct operation *o, uint32_t number, allocation_data *d, uint64_t owner,
		  uint64_t bytes, uint64_t address)
{
	*d = (allocation_data){
		.size = sizeof(*d),
		.agent_id = {owner ? pointer_map__get(&owners, owner) : 0},
		.allocation_size = bytes,
		.address = {.handle = address},
	};
	if (!operation__begin(o, KIND, BUFFERS, number, operation__current(), d))
		return false;
	d->start_timestamp = kernel_clock__boot_ns();
	return true;
}

static void end(struct operation *o, allocation_data *d)
{
	rocprofiler_buffer_tracing_memory_allocation_record_t record = {
		.correlation_id = {.ancestor = o->ancestor},
		.thread_id = o->thread_id,
		.start_timestamp = d->start_timestamp,
		.end_timestamp = kernel_clock__boot_ns(),
		.agent_id = d->agent_id,
		.address = d->address,
		.allocation_size = d->allocation_size,
	};

	d->end_timestamp = record.end_timestamp;
	operation__end(o, d, &record, sizeof(record));
}

static uint64_t address_at(const void *place)
{
	return (uint64_t)peek__pointer(place, NULL);
}

/* ---- the functions in the table ---- */

/*
 * `owner` is the handle of the memory's pool or region. `result` is where the function stores the
 * address or the handle. Another thread may have unmapped that place.
 */
#define ALLOCATES(fn, table, number, owner, result, parameters, ...)     \
	static hsa_status_t wrap_##fn parameters                         \
	{                                                                \
		struct operation o OPERATION_GUARDED;                    \
		allocation_data d;                                       \
		hsa_status_t status;                                     \
                                                                         \
		if (!begin(&o, number, &d, owner, size, 0))              \
			return hsa_functions.table.fn##_fn(__VA_ARGS__); \
		status = hsa_functions.table.fn##_fn(__VA_ARGS__);       \
		if (status == HSA_STATUS_SUCCESS)                        \
			d.address.handle = address_at(result);           \
		end(&o, &d);                                             \
		return status;                                           \
	}

#define FREES(fn, table, number, address, parameter, argument)         \
	static hsa_status_t wrap_##fn(parameter)                       \
	{                                                              \
		struct operation o OPERATION_GUARDED;                  \
		allocation_data d;                                     \
		hsa_status_t status;                                   \
                                                                       \
		if (!begin(&o, number, &d, 0, 0, (uint64_t)(address))) \
			return hsa_functions.table.fn##_fn(argument);  \
		status = hsa_functions.table.fn##_fn(argument);        \
		end(&o, &d);                                           \
		return status;                                         \
	}

ALLOCATES(hsa_memory_allocate, core, ALLOCATE, region.handle, ptr,
	  (hsa_region_t region, size_t size, void **ptr), region, size, ptr)
FREES(hsa_memory_free, core, FREE, ptr, void *ptr, ptr)

ALLOCATES(hsa_amd_memory_pool_allocate, amd, ALLOCATE, pool.handle, ptr,
	  (hsa_amd_memory_pool_t pool, size_t size, uint32_t flags, void **ptr), pool, size, flags,
	  ptr)
FREES(hsa_amd_memory_pool_free, amd, FREE, ptr, void *ptr, ptr)

#ifdef RT_HSA_HAS_hsa_amd_vmem_handle_create
ALLOCATES(hsa_amd_vmem_handle_create, amd, VMEM_ALLOCATE, pool.handle, &memory->handle,
	  (hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type, uint64_t flags,
	   hsa_amd_vmem_alloc_handle_t *memory),
	  pool, size, type, flags, memory)
FREES(hsa_amd_vmem_handle_release, amd, VMEM_FREE, memory.handle,
      hsa_amd_vmem_alloc_handle_t memory, memory)
#endif

#define WRAP(fn)                                    \
	do {                                        \
		if (TABLE_HAS(table, fn))           \
			table->fn##_fn = wrap_##fn; \
	} while (0)

static void wrap_core(CoreApiTable *table)
{
	WRAP(hsa_memory_allocate);
	WRAP(hsa_memory_free);
}

static void wrap_amd(AmdExtTable *table)
{
	WRAP(hsa_amd_memory_pool_allocate);
	WRAP(hsa_amd_memory_pool_free);
#ifdef RT_HSA_HAS_hsa_amd_vmem_handle_create
	WRAP(hsa_amd_vmem_handle_create);
	WRAP(hsa_amd_vmem_handle_release);
#endif
}

void allocations__wrap(HsaApiTable *table)
{
	hsa_functions.core.hsa_iterate_agents_fn(add_agent, NULL);
	wrap_core(table->core_);
	wrap_amd(table->amd_ext_);
}
