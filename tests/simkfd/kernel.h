/* SPDX-License-Identifier: MIT */
/* Kernels: what a dispatch packet's kernel object is called, and what the simulator does for it. */
#ifndef SIMKFD_KERNEL_H
#define SIMKFD_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/simkfd/blit.h"
#include "tests/simkfd/simkfd_kernels.h"

struct kernel {
	const char *name; /* as in the code object, without ".kd" */
	uint64_t duration;
	bool faults;				     /* SIMKFD_FAULT names it */
	blit_fn *blit;				     /* a kernel of HIP's own, or NULL */
	void (*run)(const struct simkfd_dispatch *); /* its host function, or NULL */
	struct kernel *next;
};

/* Loads SIMKFD_KERNEL_LIB, once; called without the simulator's lock. */
void kernel__load_functions(void);

/* The kernel of that name; lives for ever. NULL only if memory is out. */
const struct kernel *kernel__by_name(const char *name);

/* The kernel that a dispatch packet's kernel_object names, NULL if it has no name. */
const struct kernel *kernel__by_object(uint64_t object);

/* Forgets which object is which kernel: code was freed. */
void kernel__forget_objects(void);

#endif
