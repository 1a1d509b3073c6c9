/* SPDX-License-Identifier: MIT */
/*
 * One captured graph, launched many times: copy in, four different kernels, copy out.
 *
 * The kernels of a graph have no launch call of their own: each hipGraphLaunch runs all of them.
 * The graph continues on what the launch before left, so a lost or doubled launch shows in the
 * data. Prints the counts (see count.h) and the result.
 *
 * With -b another thread launches a kernel on a stream of its own meanwhile; with one queue for all
 * streams (GPU_MAX_HW_QUEUES=1) each thread passes on what the other has written. (Several
 * threads that launch graphs with the same kernels would not do: with HIP 5.2 one's kernel runs on
 * another's data at times, traced or not.)
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>
#include <pthread.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

static const char usage[] = "graphs [-n LAUNCHES] [-e ELEMENTS] [-b]\n";

static unsigned long launches = 20;

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

static void run(struct work *w, hipGraphExec_t executable)
{
	for (unsigned long i = 0; i < launches; i++) {
		launch(w, executable);
		CALL(hipStreamSynchronize, (w->stream));
		verify(w);
		memcpy(w->in, w->out, w->n * sizeof(uint32_t));
	}
}

static void *run_beside(void *)
{
	hipStream_t stream;
	uint32_t *cell;

	CALL(hipStreamCreate, (&stream));
	CALL(hipHostMalloc, ((void **)&cell, sizeof(*cell), 0));
	for (uint32_t i = 1; i <= 4 * launches; i++) {
		LAUNCH(slowStore, 1, 1, 0, stream, cell, i, 1);
		CALL(hipStreamSynchronize, (stream));
		CHECK(!count__verifying() || *cell == i, "the cell is %u instead of %u", *cell, i);
	}
	CALL(hipHostFree, (cell));
	CALL(hipStreamDestroy, (stream));
	return NULL;
}

int main(int argc, char **argv)
{
	hipGraphExec_t executable;
	bool beside = false;
	struct work w = {};
	pthread_t thread;
	int option;

	w.n = 4096;
	while ((option = getopt(argc, argv, "n:e:bh")) != -1) {
		if (option == 'n')
			launches = workload__number(optarg);
		else if (option == 'e')
			w.n = workload__number(optarg);
		else if (option == 'b')
			beside = true;
		else
			return workload__usage(option, usage);
	}
	COUNT_REGISTRATION(KERNELS);
	open_work(&w);
	executable = capture(&w);
	if (beside)
		CHECK(!pthread_create(&thread, NULL, run_beside, NULL), "no thread");
	run(&w, executable);
	if (beside)
		pthread_join(thread, NULL);
	CALL(hipGraphExecDestroy, (executable));
	close_work(&w);
	return count__pass();
}
