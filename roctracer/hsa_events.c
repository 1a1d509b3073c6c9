// SPDX-License-Identifier: MIT
/*
 * Reports memory that is allocated and freed, that devices may use, that is copied, and code and
 * kernels that are loaded and unloaded. An event is reported when the change has been made, or
 * before its subject is removed. What cannot be learned of an event is 0.
 */
#include "roctracer/hsa_events.h"

#include <stdlib.h>
#include <string.h>

#include <hsa/hsa_ven_amd_loader.h>

#include "inprocess/peek.h"
#include "inprocess/hsa_tables_known.h"
#include "roctracer/roctracer_hsa.h"

#define DEVICES 256

TABLE(hsa_events, ACTIVITY_DOMAIN_HSA_EVT, HSA_EVT_ID_NUMBER);

/* What the wrappers call: what was in the tables before. */
static struct {
	CoreApiTable core;
	AmdExtTable amd;
} original;

static hsa_ven_amd_loader_1_01_pfn_t loader;

static struct device {
	hsa_agent_t agent;
	hsa_device_type_t type;
	uint32_t id;
} devices[DEVICES];
static uint32_t n_devices;

static bool wanted(enum hsa_evt_id_t event)
{
	return __builtin_expect(table__has_callback(&hsa_events, event), 0);
}

static void tell(enum hsa_evt_id_t event, const hsa_evt_data_t *data)
{
	struct thread *t = thread__self();

	if (t)
		table__call(&hsa_events, t, event, data);
}

/* ---- devices ---- */

static hsa_status_t add_device(hsa_agent_t agent, void *arg)
{
	struct device *d = &devices[n_devices];
	uint32_t *others = arg;

	if (n_devices == DEVICES)
		return HSA_STATUS_INFO_BREAK;
	if (original.core.hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_DEVICE, &d->type))
		return HSA_STATUS_SUCCESS;
	d->agent = agent;
	if (d->type == HSA_DEVICE_TYPE_GPU)
		original.core.hsa_agent_get_info_fn(
			agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DRIVER_NODE_ID, &d->id);
	else
		d->id = others[d->type == HSA_DEVICE_TYPE_CPU]++;
	n_devices++;
	return HSA_STATUS_SUCCESS;
}

/* The device may use the memory from now on. */
static void tell_device(hsa_agent_t agent, const void *ptr)
{
	hsa_evt_data_t data = {.device = {.agent = agent, .ptr = ptr}};

	for (uint32_t i = 0; i < n_devices; i++)
		if (devices[i].agent.handle == agent.handle) {
			data.device.type = devices[i].type;
			data.device.id = devices[i].id;
		}
	tell(HSA_EVT_ID_DEVICE, &data);
}

/* ---- memory ---- */

static hsa_status_t wrap_hsa_memory_allocate(hsa_region_t region, size_t size, void **ptr)
{
	hsa_status_t status = original.core.hsa_memory_allocate_fn(region, size, ptr);
	hsa_evt_data_t data = {.allocate = {.size = size}};

	if (status != HSA_STATUS_SUCCESS || !wanted(HSA_EVT_ID_ALLOCATE))
		return status;
	data.allocate.ptr = peek__pointer(ptr, NULL);
	original.core.hsa_region_get_info_fn(region, HSA_REGION_INFO_SEGMENT,
					     &data.allocate.segment);
	original.core.hsa_region_get_info_fn(region, HSA_REGION_INFO_GLOBAL_FLAGS,
					     &data.allocate.global_flag);
	tell(HSA_EVT_ID_ALLOCATE, &data);
	return status;
}

static void tell_allocated(hsa_amd_memory_pool_t pool, size_t size, const void *ptr)
{
	hsa_evt_data_t data = {.allocate = {.ptr = ptr, .size = size}};

	original.amd.hsa_amd_memory_pool_get_info_fn(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
						     &data.allocate.segment);
	original.amd.hsa_amd_memory_pool_get_info_fn(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS,
						     &data.allocate.global_flag);
	tell(HSA_EVT_ID_ALLOCATE, &data);
}

/* Those that need no more permission than the pool's. */
static void tell_devices(hsa_amd_memory_pool_t pool, const void *ptr)
{
	for (uint32_t i = 0; i < n_devices; i++) {
		hsa_amd_memory_pool_access_t access;

		if (!original.amd.hsa_amd_agent_memory_pool_get_info_fn(
			    devices[i].agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
			    &access) &&
		    access == HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT)
			tell_device(devices[i].agent, ptr);
	}
}

static hsa_status_t wrap_hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size,
						      uint32_t flags, void **ptr)
{
	hsa_status_t status = original.amd.hsa_amd_memory_pool_allocate_fn(pool, size, flags, ptr);

	if (status != HSA_STATUS_SUCCESS)
		return status;
	if (wanted(HSA_EVT_ID_ALLOCATE))
		tell_allocated(pool, size, peek__pointer(ptr, NULL));
	if (wanted(HSA_EVT_ID_DEVICE))
		tell_devices(pool, peek__pointer(ptr, NULL));
	return status;
}

static void tell_freed(const void *ptr)
{
	const hsa_evt_data_t data = {.allocate = {.ptr = ptr}};

	if (ptr && wanted(HSA_EVT_ID_ALLOCATE))
		tell(HSA_EVT_ID_ALLOCATE, &data);
}

static hsa_status_t wrap_hsa_memory_free(void *ptr)
{
	tell_freed(ptr);
	return original.core.hsa_memory_free_fn(ptr);
}

static hsa_status_t wrap_hsa_amd_memory_pool_free(void *ptr)
{
	tell_freed(ptr);
	return original.amd.hsa_amd_memory_pool_free_fn(ptr);
}

static hsa_status_t wrap_hsa_memory_assign_agent(void *ptr, hsa_agent_t agent,
						 hsa_access_permission_t access)
{
	hsa_status_t status = original.core.hsa_memory_assign_agent_fn(ptr, agent, access);

	if (status == HSA_STATUS_SUCCESS && wanted(HSA_EVT_ID_DEVICE))
		tell_device(agent, ptr);
	return status;
}

static hsa_status_t wrap_hsa_amd_agents_allow_access(uint32_t count, const hsa_agent_t *agents,
						     const uint32_t *flags, const void *ptr)
{
	hsa_status_t status =
		original.amd.hsa_amd_agents_allow_access_fn(count, agents, flags, ptr);
	hsa_agent_t agent;

	if (status == HSA_STATUS_SUCCESS && wanted(HSA_EVT_ID_DEVICE))
		for (uint32_t i = 0; i < count && peek__all(&agent, &agents[i], sizeof(agent)); i++)
			tell_device(agent, ptr);
	return status;
}

static hsa_status_t wrap_hsa_memory_copy(void *dst, const void *src, size_t size)
{
	const hsa_evt_data_t data = {.memcopy = {.dst = dst, .src = src, .size = size}};
	hsa_status_t status = original.core.hsa_memory_copy_fn(dst, src, size);

	if (status == HSA_STATUS_SUCCESS && wanted(HSA_EVT_ID_MEMCOPY))
		tell(HSA_EVT_ID_MEMCOPY, &data);
	return status;
}

/* ---- code ---- */

#define CODE_INFO(what, value)                                 \
	loader.hsa_ven_amd_loader_loaded_code_object_get_info( \
		object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_##what, value)

/* Where the code has come from. False: from nowhere, it is the runtime's own. */
static bool fill_storage(hsa_loaded_code_object_t object, hsa_evt_data_t *data)
{
	data->codeobj.storage_file = -1;
	if (CODE_INFO(CODE_OBJECT_STORAGE_TYPE, &data->codeobj.storage_type))
		return false;
	switch (data->codeobj.storage_type) {
	case HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE:
		CODE_INFO(CODE_OBJECT_STORAGE_FILE, &data->codeobj.storage_file);
		return true;
	case HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY:
		CODE_INFO(CODE_OBJECT_STORAGE_MEMORY_BASE, &data->codeobj.memory_base);
		CODE_INFO(CODE_OBJECT_STORAGE_MEMORY_SIZE, &data->codeobj.memory_size);
		return true;
	}
	return false;
}

static hsa_status_t tell_code(hsa_executable_t executable, hsa_loaded_code_object_t object,
			      void *unload)
{
	hsa_evt_data_t data = {.codeobj = {.unload = *(int *)unload}};
	char *uri;

	if (!fill_storage(object, &data))
		return HSA_STATUS_SUCCESS;
	CODE_INFO(LOAD_BASE, &data.codeobj.load_base);
	CODE_INFO(LOAD_SIZE, &data.codeobj.load_size);
	CODE_INFO(LOAD_DELTA, &data.codeobj.load_delta);
	CODE_INFO(URI_LENGTH, &data.codeobj.uri_length);
	uri = calloc(1, (size_t)data.codeobj.uri_length + 1);
	if (!uri)
		return HSA_STATUS_SUCCESS;
	CODE_INFO(URI, uri);
	data.codeobj.uri = uri;
	tell(HSA_EVT_ID_CODEOBJ, &data);
	free(uri);
	return HSA_STATUS_SUCCESS;
}

#define SYMBOL_INFO(what, value)                                                                   \
	original.core.hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_##what, \
							value)

static hsa_status_t tell_kernel(hsa_executable_t executable, hsa_agent_t agent,
				hsa_executable_symbol_t symbol, void *unload)
{
	hsa_evt_data_t data = {.ksymbol = {.unload = *(int *)unload}};
	hsa_symbol_kind_t kind;
	char *name;

	if (SYMBOL_INFO(TYPE, &kind) || kind != HSA_SYMBOL_KIND_KERNEL ||
	    SYMBOL_INFO(NAME_LENGTH, &data.ksymbol.name_length))
		return HSA_STATUS_SUCCESS;
	name = calloc(1, (size_t)data.ksymbol.name_length + 1);
	if (!name)
		return HSA_STATUS_SUCCESS;
	SYMBOL_INFO(NAME, name);
	SYMBOL_INFO(KERNEL_OBJECT, &data.ksymbol.object);
	data.ksymbol.name = name;
	tell(HSA_EVT_ID_KSYMBOL, &data);
	free(name);
	return HSA_STATUS_SUCCESS;
}

static void tell_executable(hsa_executable_t executable, int unload)
{
	if (wanted(HSA_EVT_ID_CODEOBJ) &&
	    loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects)
		loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
			executable, tell_code, &unload);
	for (uint32_t i = 0; wanted(HSA_EVT_ID_KSYMBOL) && i < n_devices; i++)
		if (devices[i].type == HSA_DEVICE_TYPE_GPU)
			original.core.hsa_executable_iterate_agent_symbols_fn(
				executable, devices[i].agent, tell_kernel, &unload);
}

static hsa_status_t wrap_hsa_executable_freeze(hsa_executable_t executable, const char *options)
{
	hsa_status_t status = original.core.hsa_executable_freeze_fn(executable, options);

	if (status == HSA_STATUS_SUCCESS)
		tell_executable(executable, 0);
	return status;
}

static hsa_status_t wrap_hsa_executable_destroy(hsa_executable_t executable)
{
	tell_executable(executable, 1);
	return original.core.hsa_executable_destroy_fn(executable);
}

/* ---- */

#define WRAP(fn)                                    \
	do {                                        \
		if (TABLE_HAS(table, fn))           \
			table->fn##_fn = wrap_##fn; \
	} while (0)

static void wrap_core(CoreApiTable *table)
{
	WRAP(hsa_memory_allocate);
	WRAP(hsa_memory_free);
	WRAP(hsa_memory_assign_agent);
	WRAP(hsa_memory_copy);
	WRAP(hsa_executable_freeze);
	WRAP(hsa_executable_destroy);
}

static void wrap_amd(AmdExtTable *table)
{
	WRAP(hsa_amd_memory_pool_allocate);
	WRAP(hsa_amd_memory_pool_free);
	WRAP(hsa_amd_agents_allow_access);
}

/* What the table has beyond what we know is not ours to copy, and what it lacks stays NULL. */
static void save(void *to, size_t size, const void *from, size_t length)
{
	memcpy(to, from, length < size ? length : size);
}

/* What events are put together from, the last that came to the tables. */
static bool has_what_is_needed(const HsaApiTable *root)
{
	return hsa_table_known_root(root) && hsa_table_known_core(root->core_) &&
	       hsa_table_known_amd(root->amd_ext_) &&
	       TABLE_HAS(root->core_, hsa_executable_iterate_agent_symbols) &&
	       TABLE_HAS(root->core_, hsa_system_get_major_extension_table);
}

void hsa_events__wrap(HsaApiTable *root)
{
	uint32_t others[2] = {0};

	if (!has_what_is_needed(root))
		return;
	memset(&original, 0, sizeof(original));
	save(&original.core, sizeof(original.core), root->core_, root->core_->version.minor_id);
	save(&original.amd, sizeof(original.amd), root->amd_ext_, root->amd_ext_->version.minor_id);
	n_devices = 0;
	original.core.hsa_iterate_agents_fn(add_device, others);
	if (original.core.hsa_system_get_major_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1,
								  sizeof(loader), &loader))
		memset(&loader, 0, sizeof(loader));
	wrap_core(root->core_);
	wrap_amd(root->amd_ext_);
}
