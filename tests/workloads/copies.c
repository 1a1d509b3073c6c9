// SPDX-License-Identifier: MIT
/*
 * Copies in every direction: synchronous and asynchronous, from pageable and pinned memory, of many
 * sizes, between GPUs where there are two, and memsets.
 *
 * For each size, random-looking bytes travel host -> GPU -> GPU -> (other GPU ->) host and must
 * come back equal. Sizes reach beyond 4 MiB, where the runtime splits copies of pageable memory.
 * Prints the counts (see count.h) and the result.
 */
#include <getopt.h>
#include <hip/hip_runtime_api.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

static const char usage[] = "copies [-i ITERATIONS] [-m MAX_BYTES]\n";

static const size_t sizes[] = {1,     4,       100,	4096,	       16384,
			       65536, 1000003, 4 << 20, (4 << 20) + 4, 9 << 20};

struct buffers {
	size_t size;
	unsigned char *source, *back; /* pageable */
	unsigned char *pinned, *pinned_back;
	void *gpu, *gpu2; /* on the first GPU */
	void *peer;	  /* on the second, or NULL */
	hipStream_t stream;
};

static void open_buffers(struct buffers *b, size_t size, int gpus)
{
	size_t i;

	memset(b, 0, sizeof(*b));
	b->size = size;
	b->source = malloc(size);
	b->back = malloc(size);
	CHECK(b->source && b->back, "no memory");
	CALL(hipHostMalloc, ((void **)&b->pinned, size, 0));
	CALL(hipHostMalloc, ((void **)&b->pinned_back, size, 0));
	CALL(hipMalloc, (&b->gpu, size));
	CALL(hipMalloc, (&b->gpu2, size));
	CALL(hipStreamCreate, (&b->stream));
	for (i = 0; i < size; i++)
		b->source[i] = b->pinned[i] = elements__initial(i + size) >> 11;
	if (gpus < 2)
		return;
	CALL(hipSetDevice, (1));
	CALL(hipMalloc, (&b->peer, size));
	CALL(hipSetDevice, (0));
}

static void close_buffers(struct buffers *b)
{
	CALL(hipStreamDestroy, (b->stream));
	CALL(hipFree, (b->gpu));
	CALL(hipFree, (b->gpu2));
	if (b->peer)
		CALL(hipFree, (b->peer));
	CALL(hipHostFree, (b->pinned));
	CALL(hipHostFree, (b->pinned_back));
	free(b->source);
	free(b->back);
}

static void compare(const struct buffers *b, const unsigned char *back, const char *what)
{
	CHECK(!memcmp(b->source, back, b->size), "%s of %zu bytes: wrong data", what, b->size);
}

static void copy_synchronously(struct buffers *b)
{
	memset(b->back, 0, b->size);
	CALL(hipMemcpy, (b->gpu, b->source, b->size, hipMemcpyHostToDevice));
	COPIED(H2D, b->size);
	CALL(hipMemcpy, (b->gpu2, b->gpu, b->size, hipMemcpyDeviceToDevice));
	COPIED(D2D, b->size);
	CALL(hipMemcpy, (b->back, b->gpu2, b->size, hipMemcpyDeviceToHost));
	COPIED(D2H, b->size);
	compare(b, b->back, "synchronous copies");
}

/* Pageable memory: the runtime may make these calls wait. */
static void copy_from_pageable(struct buffers *b)
{
	memset(b->back, 0, b->size);
	CALL(hipMemcpyAsync, (b->gpu, b->source, b->size, hipMemcpyHostToDevice, b->stream));
	COPIED(H2D, b->size);
	CALL(hipMemcpyAsync, (b->back, b->gpu, b->size, hipMemcpyDeviceToHost, b->stream));
	COPIED(D2H, b->size);
	CALL(hipStreamSynchronize, (b->stream));
	compare(b, b->back, "asynchronous copies of pageable memory");
}

static void copy_from_pinned(struct buffers *b)
{
	memset(b->pinned_back, 0, b->size);
	CALL(hipMemcpyAsync, (b->gpu, b->pinned, b->size, hipMemcpyHostToDevice, b->stream));
	COPIED(H2D, b->size);
	CALL(hipMemcpyAsync, (b->gpu2, b->gpu, b->size, hipMemcpyDeviceToDevice, b->stream));
	COPIED(D2D, b->size);
	CALL(hipMemcpyAsync, (b->pinned_back, b->gpu2, b->size, hipMemcpyDeviceToHost, b->stream));
	COPIED(D2H, b->size);
	CALL(hipStreamSynchronize, (b->stream));
	compare(b, b->pinned_back, "asynchronous copies of pinned memory");
}

static void copy_to_peer(struct buffers *b)
{
	memset(b->back, 0, b->size);
	CALL(hipMemcpyPeer, (b->peer, 1, b->gpu, 0, b->size));
	COPIED(P2P, b->size);
	CALL(hipMemcpy, (b->back, b->peer, b->size, hipMemcpyDeviceToHost));
	COPIED(D2H, b->size);
	compare(b, b->back, "copy between GPUs");
}

static void set(struct buffers *b)
{
	size_t i;

	CALL(hipMemset, (b->gpu, 0x5a, b->size));
	CALL(hipMemset, (b->gpu2, 0, b->size));
	CALL(hipMemsetAsync, (b->gpu2, 0x5a, b->size, b->stream));
	CALL(hipStreamSynchronize, (b->stream));
	CALL(hipMemcpy, (b->back, b->gpu, b->size, hipMemcpyDeviceToHost));
	COPIED(D2H, b->size);
	CALL(hipMemcpy, (b->pinned_back, b->gpu2, b->size, hipMemcpyDeviceToHost));
	COPIED(D2H, b->size);
	for (i = 0; i < b->size; i++)
		CHECK(b->back[i] == 0x5a && b->pinned_back[i] == 0x5a,
		      "memset of %zu bytes: byte %zu is wrong", b->size, i);
}

static void copy_size(size_t size, int gpus)
{
	struct buffers b;

	open_buffers(&b, size, gpus);
	copy_synchronously(&b);
	copy_from_pageable(&b);
	copy_from_pinned(&b);
	if (b.peer)
		copy_to_peer(&b);
	set(&b);
	close_buffers(&b);
}

int main(int argc, char **argv)
{
	unsigned long i, iterations = 1, max = ULONG_MAX;
	int option, gpus;
	size_t k;

	while ((option = getopt(argc, argv, "i:m:h")) != -1) {
		if (option == 'i')
			iterations = workload__number(optarg);
		else if (option == 'm')
			max = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	CALL(hipGetDeviceCount, (&gpus));
	for (i = 0; i < iterations; i++) {
		for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			if (sizes[k] <= max)
				copy_size(sizes[k], gpus);
		}
	}
	return count__pass();
}
