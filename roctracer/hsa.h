/* SPDX-License-Identifier: MIT */
/*
 * HSA: its runtime loads this library as a tool, when the process initialises it.
 */
#ifndef ROCTRACER_HSA_INTERNAL_H
#define ROCTRACER_HSA_INTERNAL_H

#include "roctracer/enabled_operations.h"

extern struct table hsa_calls;

/* Sets for the wrappers what is wanted now. */
void hsa__engage(void);

/* Is the runtime initialised, as far as is known? */
bool hsa__is_initialised(void);
/* Of a time of the runtime's clock. */
uint64_t hsa__to_ns(uint64_t time);

#endif
