/* SPDX-License-Identifier: MIT */
/*
 * Host functions that stand for GPU kernels on the simulated GPU.
 *
 * The simulator executes no GPU code. A program that verifies its results names a shared object in
 * SIMKFD_KERNEL_LIB that defines `simkfd_kernels`: when a dispatch of a kernel with one of these
 * names starts, the function runs in the simulator's engine thread in its place.
 */
#ifndef SIMKFD_KERNELS_H
#define SIMKFD_KERNELS_H

#include <stdint.h>

struct simkfd_dispatch {
	uint32_t grid[3];      /* work-items, as in the AQL packet */
	uint16_t workgroup[3]; /* work-items */
	const void *kernarg;   /* host address of the argument block */
	/* Translates a GPU address found in the arguments into one this process can use. */
	void *(*host)(uint64_t gpu_address);
};

struct simkfd_kernel {
	const char *name; /* as in the code object, without ".kd" */
	void (*run)(const struct simkfd_dispatch *dispatch);
};

/* Ends with an entry with the name NULL. */
extern const struct simkfd_kernel simkfd_kernels[];

#endif
