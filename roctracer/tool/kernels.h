/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels.
 */
#ifndef TOOL_KERNELS_H
#define TOOL_KERNELS_H

#include <stdint.h>

/* The demangled name of a kernel, which stays. */
const char *kernels__plain(const char *mangled);

/* The call launches a kernel of that demangled name: for HIP up to 5.3.0, whose records of what
 * GPUs did have no names.
 */
void kernels__launched(uint64_t correlation_id, const char *name);

/* NULL: the call launched none, or so long ago that it is not known any more. */
const char *kernels__of_call(uint64_t correlation_id);

/* Around a fork. */
void kernels__lock(void);
void kernels__unlock(void);

#endif
