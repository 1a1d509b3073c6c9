/* SPDX-License-Identifier: MIT */
/*
 * Which device memory is of: asks the runtime what it knows of an address.
 */
#include <stdlib.h>

#include "hsa_agent/core/agent_internal.h"

/* False: it does not know all of the bytes. */
static bool ask(const struct originals *runtime, const void *address, uint64_t bytes,
		hsa_amd_pointer_info_t *info, void *(*alloc)(size_t), uint32_t *count,
		hsa_agent_t **devices)
{
	uint64_t offset;

	*info = (hsa_amd_pointer_info_t){.size = sizeof(*info)};
	if (runtime->amd.hsa_amd_pointer_info_fn((void *)address, info, alloc, count, devices))
		return false;
	offset = (uint64_t)address - (uint64_t)info->agentBaseAddress;
	return offset < info->sizeInBytes && bytes <= info->sizeInBytes - offset;
}

bool memory_owner__is_gpu(const struct originals *runtime, hsa_agent_t device)
{
	hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;

	if (device.handle)
		runtime->core.hsa_agent_get_info_fn(device, HSA_AGENT_INFO_DEVICE, &type);
	return type == HSA_DEVICE_TYPE_GPU;
}

/* The first device that can reach the memory, or the first GPU. */
static hsa_agent_t first_with_access(const struct originals *runtime, const void *address,
				     uint64_t bytes, bool gpu)
{
	hsa_agent_t *devices = NULL, first = {0};
	hsa_amd_pointer_info_t info;
	uint32_t count = 0;

	if (!ask(runtime, address, bytes, &info, malloc, &count, &devices))
		count = 0;
	for (uint32_t i = 0; i < count && !first.handle; i++)
		if (!gpu || memory_owner__is_gpu(runtime, devices[i]))
			first = devices[i];
	free(devices);
	return first;
}

hsa_agent_t memory_owner__of(const struct originals *runtime, const void *address, uint64_t bytes)
{
	hsa_amd_pointer_info_t info;

	if (!ask(runtime, address, bytes, &info, NULL, NULL, NULL))
		return (hsa_agent_t){0};
	if (info.agentOwner.handle)
		return info.agentOwner;
	/* Memory of another process may be of a device that this one does not see. */
	return first_with_access(runtime, address, bytes, false);
}

hsa_agent_t memory_owner__filler(const struct originals *runtime, const void *address,
				 uint64_t bytes)
{
	hsa_agent_t owner = memory_owner__of(runtime, address, bytes);

	if (!owner.handle || memory_owner__is_gpu(runtime, owner))
		return owner;
	return first_with_access(runtime, address, bytes, true);
}
