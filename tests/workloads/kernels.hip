/* SPDX-License-Identifier: MIT */
/*
 * All kernels of the workloads. The HIP programs include this file; compiled by itself it becomes
 * kernels.hsaco, for the programs that load a code object. The host functions of the same names for
 * the simulated GPU are in kernels.c.
 */
#include <hip/hip_runtime.h>

#include <stdint.h>

#include "tests/workloads/elements.h"

/* How many kernels follow: that many are registered at the start of each program. */
#define KERNELS 8

extern "C" __global__ void vectorAdd(const float *a, const float *b, float *sum, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		sum[i] = a[i] + b[i];
}

/* A C++ name, as most applications' kernels have. */
__global__ void matrixTranspose(float *out, float *in, int width)
{
	int x = blockDim.x * blockIdx.x + threadIdx.x;
	int y = blockDim.y * blockIdx.y + threadIdx.y;

	out[y * width + x] = in[x * width + y];
}

/* And one with template arguments. */
template <typename T> __global__ void fillWith(T *data, T value, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = value;
}

template __global__ void fillWith<float>(float *data, float value, uint32_t n);

extern "C" __global__ void elementAdd(uint32_t *data, uint32_t n, uint32_t operand)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = elements__add(data[i], operand);
}

extern "C" __global__ void elementXor(uint32_t *data, uint32_t n, uint32_t operand)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = elements__xor(data[i], operand);
}

extern "C" __global__ void elementMultiply(uint32_t *data, uint32_t n, uint32_t operand)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = elements__multiply(data[i], operand);
}

extern "C" __global__ void elementRotate(uint32_t *data, uint32_t n, uint32_t operand)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] = elements__rotate(data[i], operand);
}

/*
 * Runs long and leaves `value`. On a GPU the length is that of the loop, on the simulated GPU it is
 * what SIMKFD_KERNELS says.
 */
extern "C" __global__ void slowStore(uint32_t *data, uint32_t value, uint32_t rounds)
{
	volatile uint32_t *cell = data;
	uint32_t i;

	for (i = 0; i < rounds; i++)
		*cell = i;
	*cell = value;
}
