/* SPDX-License-Identifier: MIT */
/*
 * Buffer objects, and how an address of the GPU becomes one of this process.
 *
 * All functions are called with the simulator's lock held.
 */
#ifndef SIMKFD_MEMORY_H
#define SIMKFD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kfd_ioctl_alloc_memory_of_gpu_args;
struct kfd_ioctl_map_memory_to_gpu_args;

struct buffer {
	uint64_t va, size; /* as the GPU sees it */
	uint64_t handle;
	uint64_t offset; /* in the device file */
	uint8_t *host;	 /* the same bytes in this process; NULL: doorbells and MMIO */
	uint32_t flags;
	int gpu;
	bool has_code; /* kernels of it are in the kernel cache */
};

/* 0 or -errno */
int memory__allocate(struct kfd_ioctl_alloc_memory_of_gpu_args *args);
int memory__free(uint64_t handle);
int memory__map(struct kfd_ioctl_map_memory_to_gpu_args *args);

/* What is left of the GPU's VRAM, bytes. */
uint64_t memory__available(int gpu);

/* The buffer around that GPU address, or NULL. */
struct buffer *memory__find(uint64_t va);

/* The host address of a GPU address; the address itself if it is in no buffer (host memory). */
void *memory__host(uint64_t va);

/* Copies, and repeats a pattern; the ranges may reach over several buffers. */
void memory__copy(uint64_t to, uint64_t from, uint64_t size);
void memory__fill(uint64_t to, uint64_t size, const void *pattern, size_t pattern_size);

/* Drops all buffers, in the child of a fork. */
void memory__forget(void);

#endif
