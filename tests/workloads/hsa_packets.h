/* SPDX-License-Identifier: MIT */
/*
 * Packets of HSA queues, written by hand, and signals.
 *
 * Every HSA call is counted (see count.h).
 */
#ifndef WORKLOADS_HSA_PACKETS_H
#define WORKLOADS_HSA_PACKETS_H

#include "tests/workloads/hsa_gpu.h"

static const hsa_signal_t no_signal;

/* Waits for room for n more packets and reserves them; returns the first one's index. */
static inline uint64_t packet__reserve(hsa_queue_t *queue, uint64_t n)
{
	uint64_t index = TRY(hsa_queue_add_write_index_relaxed, (queue, n));

	while (index + n - TRY(hsa_queue_load_read_index_scacquire, (queue)) > queue->size)
		workload__sleep_us(10);
	return index;
}

static inline void *packet__slot(hsa_queue_t *queue, uint64_t index)
{
	return (char *)queue->base_address + index % queue->size * 64;
}

/* Makes a packet valid: its first four bytes at once, after all the others. */
static inline void packet__publish(void *packet, hsa_packet_type_t type, int barrier,
				   uint16_t setup)
{
	uint32_t header = type << HSA_PACKET_HEADER_TYPE | barrier << HSA_PACKET_HEADER_BARRIER |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

	__atomic_store_n((uint32_t *)packet, header | (uint32_t)setup << 16, __ATOMIC_RELEASE);
}

static inline void packet__ring(hsa_queue_t *queue, uint64_t index)
{
	TRY(hsa_signal_store_screlease, (queue->doorbell_signal, index));
}

/* With the barrier bit: begins after all packets before it have ended. */
static inline void packet__dispatch(hsa_queue_t *queue, uint64_t index,
				    const struct gpu_kernel *kernel, void *arguments, uint32_t grid,
				    hsa_signal_t done)
{
	hsa_kernel_dispatch_packet_t *packet = packet__slot(queue, index);

	memset((char *)packet + 4, 0, sizeof(*packet) - 4);
	packet->workgroup_size_x = WORKLOAD_BLOCK;
	packet->workgroup_size_y = packet->workgroup_size_z = 1;
	packet->grid_size_x = grid;
	packet->grid_size_y = packet->grid_size_z = 1;
	packet->private_segment_size = kernel->private_size;
	packet->group_segment_size = kernel->group_size;
	packet->kernel_object = kernel->object;
	packet->kernarg_address = arguments;
	packet->completion_signal = done;
	packet__publish(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH, 1,
			1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
}

static inline void packet__barrier(hsa_queue_t *queue, uint64_t index, hsa_packet_type_t type,
				   hsa_signal_t wait_for, hsa_signal_t done)
{
	hsa_barrier_and_packet_t *packet = packet__slot(queue, index);

	memset((char *)packet + 4, 0, sizeof(*packet) - 4);
	packet->dep_signal[0] = wait_for;
	packet->completion_signal = done;
	packet__publish(packet, type, 1, 0);
}

static inline hsa_signal_t signal__create(hsa_signal_value_t value)
{
	hsa_signal_t signal;

	CALL(hsa_signal_create, (value, 0, NULL, &signal));
	return signal;
}

static inline void signal__destroy(hsa_signal_t signal)
{
	CALL(hsa_signal_destroy, (signal));
}

static inline void signal__wait(hsa_signal_t signal)
{
	while (TRY(hsa_signal_wait_scacquire,
		   (signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED)) >= 1)
		;
}

#endif
