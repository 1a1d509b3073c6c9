/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of the element* kernels, one definition for the GPU, for the simulated GPU's host
 * functions and for the programs that verify the results.
 */
#ifndef WORKLOADS_ELEMENTS_H
#define WORKLOADS_ELEMENTS_H

#include <stdint.h>

#ifdef __HIP__
#define ELEMENTS__FUNCTION static inline __host__ __device__
#else
#define ELEMENTS__FUNCTION static inline
#endif

ELEMENTS__FUNCTION uint32_t elements__add(uint32_t x, uint32_t operand)
{
	return x + operand;
}

ELEMENTS__FUNCTION uint32_t elements__xor(uint32_t x, uint32_t operand)
{
	return x ^ operand;
}

ELEMENTS__FUNCTION uint32_t elements__multiply(uint32_t x, uint32_t operand)
{
	return x * (2 * operand + 1);
}

ELEMENTS__FUNCTION uint32_t elements__rotate(uint32_t x, uint32_t operand)
{
	return x << (operand % 31 + 1) | x >> (31 - operand % 31);
}

/* What element i of an array holds before any kernel has run. */
ELEMENTS__FUNCTION uint32_t elements__initial(uint32_t i)
{
	return i * 2654435761u ^ i >> 7;
}

#endif
