/* SPDX-License-Identifier: MIT */
/*
 * Kernels: follows the loading of code, so that a dispatch packet's kernel object has a name.
 *
 * When an executable is frozen its kernels have their final addresses; each gets an id and a meta
 * record. The addresses are forgotten before the executable is destroyed, as the next one may be
 * loaded to the same place. This goes on while dormant: a tracer that comes later needs the names.
 */
#include <stdlib.h>
#include <string.h>

#include "hsa_agent/gpu/code_objects.h"
#include "hsa_agent/core/agent_internal.h"
#include "inprocess/pointer_map.h"
#include "hsa_agent/ring/meta_name.h"

static struct map kernels = MAP_INIT; /* to their records in the meta log */
static uint32_t last_id;

static const struct rt_meta_kernel *find_kernel(uint64_t kernel_object)
{
	return (const struct rt_meta_kernel *)pointer_map__get(&kernels, kernel_object);
}

uint32_t kernel__id(uint64_t kernel_object)
{
	const struct rt_meta_kernel *rec = find_kernel(kernel_object);

	return rec ? rec->id : 0;
}

const char *kernel__name(uint64_t kernel_object)
{
	const struct rt_meta_kernel *rec = find_kernel(kernel_object);

	return rec ? rec->name : NULL;
}

/* The kernel object of a symbol, 0 when it is not a kernel. */
static uint64_t kernel_object(hsa_executable_symbol_t symbol)
{
	hsa_symbol_kind_t kind;
	uint64_t object = 0;

	if (hsa.core.hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE,
						       &kind) ||
	    kind != HSA_SYMBOL_KIND_KERNEL)
		return 0;
	hsa.core.hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
						   &object);
	return object;
}

/* Fills in the name, "NAME.kd" in newer code objects, and with it the record's size. */
static void put_name(struct rt_meta_kernel *rec, const char *name, size_t len)
{
	if (len > 3 && !memcmp(name + len - 3, ".kd", 3))
		len -= 3;
	len = rt_meta_put_name(rec->name, name, len);
	memset(rec->name + len, 0, 8);
	rec->name_len = len;
	rec->h.size = (sizeof(*rec) + len + 8) & ~7u;
}

static void put_registers(struct rt_meta_kernel *rec)
{
	char descriptor[DESCRIPTOR_SIZE];
	struct registers r;

	if (!code_objects__descriptor(rec->object, descriptor))
		return;
	kernel_descriptor__registers(descriptor, device__gfx(rec->agent), &r);
	rec->vgprs = r.vgprs;
	rec->accum_vgprs = r.accum;
	rec->sgprs = r.sgprs;
}

static void record_kernel(hsa_executable_symbol_t symbol, uint32_t device, uint64_t object)
{
	__typeof__(hsa.core.hsa_executable_symbol_get_info_fn) get =
		hsa.core.hsa_executable_symbol_get_info_fn;
	struct rt_meta_kernel *rec;
	const void *logged;
	uint32_t len = 0;
	char *name;

	get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &len);
	name = calloc(1, (size_t)len + 1);
	rec = calloc(1, sizeof(*rec) + (len < RT_META_NAME_MAX ? len : RT_META_NAME_MAX) + 16);
	if (name && rec) {
		get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name);
		get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
		    &rec->kernarg_size);
		get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &rec->group_size);
		get(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
		    &rec->private_size);
		rec->h.kind = RT_META_KERNEL;
		rec->object = object;
		rec->agent = device;
		rec->code = code_objects__of_kernel(object);
		put_registers(rec);
		rec->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
		put_name(rec, name, len);
		logged = shared_memory__meta(&agent.shm, &rec->h);
		if (logged && pointer_map__put(&kernels, object, (uint64_t)logged))
			shared_memory__lose_meta(&agent.shm);
	} else {
		shared_memory__lose_meta(&agent.shm);
	}
	free(name);
	free(rec);
}

static hsa_status_t on_loaded(hsa_executable_t executable, hsa_agent_t device,
			      hsa_executable_symbol_t symbol, void *arg)
{
	uint64_t object = kernel_object(symbol);

	if (object)
		record_kernel(symbol, *(uint32_t *)arg, object);
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t on_unload(hsa_executable_t executable, hsa_agent_t device,
			      hsa_executable_symbol_t symbol, void *arg)
{
	uint64_t object = kernel_object(symbol);

	if (object)
		pointer_map__remove(&kernels, object);
	return HSA_STATUS_SUCCESS;
}

static void add_kernels(hsa_agent_t device, uint32_t id, void *arg)
{
	hsa_executable_t *executable = arg;

	hsa.core.hsa_executable_iterate_agent_symbols_fn(*executable, device, on_loaded, &id);
}

static void remove_kernels(hsa_agent_t device, uint32_t id, void *arg)
{
	hsa_executable_t *executable = arg;

	hsa.core.hsa_executable_iterate_agent_symbols_fn(*executable, device, on_unload, NULL);
}

hsa_status_t hook_hsa_executable_freeze(hsa_executable_t executable, const char *options)
{
	uint64_t begin = agent_begin();
	hsa_status_t status = hsa.core.hsa_executable_freeze_fn(executable, options);

	if (status != HSA_STATUS_SUCCESS || agent.off)
		return status;
	code_objects__loaded(executable);
	devices__each_gpu(add_kernels, &executable);
	code_objects__tell_loaded(executable, begin);
	return status;
}

hsa_status_t hook_hsa_executable_destroy(hsa_executable_t executable)
{
	uint64_t begin = agent_begin();
	struct code *taken;
	hsa_status_t status;

	if (agent.off)
		return hsa.core.hsa_executable_destroy_fn(executable);
	devices__each_gpu(remove_kernels, &executable);
	taken = code_objects__take(executable);
	status = hsa.core.hsa_executable_destroy_fn(executable);
	if (status == HSA_STATUS_SUCCESS)
		code_objects__unloaded(taken, begin);
	else
		code_objects__put_back(taken);
	return status;
}

void kernels__release(void)
{
	code_objects__unloaded(code_objects__take_all(), 0);
}

void kernels__forked(void)
{
	code_objects__forked();
}
