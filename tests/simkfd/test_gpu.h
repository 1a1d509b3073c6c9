/* SPDX-License-Identifier: MIT */
/* What the test of the simulated GPU needs of HSA: agents, memory, kernels, packets. */
#ifndef SIMKFD_TEST_GPU_H
#define SIMKFD_TEST_GPU_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEST_MAX_GPUS 8

struct test_gpu {
	hsa_agent_t agent;
	hsa_amd_memory_pool_t vram;
};

struct test_machine {
	hsa_agent_t cpu;
	hsa_amd_memory_pool_t memory, kernarg;
	struct test_gpu gpus[TEST_MAX_GPUS];
	int gpu_count;
};

extern struct test_machine machine;

/* Fails the test unless the call succeeds. */
#define CHECK(call) check_status(call, #call, __FILE__, __LINE__)
void check_status(hsa_status_t status, const char *what, const char *file, int line);

/* hsa_init, and fills in `machine`. */
void machine__open(void);

/* Memory of the host, or of a GPU, that all GPUs may access. */
void *host_memory(size_t size);
void *kernarg_memory(size_t size);
void *gpu_memory(int gpu, size_t size);

uint64_t hsa_now(void);

/* A queue with profiling, and a signal of value 1. */
hsa_queue_t *new_queue(int gpu);
hsa_signal_t new_signal(void);

/*
 * A code object as the loader leaves it in GPU memory, with kernels of these names. There is no
 * code in it. `objects` gets what dispatch packets name. Naming an image again has the effect of a
 * module that is unloaded and another one loaded in its place.
 */
#define IMAGE_KERNELS 4
void *new_image(void);
void image__name(void *image, const char *const names[IMAGE_KERNELS],
		 uint64_t objects[IMAGE_KERNELS]);

/* Reserves the next packet of the queue, zeroed but for its header, which stays INVALID. */
void *reserve_packet(hsa_queue_t *queue, uint64_t *index);

/* Makes a reserved packet valid. */
void publish(void *packet, hsa_packet_type_t type, bool barrier, uint16_t setup);

void ring(hsa_queue_t *queue, uint64_t index);

/* Submits one kernel of `work_items`; `signal` may be 0. */
uint64_t dispatch(hsa_queue_t *queue, uint64_t object, void *args, uint32_t work_items,
		  hsa_signal_t signal);

/* Waits until the signal is below 1; false if that takes 10 seconds. */
bool wait_for(hsa_signal_t signal);

#endif
