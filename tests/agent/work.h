/* SPDX-License-Identifier: MIT */
/*
 * A piece of GPU work in plain HSA: kernels that add one to every element of an array, and copies,
 * submitted when it is asked for and waited for when it is asked for.
 */
#ifndef AGENT_WORK_H
#define AGENT_WORK_H

#include "tests/workloads/hsa_gpu.h"

#define WORK_ELEMENTS 4096
#define WORK_BYTES    (WORK_ELEMENTS * sizeof(uint32_t))
#define WORK_QUEUE    1024 /* packets; no more may be in flight */

struct work {
	struct gpu gpu;
	struct gpu_kernel kernel;
	hsa_queue_t *queue;
	hsa_signal_t done; /* what was submitted and has not ended */
	uint32_t *data;	   /* memory of the host, which the kernels work on */
	uint32_t *copy;	   /* of the GPU */
	struct {
		uint32_t *data;
		uint32_t n, operand;
	} * arguments;
	uint32_t sum; /* of what was submitted */
};

static hsa_queue_t *work__queue(struct work *w, uint32_t packets)
{
	hsa_queue_t *queue;

	CALL(hsa_queue_create, (w->gpu.agent, packets, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
				UINT32_MAX, &queue));
	return queue;
}

/* All but hsa_init, which gpu__open does. */
static void work__open(struct work *w, const char *code_object)
{
	memset(w, 0, sizeof(*w));
	gpu__open(&w->gpu, code_object);
	w->kernel = gpu__kernel(&w->gpu, "elementAdd.kd");
	w->data = gpu__allocate(&w->gpu, w->gpu.system, WORK_BYTES);
	w->copy = gpu__allocate(&w->gpu, w->gpu.local, WORK_BYTES);
	w->arguments = gpu__allocate(&w->gpu, w->gpu.kernarg, w->kernel.kernarg_size);
	memset(w->arguments, 0, w->kernel.kernarg_size);
	w->arguments->data = w->data;
	w->arguments->n = WORK_ELEMENTS;
	w->arguments->operand = 1;
	workload__fill(w->data, WORK_ELEMENTS);
	CALL(hsa_signal_create, (0, 0, NULL, &w->done));
	w->queue = work__queue(w, WORK_QUEUE);
}

/* Submits one kernel; it is in flight until work__wait. */
static void work__submit_to(struct work *w, hsa_queue_t *queue)
{
	uint64_t index = TRY(hsa_queue_add_write_index_screlease, (queue, 1));
	hsa_kernel_dispatch_packet_t *packet;
	uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
			  1 << HSA_PACKET_HEADER_BARRIER |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

	while (index >= TRY(hsa_queue_load_read_index_scacquire, (queue)) + queue->size)
		workload__sleep_us(10);
	TRY(hsa_signal_add_relaxed, (w->done, 1));
	packet = (hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
	memset((char *)packet + 4, 0, sizeof(*packet) - 4);
	packet->workgroup_size_x = WORKLOAD_BLOCK;
	packet->workgroup_size_y = packet->workgroup_size_z = 1;
	packet->grid_size_x = WORK_ELEMENTS;
	packet->grid_size_y = packet->grid_size_z = 1;
	packet->kernel_object = w->kernel.object;
	packet->kernarg_address = w->arguments;
	packet->completion_signal = w->done;
	__atomic_store_n((uint32_t *)packet,
			 header | 1 << (16 + HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS),
			 __ATOMIC_RELEASE);
	TRY(hsa_signal_store_screlease, (queue->doorbell_signal, index));
	KERNEL(elementAdd, 1);
	w->sum++;
}

static void work__submit(struct work *w, unsigned long kernels)
{
	while (kernels--)
		work__submit_to(w, w->queue);
}

/* Submits a copy of the elements to the GPU. */
static inline void work__submit_copy(struct work *w)
{
	TRY(hsa_signal_add_relaxed, (w->done, 1));
	CALL(hsa_amd_memory_async_copy,
	     (w->copy, w->gpu.agent, w->data, w->gpu.cpu, WORK_BYTES, 0, NULL, w->done));
	COPIED(H2D, WORK_BYTES);
}

static void work__wait(struct work *w)
{
	while (TRY(hsa_signal_wait_scacquire,
		   (w->done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED)) > 0)
		;
}

/* All that was submitted has run, each once. */
static void work__verify(struct work *w)
{
	uint32_t i, expected;

	work__wait(w);
	for (i = 0; count__verifying() && i < WORK_ELEMENTS; i++) {
		expected = elements__initial(i) + w->sum;
		CHECK(w->data[i] == expected, "element %u is %#x instead of %#x", i, w->data[i],
		      expected);
	}
}

/* The queue is the caller's to destroy, or to leave. */
static inline void work__close(struct work *w)
{
	CALL(hsa_signal_destroy, (w->done));
	gpu__free(w->data);
	gpu__free(w->copy);
	gpu__free(w->arguments);
	gpu__close(&w->gpu);
}

#endif
