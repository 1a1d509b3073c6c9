/* SPDX-License-Identifier: MIT */
/*
 * The agents of the runtime, CPUs and GPUs: numbers them and writes them to the meta log.
 *
 * Agents exist from hsa_init to hsa_shut_down, so the list is made once at load and only read
 * later. Ids go on counting when the runtime is initialised again: its handles are new.
 */
#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hsa_agent/core/agent_internal.h"
#include "hsa_agent/core/device_numbers.h"

#define DEVICES_MAX 256

static struct device {
	uint64_t handle;
	uint32_t id, gpu_id, node;
	uint64_t ticks;
	bool is_gpu;
	char name[64];
} devices[DEVICES_MAX];

static unsigned int device_count;
static uint32_t last_id;

static uint32_t get_u32(hsa_agent_t handle, uint32_t what)
{
	uint32_t value = 0;

	hsa.core.hsa_agent_get_info_fn(handle, (hsa_agent_info_t)what, &value);
	return value;
}

/* For releases that do not report it: from the driver's files. */
static uint32_t read_gpu_id(uint32_t node)
{
	char path[80], line[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%" PRIu32 "/gpu_id", node);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, line, sizeof(line) - 1) < 0)
		line[0] = '\0';
	close(fd);
	return strtoul(line, NULL, 10);
}

static uint32_t get_gpu_id(hsa_agent_t handle, uint32_t node)
{
	uint32_t id = 0;

#ifdef RT_HSA_HAS_hsa_amd_vmem_handle_create /* added to the headers with it */
	id = get_u32(handle, HSA_AMD_AGENT_INFO_DRIVER_UID);
#endif
	return id ? id : read_gpu_id(node);
}

static void describe_more(hsa_agent_t handle, struct rt_meta_agent *rec)
{
	char text[64] = "";

	rec->domain = get_u32(handle, HSA_AMD_AGENT_INFO_DOMAIN);
	rec->kfd_node = get_u32(handle, HSA_AMD_AGENT_INFO_DRIVER_NODE_ID);
	rec->chip_id = get_u32(handle, HSA_AMD_AGENT_INFO_CHIP_ID);
	rec->simds_per_cu = get_u32(handle, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU);
	rec->waves_per_cu = get_u32(handle, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU);
	if (rec->is_gpu)
		rec->gpu_id = get_gpu_id(handle, rec->kfd_node);
	hsa.core.hsa_agent_get_info_fn(handle, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_UUID, text);
	memcpy(rec->uuid, text, sizeof(rec->uuid) - 1);
}

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

	rec.is_gpu = d->is_gpu;
	describe(handle, &rec);
	describe_more(handle, &rec);
	d->gpu_id = rec.gpu_id;
	d->node = rec.kfd_node;
	memcpy(d->name, rec.name, sizeof(d->name));
	rec.handle = handle.handle;
	rec.id = d->id;
	if (d->is_gpu) {
		rec.gpu_index = device_numbers__in_machine(rec.kfd_node, *gpus);
		rec.hip_index = device_numbers__in_hip(*gpus, rec.uuid);
		++*gpus;
	}
	shared_memory__meta(&agent.shm, &rec.h);
	return HSA_STATUS_SUCCESS;
}

int devices__init(void)
{
	uint32_t gpus = 0;
	hsa_status_t status;

	device_count = 0;
	status = hsa.core.hsa_iterate_agents_fn(add_device, &gpus);
	return status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK ? 0 : -ENODEV;
}

uint32_t device__id(hsa_agent_t handle)
{
	for (unsigned int i = 0; i < device_count; i++)
		if (devices[i].handle == handle.handle)
			return devices[i].id;
	return 0;
}

uint32_t device__cpu_id(void)
{
	for (unsigned int i = 0; i < device_count; i++)
		if (!devices[i].is_gpu)
			return devices[i].id;
	return 0;
}

const char *device__gfx(uint32_t id)
{
	for (unsigned int i = 0; i < device_count; i++)
		if (devices[i].id == id)
			return devices[i].name;
	return "";
}

void devices__each(void (*fn)(hsa_agent_t, uint32_t id, void *arg), void *arg)
{
	for (unsigned int i = 0; i < device_count; i++)
		fn((hsa_agent_t){devices[i].handle}, devices[i].id, arg);
}

void devices__each_gpu(void (*fn)(hsa_agent_t, uint32_t id, void *arg), void *arg)
{
	for (unsigned int i = 0; i < device_count; i++)
		if (devices[i].is_gpu)
			fn((hsa_agent_t){devices[i].handle}, devices[i].id, arg);
}

static struct device *find_device(uint32_t id)
{
	for (unsigned int i = 0; i < device_count; i++)
		if (devices[i].id == id)
			return &devices[i];
	return NULL;
}

hsa_agent_t device__gpu(uint32_t id)
{
	const struct device *d = find_device(id);

	return (hsa_agent_t){d && d->is_gpu ? d->handle : 0};
}

uint32_t device__gpu_id(uint32_t id)
{
	const struct device *d = find_device(id);

	return d ? d->gpu_id : 0;
}

uint32_t device__node(uint32_t id)
{
	const struct device *d = find_device(id);

	return d ? d->node : 0;
}

void device__set_ticks(uint32_t id, uint64_t ticks)
{
	struct device *d = find_device(id);

	if (d)
		__atomic_store_n(&d->ticks, ticks, __ATOMIC_RELAXED);
}

uint64_t device__ticks(uint32_t id)
{
	const struct device *d = find_device(id);

	return d ? __atomic_load_n(&d->ticks, __ATOMIC_RELAXED) : 0;
}
