/* SPDX-License-Identifier: MIT */
/*
 * AQL packets in the ring of a queue: where they are, and as what they are recorded.
 */
#ifndef RTRACE_HSA_AGENT_GPU_PACKETS_H
#define RTRACE_HSA_AGENT_GPU_PACKETS_H

#include <stdint.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "abi/agent_ring.h"

/* All that may have a completion signal have it at the same place. */
union packet {
	uint16_t header;
	hsa_kernel_dispatch_packet_t dispatch;
	hsa_barrier_and_packet_t barrier;
	hsa_amd_barrier_value_packet_t barrier_value;
	char size[64];
};

static inline union packet *packet_in(const hsa_queue_t *queue, uint64_t index)
{
	return (union packet *)queue->base_address + (index & (queue->size - 1));
}

static inline unsigned int header_type(uint16_t header)
{
	return (header >> HSA_PACKET_HEADER_TYPE) & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

/* RT_AGENT_NONE: it is never recorded. */
static inline enum rt_agent_kind packet_kind(const union packet *pkt, uint16_t header)
{
	switch (header_type(header)) {
	case HSA_PACKET_TYPE_KERNEL_DISPATCH:
		return RT_AGENT_DISPATCH;
	case HSA_PACKET_TYPE_BARRIER_AND:
	case HSA_PACKET_TYPE_BARRIER_OR:
		return RT_AGENT_BARRIER;
	case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
		return pkt->barrier_value.header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE
			       ? RT_AGENT_BARRIER
			       : RT_AGENT_NONE;
	default:
		return RT_AGENT_NONE;
	}
}

#endif
