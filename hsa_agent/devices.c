/* SPDX-License-Identifier: MIT */
/*
 * The agents of the runtime, CPUs and GPUs: numbers them and writes them to the meta log.
 *
 * Agents exist from hsa_init to hsa_shut_down, so the list is made once at load and only read
 * later. Ids go on counting when the runtime is initialised again: its handles are new.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hsa_agent/core.h"

#define DEVICES_MAX 256

static struct device {
	uint64_t handle;
	uint32_t id;
	bool is_gpu;
} devices[DEVICES_MAX];

static unsigned int device_count;
static uint32_t last_id;

static void describe(hsa_agent_t handle, struct rt_meta_agent *rec)
{
	char text[64];

	hsa.core.hsa_agent_get_info_fn(handle, HSA_AGENT_INFO_NODE, &rec->node);
	hsa.core.hsa_agent_get_info_fn(
		handle, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &rec->cu_count);
	hsa.core.hsa_agent_get_info_fn(handle, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_BDFID,
				       &rec->bdf);
	/* The runtime fills 64 bytes, not always with a NUL at their end. */
	memset(text, 0, sizeof(text));
	hsa.core.hsa_agent_get_info_fn(handle, HSA_AGENT_INFO_NAME, text);
	memcpy(rec->name, text, sizeof(rec->name) - 1);
	memset(text, 0, sizeof(text));
	hsa.core.hsa_agent_get_info_fn(handle, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME,
				       text);
	memcpy(rec->product, text, sizeof(rec->product) - 1);
}

static hsa_status_t add_device(hsa_agent_t handle, void *arg)
{
	struct rt_meta_agent rec = {.h = {RT_META_AGENT, sizeof(rec)}};
	uint32_t *gpus = arg;
	hsa_device_type_t type;
	struct device *d;

	if (device_count == DEVICES_MAX)
		return HSA_STATUS_INFO_BREAK;
	if (hsa.core.hsa_agent_get_info_fn(handle, HSA_AGENT_INFO_DEVICE, &type))
		return HSA_STATUS_SUCCESS;
	d = &devices[device_count++];
	d->handle = handle.handle;
	d->id = ++last_id;
	d->is_gpu = type == HSA_DEVICE_TYPE_GPU;

	describe(handle, &rec);
	rec.handle = handle.handle;
	rec.id = d->id;
	rec.is_gpu = d->is_gpu;
	rec.gpu_index = d->is_gpu ? (*gpus)++ : 0;
	shm_meta(&agent.shm, &rec.h);
	return HSA_STATUS_SUCCESS;
}

int devices_init(void)
{
	uint32_t gpus = 0;
	hsa_status_t status;

	device_count = 0;
	status = hsa.core.hsa_iterate_agents_fn(add_device, &gpus);
	return status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK ? 0 : -ENODEV;
}

uint32_t device_id(hsa_agent_t handle)
{
	for (unsigned int i = 0; i < device_count; i++)
		if (devices[i].handle == handle.handle)
			return devices[i].id;
	return 0;
}

uint32_t device_cpu_id(void)
{
	for (unsigned int i = 0; i < device_count; i++)
		if (!devices[i].is_gpu)
			return devices[i].id;
	return 0;
}

void devices_each_gpu(void (*fn)(hsa_agent_t, uint32_t id, void *arg), void *arg)
{
	for (unsigned int i = 0; i < device_count; i++)
		if (devices[i].is_gpu)
			fn((hsa_agent_t){devices[i].handle}, devices[i].id, arg);
}
