/* SPDX-License-Identifier: MIT */
/*
 * Reads a kernel descriptor: the 64 bytes that a kernel object points to.
 *
 * The registers in it are in granules of what the GPU sets aside for a wave, which differ between
 * GPUs; so the counts are those that a wave occupies, not those that the compiler needed.
 */
#ifndef RTRACE_INPROCESS_KERNEL_DESCRIPTOR_H
#define RTRACE_INPROCESS_KERNEL_DESCRIPTOR_H

#include <stdint.h>

#define DESCRIPTOR_SIZE 64

struct registers {
	uint32_t vgprs; /* vector registers of a work-item */
	uint32_t accum; /* its accumulation registers, where the GPU has them */
	uint32_t sgprs; /* scalar registers of a wave */
};

/*
 * The registers of a kernel in a code object of version 3 or later. `gfx`: the name of the device,
 * "gfx90a". All 0 if it is not such a name.
 */
void kernel_descriptor__registers(const void *descriptor, const char *gfx, struct registers *r);

#endif
