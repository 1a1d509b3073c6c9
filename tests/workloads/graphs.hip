/* SPDX-License-Identifier: MIT */
/*
 * One captured graph, launched many times: copy in, four different kernels, copy out.
 *
 * The kernels of a graph have no launch call of their own: each hipGraphLaunch runs all of them.
 * The graph continues on what the launch before left, so a lost or doubled launch shows in the
 * data. Prints the counts (see count.h) and the result.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

static const char usage[] = "graphs [-n LAUNCHES] [-e ELEMENTS]\n";

struct work {
	hipStream_t stream;
	uint32_t n;
	uint32_t *in, *out; /* pinned */
	uint32_t *gpu;
};

static void open_work(struct work *w)
{
	size_t bytes = w->n * sizeof(uint32_t);

	CALL(hipStreamCreate, (&w->stream));
	CALL(hipHostMalloc, ((void **)&w->in, bytes, 0));
	CALL(hipHostMalloc, ((void **)&w->out, bytes, 0));
	CALL(hipMalloc, ((void **)&w->gpu, bytes));
	workload__fill(w->in, w->n);
}

static void close_work(struct work *w)
{
	CALL(hipStreamDestroy, (w->stream));
	CALL(hipHostFree, (w->in));
	CALL(hipHostFree, (w->out));
	CALL(hipFree, (w->gpu));
}

static hipGraphExec_t capture(struct work *w)
{
	uint32_t blocks = workload__blocks(w->n);
	size_t bytes = w->n * sizeof(uint32_t);
	hipGraphExec_t executable;
	hipGraph_t graph;

	CALL(hipStreamBeginCapture, (w->stream, hipStreamCaptureModeGlobal));
	CALL(hipMemcpyAsync, (w->gpu, w->in, bytes, hipMemcpyHostToDevice, w->stream));
	CAPTURE(elementAdd, blocks, WORKLOAD_BLOCK, 0, w->stream, w->gpu, w->n, 1);
	CAPTURE(elementXor, blocks, WORKLOAD_BLOCK, 0, w->stream, w->gpu, w->n, 2);
	CAPTURE(elementMultiply, blocks, WORKLOAD_BLOCK, 0, w->stream, w->gpu, w->n, 3);
	CAPTURE(elementRotate, blocks, WORKLOAD_BLOCK, 0, w->stream, w->gpu, w->n, 4);
	CALL(hipMemcpyAsync, (w->out, w->gpu, bytes, hipMemcpyDeviceToHost, w->stream));
	CALL(hipStreamEndCapture, (w->stream, &graph));
	CALL(hipGraphInstantiate, (&executable, graph, NULL, NULL, 0));
	CALL(hipGraphDestroy, (graph));
	return executable;
}

static void launch(struct work *w, hipGraphExec_t executable)
{
	size_t bytes = w->n * sizeof(uint32_t);

	CALL(hipGraphLaunch, (executable, w->stream));
	COPIED(H2D, bytes);
	KERNEL(elementAdd, 1);
	KERNEL(elementXor, 1);
	KERNEL(elementMultiply, 1);
	KERNEL(elementRotate, 1);
	COPIED(D2H, bytes);
}

static void verify(struct work *w)
{
	uint32_t i, x;

	if (!count__verifying())
		return;
	for (i = 0; i < w->n; i++) {
		x = elements__add(w->in[i], 1);
		x = elements__xor(x, 2);
		x = elements__multiply(x, 3);
		x = elements__rotate(x, 4);
		CHECK(w->out[i] == x, "element %u is %#x instead of %#x", i, w->out[i], x);
	}
}

int main(int argc, char **argv)
{
	unsigned long i, launches = 20;
	hipGraphExec_t executable;
	struct work w = {};
	int option;

	w.n = 4096;
	while ((option = getopt(argc, argv, "n:e:h")) != -1) {
		if (option == 'n')
			launches = workload__number(optarg);
		else if (option == 'e')
			w.n = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	COUNT_REGISTRATION(KERNELS);
	open_work(&w);
	executable = capture(&w);
	for (i = 0; i < launches; i++) {
		launch(&w, executable);
		CALL(hipStreamSynchronize, (w.stream));
		verify(&w);
		memcpy(w.in, w.out, w.n * sizeof(uint32_t));
	}
	CALL(hipGraphExecDestroy, (executable));
	close_work(&w);
	return count__pass();
}
