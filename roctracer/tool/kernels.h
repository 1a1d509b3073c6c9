/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels.
 */
#ifndef TOOL_KERNELS_H
#define TOOL_KERNELS_H

#include <stdint.h>

/* The demangled name of a kernel, which stays. */
const char *kernels__plain(const char *mangled);

/*
 * The call launches a kernel of that demangled name: for HIP up to 5.3.0, whose records of what
 * GPUs did have no names, and to know what is under way.
 */
void kernels__launched(uint64_t correlation_id, const char *name);

/* NULL: the call launched none, or so long ago that it is not known any more. */
const char *kernels__of_call(uint64_t correlation_id);

/* One that the call has launched, if it has, is done. */
void kernels__done(uint64_t correlation_id);

/* How many were launched and not done. Those that the GPU never got count, too. */
uint64_t kernels__under_way(void);

/* Around a fork. */
void kernels__lock(void);
void kernels__unlock(void);
/* In the child, which has launched none. */
void kernels__forked(void);

#endif
