// SPDX-License-Identifier: MIT
/*
 * libother_tool.so: another tool of the HSA runtime, as profilers are. Makes queues intercept
 * queues, counts the kernels in them and the copies, and writes "kernels N copies N" to the file
 * OTHER_TOOL each time that it is unloaded.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "hsa_tables.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT bool OnLoad(HsaApiTable *table, uint64_t version, uint64_t failed, const char *const *names);
EXPORT void OnUnload(void);

static CoreApiTable core;
static AmdExtTable amd;
static unsigned long kernels, copies;

static void on_packets(const void *packets, uint64_t count, uint64_t index, void *data,
		       hsa_amd_queue_intercept_packet_writer writer)
{
	const hsa_kernel_dispatch_packet_t *p = packets;

	for (uint64_t i = 0; i < count; i++)
		if ((p[i].header >> HSA_PACKET_HEADER_TYPE & 0xff) ==
		    HSA_PACKET_TYPE_KERNEL_DISPATCH)
			__atomic_fetch_add(&kernels, 1, __ATOMIC_RELAXED);
	writer(packets, count);
}

static hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
				 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
				 uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
	hsa_status_t status = amd.hsa_amd_queue_intercept_create_fn(
		agent, size, type, callback, data, private_size, group_size, queue);

	if (status == HSA_STATUS_SUCCESS)
		status = amd.hsa_amd_queue_intercept_register_fn(*queue, on_packets, NULL);
	return status;
}

static hsa_status_t copy(void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent,
			 size_t size, uint32_t num_deps, const hsa_signal_t *deps,
			 hsa_signal_t completion)
{
	__atomic_fetch_add(&copies, 1, __ATOMIC_RELAXED);
	return amd.hsa_amd_memory_async_copy_fn(dst, dst_agent, src, src_agent, size, num_deps,
						deps, completion);
}

bool OnLoad(HsaApiTable *table, uint64_t version, uint64_t failed, const char *const *names)
{
	core = *table->core_;
	amd = *table->amd_ext_;
	table->core_->hsa_queue_create_fn = create_queue;
	table->amd_ext_->hsa_amd_memory_async_copy_fn = copy;
	return true;
}

void OnUnload(void)
{
	const char *path = getenv("OTHER_TOOL");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "kernels %lu copies %lu\n", kernels, copies);
	fclose(file);
}
