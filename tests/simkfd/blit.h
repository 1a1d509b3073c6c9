/* SPDX-License-Identifier: MIT */
/*
 * The runtimes' own copy and fill kernels, carried out natively.
 *
 * Called with the simulator's lock held.
 */
#ifndef SIMKFD_BLIT_H
#define SIMKFD_BLIT_H

#include <stdbool.h>
#include <stdint.h>

/* Does what the kernel does with that argument block; returns the bytes it wrote. */
typedef uint64_t blit_fn(const void *args);

/* The function for a kernel of HIP's, NULL for any other name. */
blit_fn *blit__by_name(const char *name);

/*
 * Carries out one of ROCr's nameless kernels: false if the arguments look like none of them, else
 * *bytes are those that it wrote.
 */
bool blit__nameless(const void *args, uint32_t work_items, uint64_t *bytes);

#endif
