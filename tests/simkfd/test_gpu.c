/* SPDX-License-Identifier: MIT */
/* What the test of the simulated GPU needs of HSA: agents, memory, kernels, packets. */
#include "tests/simkfd/test_gpu.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define QUEUE_SIZE     256
#define WAIT_NS	       120000000000ULL
#define IMAGE_SIZE     8192
#define DESCRIPTOR     64
#define EM_AMDGPU_FAKE 224

struct test_machine machine;

void check_status(hsa_status_t status, const char *what, const char *file, int line)
{
	const char *text = "?";

	if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
		return;
	hsa_status_string(status, &text);
	print_error("%s: %s\n", what, text);
	_fail(file, line);
}

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data)
{
	hsa_amd_memory_pool_t *vram = data;
	hsa_amd_segment_t segment;
	uint32_t flags;

	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
	if (segment != HSA_AMD_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
	if (vram) {
		if (!vram->handle)
			*vram = pool;
	} else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) {
		machine.kernarg = pool;
	} else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) {
		machine.memory = pool;
	}
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_agent(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type;

	hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
	if (type == HSA_DEVICE_TYPE_CPU)
		machine.cpu = agent;
	else if (machine.gpu_count < TEST_MAX_GPUS)
		machine.gpus[machine.gpu_count++].agent = agent;
	return HSA_STATUS_SUCCESS;
}

void machine__open(void)
{
	int i;

	CHECK(hsa_init());
	memset(&machine, 0, sizeof(machine));
	CHECK(hsa_iterate_agents(take_agent, NULL));
	CHECK(hsa_amd_agent_iterate_memory_pools(machine.cpu, take_pool, NULL));
	for (i = 0; i < machine.gpu_count; i++)
		CHECK(hsa_amd_agent_iterate_memory_pools(machine.gpus[i].agent, take_pool,
							 &machine.gpus[i].vram));
	CHECK(hsa_amd_profiling_async_copy_enable(true));
}

static void *allocate(hsa_amd_memory_pool_t pool, size_t size)
{
	hsa_agent_t agents[TEST_MAX_GPUS];
	void *memory;
	int i;

	for (i = 0; i < machine.gpu_count; i++)
		agents[i] = machine.gpus[i].agent;
	CHECK(hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
	CHECK(hsa_amd_agents_allow_access(machine.gpu_count, agents, NULL, memory));
	return memory;
}

void *host_memory(size_t size)
{
	return allocate(machine.memory, size);
}

void *kernarg_memory(size_t size)
{
	return allocate(machine.kernarg, size);
}

void *gpu_memory(int gpu, size_t size)
{
	return allocate(machine.gpus[gpu].vram, size);
}

uint64_t hsa_now(void)
{
	uint64_t now;

	CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
	return now;
}

hsa_queue_t *new_queue(int gpu)
{
	hsa_queue_t *queue;

	CHECK(hsa_queue_create(machine.gpus[gpu].agent, QUEUE_SIZE, HSA_QUEUE_TYPE_MULTI, NULL,
			       NULL, UINT32_MAX, UINT32_MAX, &queue));
	CHECK(hsa_amd_profiling_set_profiler_enabled(queue, 1));
	return queue;
}

hsa_signal_t new_signal(void)
{
	hsa_signal_t signal;

	CHECK(hsa_signal_create(1, 0, NULL, &signal));
	return signal;
}

/* ---- a code object ---- */

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Dyn dynamic[4];
	uint32_t hash[2];
	Elf64_Sym symbols[1 + IMAGE_KERNELS];
	char strings[1 + IMAGE_KERNELS * 64];
};

void *new_image(void)
{
	struct image *image = host_memory(IMAGE_SIZE);

	memset(image, 0, IMAGE_SIZE);
	memcpy(image->header.e_ident, ELFMAG, SELFMAG);
	image->header.e_machine = EM_AMDGPU_FAKE;
	image->header.e_phoff = offsetof(struct image, segment);
	image->header.e_phnum = 1;
	image->segment.p_type = PT_DYNAMIC;
	image->segment.p_vaddr = offsetof(struct image, dynamic);
	image->segment.p_memsz = sizeof(image->dynamic);
	image->dynamic[0].d_tag = DT_SYMTAB;
	image->dynamic[0].d_un.d_ptr = offsetof(struct image, symbols);
	image->dynamic[1].d_tag = DT_STRTAB;
	image->dynamic[1].d_un.d_ptr = offsetof(struct image, strings);
	image->dynamic[2].d_tag = DT_HASH;
	image->dynamic[2].d_un.d_ptr = offsetof(struct image, hash);
	image->hash[1] = 1 + IMAGE_KERNELS;
	return image;
}

/* The kernels' descriptors are in the second page. */
void image__name(void *memory, const char *const names[IMAGE_KERNELS],
		 uint64_t objects[IMAGE_KERNELS])
{
	struct image *image = memory;
	size_t used = 1, left;
	int i;

	for (i = 0; i < IMAGE_KERNELS; i++) {
		left = sizeof(image->strings) - used;
		image->symbols[1 + i].st_name = used;
		image->symbols[1 + i].st_value = IMAGE_SIZE / 2 + i * DESCRIPTOR;
		used += snprintf(image->strings + used, left, "%s.kd", names[i]) + 1;
		objects[i] = (uintptr_t)memory + image->symbols[1 + i].st_value;
	}
}

/* ---- packets ---- */

void *reserve_packet(hsa_queue_t *queue, uint64_t *index)
{
	hsa_kernel_dispatch_packet_t *packet = queue->base_address;

	*index = hsa_queue_add_write_index_relaxed(queue, 1);
	while (*index - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
		;
	packet += *index % queue->size;
	memset((char *)packet + sizeof(uint32_t), 0, sizeof(*packet) - sizeof(uint32_t));
	return packet;
}

void publish(void *packet, hsa_packet_type_t type, bool barrier, uint16_t setup)
{
	uint32_t header = type << HSA_PACKET_HEADER_TYPE | barrier << HSA_PACKET_HEADER_BARRIER;

	__atomic_store_n((uint32_t *)packet, header | (uint32_t)setup << 16, __ATOMIC_RELEASE);
}

void ring(hsa_queue_t *queue, uint64_t index)
{
	hsa_signal_store_screlease(queue->doorbell_signal, index);
}

uint64_t dispatch(hsa_queue_t *queue, uint64_t object, void *args, uint32_t work_items,
		  hsa_signal_t signal)
{
	hsa_kernel_dispatch_packet_t *packet;
	uint64_t index;

	packet = reserve_packet(queue, &index);
	packet->workgroup_size_x = 64;
	packet->workgroup_size_y = 1;
	packet->workgroup_size_z = 1;
	packet->grid_size_x = work_items;
	packet->grid_size_y = 1;
	packet->grid_size_z = 1;
	packet->kernel_object = object;
	packet->kernarg_address = args;
	packet->completion_signal = signal;
	publish(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH, true, 1);
	ring(queue, index);
	return index;
}

bool wait_for(hsa_signal_t signal)
{
	return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, WAIT_NS,
					 HSA_WAIT_STATE_BLOCKED) < 1;
}
