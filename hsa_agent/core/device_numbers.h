/* SPDX-License-Identifier: MIT */
/*
 * The numbers of a GPU: the machine's, which is the same in every process, and HIP's, which depends
 * on what the environment makes visible to the process.
 */
#ifndef RTRACE_HSA_AGENT_CORE_DEVICE_NUMBERS_H
#define RTRACE_HSA_AGENT_CORE_DEVICE_NUMBERS_H

#include <stdint.h>

#define NUMBER_NONE UINT32_MAX

/*
 * From 0, of the driver's node `node`, among all GPUs of the machine in the driver's order.
 * `fallback`: where the driver's topology cannot be read.
 */
uint32_t device_numbers__in_machine(uint32_t node, uint32_t fallback);

/*
 * HIP's number of what is HSA's GPU `index`, of that UUID ("GPU-0123456789abcdef"); NUMBER_NONE:
 * HIP does not see it.
 */
uint32_t device_numbers__in_hip(uint32_t index, const char *uuid);

#endif
