/* SPDX-License-Identifier: MIT */
/*
 * ACTIVITY_DOMAIN_KFD_API: calls of libhsakmt, the thunk, by what is linked against it: the HSA
 * runtime, as far as the thunk is not a part of it.
 */
#ifndef ROCTRACER_KFD_INTERNAL_H
#define ROCTRACER_KFD_INTERNAL_H

#include "roctracer/enabled_operations.h"

extern struct table kfd_calls;

/*
 * Sets for the wrappers what is wanted now, and puts them in place if libhsakmt is in the process.
 * For any thread.
 */
void kfd__engage(void);

#endif
