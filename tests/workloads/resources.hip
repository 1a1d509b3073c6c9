/* SPDX-License-Identifier: MIT */
/*
 * Kernels that take more of the GPU than those of kernels.hip do: shared memory, private memory,
 * many registers. Compiled to resources.hsaco.
 */
#include <hip/hip_runtime.h>

#include <stdint.h>

#define BLOCK 256

extern "C" __global__ void sharedReverse(uint32_t *data)
{
	__shared__ uint32_t tile[BLOCK];

	tile[threadIdx.x] = data[threadIdx.x];
	__syncthreads();
	data[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

/* An array that is indexed by what the compiler cannot know is not kept in registers. */
extern "C" __global__ void privateLookup(uint32_t *data, uint32_t rounds)
{
	uint32_t table[100];
	uint32_t i;

	for (i = 0; i < 100; i++)
		table[i] = data[i];
	for (i = 0; i < rounds; i++)
		table[table[i % 100] % 100] += i;
	data[threadIdx.x] = table[data[threadIdx.x] % 100];
}

/* Forty sums that are all needed at the end. */
extern "C" __global__ void manyRegisters(float *data, uint32_t rounds)
{
	float sums[40];
	uint32_t i, j;

#pragma unroll
	for (j = 0; j < 40; j++)
		sums[j] = data[j * BLOCK + threadIdx.x];
	for (i = 0; i < rounds; i++) {
#pragma unroll
		for (j = 0; j < 40; j++)
			sums[j] = sums[j] * sums[(j + 1) % 40] + data[i];
	}
#pragma unroll
	for (j = 0; j < 40; j++)
		data[j * BLOCK + threadIdx.x] = sums[j];
}
