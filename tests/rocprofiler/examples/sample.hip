/* SPDX-License-Identifier: MIT */
/*
 * The launch and the copy of librocprofiler-sdk's example of arguments: a matrix of 9920 x 9920 numbers.
 *
 * Prints `value FUNCTION ARGUMENT VALUE` of what it passes to them as addresses, `took FUNCTION NS`, measured around the
 * call that waits for them, then the counts (tests/workloads/count.h) and the result.
 */
#include <hip/hip_runtime.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define TILE  32
#define TILES 310
#define BYTES ((size_t)TILES * TILE * TILES * TILE * sizeof(int))

__global__ void transpose(int *out, const int *in, int width)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	out[x * width + y] = in[y * width + x];
}

static void print_value(const char *function, const char *argument, const void *value)
{
	printf("value %s %s %p\n", function, argument, value);
}

static void wait_for(hipStream_t stream)
{
	uint64_t begin = workload__now_ns();

	CALL(hipStreamSynchronize, (stream));
	printf("took hipStreamSynchronize %lu\n", (unsigned long)(workload__now_ns() - begin));
}

int main(void)
{
	int *out, *in, *host, width = TILES * TILE, device;
	void *args[] = {&out, &in, &width};
	hipStream_t stream;

	CALL(hipGetDevice, (&device));
	CALL(hipSetDevice, (device));
	CALL(hipSetDevice, (device));
	CALL(hipStreamCreate, (&stream));
	CALL(hipMalloc, ((void **)&in, BYTES));
	CALL(hipMalloc, ((void **)&out, BYTES));
	CALL(hipHostMalloc, ((void **)&host, BYTES, 0));
	CALL(hipLaunchKernel,
	     ((const void *)transpose, dim3(TILES, TILES), dim3(TILE, TILE), args, 0, stream));
	print_value("hipLaunchKernel", "function_address", (const void *)transpose);
	print_value("hipLaunchKernel", "args", args);
	print_value("hipLaunchKernel", "stream", stream);
	CALL(hipMemcpyAsync, (host, out, BYTES, hipMemcpyDeviceToHost, stream));
	print_value("hipMemcpyAsync", "dst", host);
	print_value("hipMemcpyAsync", "src", out);
	print_value("hipMemcpyAsync", "stream", stream);
	wait_for(stream);
	CALL(hipHostFree, (host));
	CALL(hipFree, (out));
	CALL(hipFree, (in));
	CALL(hipStreamDestroy, (stream));
	return count__pass();
}
