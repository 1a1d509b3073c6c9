/* SPDX-License-Identifier: MIT */
/*
 * Names of kernels.
 */
#ifndef TOOL_KERNELS_H
#define TOOL_KERNELS_H

/* The demangled name of a kernel, which stays. */
const char *kernels__plain(const char *mangled);

/* Around a fork; in the child, too, it is unlocked. */
void kernels__lock(void);
void kernels__unlock(void);

#endif
