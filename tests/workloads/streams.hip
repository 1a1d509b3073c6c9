/* SPDX-License-Identifier: MIT */
/*
 * Many streams at once: GPUs x threads x streams, each with its own data, kernels and copies.
 *
 * Every thread creates its own streams on one GPU. The launches of a thread go round its streams
 * and round the four element* kernels; after each eighth launch of a stream, part of its data is
 * copied out and back in asynchronously. Each stream has an array of its own size, so that copies
 * and grids tell the streams apart in a trace. The order of operations in each stream decides the
 * result, and that is verified. Prints the counts (see count.h) and the result.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>
#include <pthread.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define LAUNCHES_PER_COPY 8

static const char usage[] =
	"streams [-g GPUS] [-t THREADS per GPU] [-s STREAMS per thread] [-n LAUNCHES per stream]\n";

static unsigned long gpus = 1, threads = 2, streams = 2, launches = 64;

struct lane {
	hipStream_t stream;
	uint32_t n;
	uint32_t *host; /* pinned */
	uint32_t *gpu;
	uint32_t *expected;
	unsigned long step;
};

struct worker {
	pthread_t thread;
	int gpu;
	unsigned long index; /* among all workers */
};

static void lane_open(struct lane *lane, unsigned long index)
{
	size_t bytes;

	lane->n = 1024 + 64 * index;
	lane->step = 0;
	bytes = lane->n * sizeof(uint32_t);
	CALL(hipStreamCreate, (&lane->stream));
	CALL(hipHostMalloc, ((void **)&lane->host, bytes, 0));
	CALL(hipMalloc, ((void **)&lane->gpu, bytes));
	lane->expected = (uint32_t *)malloc(bytes);
	CHECK(lane->expected, "no memory");
	workload__fill(lane->host, lane->n);
	workload__fill(lane->expected, lane->n);
	CALL(hipMemcpyAsync, (lane->gpu, lane->host, bytes, hipMemcpyHostToDevice, lane->stream));
	COPIED(H2D, bytes);
}

/* The same on the GPU and, for the verification, on the host. */
#define STEP(lane, kernel, function, operand)                                                  \
	do {                                                                                   \
		LAUNCH(kernel, workload__blocks((lane)->n), WORKLOAD_BLOCK, 0, (lane)->stream, \
		       (lane)->gpu, (lane)->n, operand);                                       \
		for (uint32_t i_ = 0; i_ < (lane)->n; i_++)                                    \
			(lane)->expected[i_] = function((lane)->expected[i_], operand);        \
	} while (0)

/* Moves the first elements out and in again: no change of the data, if the order is kept. */
static void lane_copy(struct lane *lane)
{
	size_t bytes = lane->n / 2 * sizeof(uint32_t);

	CALL(hipMemcpyAsync, (lane->host, lane->gpu, bytes, hipMemcpyDeviceToHost, lane->stream));
	COPIED(D2H, bytes);
	CALL(hipMemcpyAsync, (lane->gpu, lane->host, bytes, hipMemcpyHostToDevice, lane->stream));
	COPIED(H2D, bytes);
}

static void lane_step(struct lane *lane)
{
	uint32_t operand = lane->step + 1;

	switch (lane->step++ % 4) {
	case 0:
		STEP(lane, elementAdd, elements__add, operand);
		break;
	case 1:
		STEP(lane, elementXor, elements__xor, operand);
		break;
	case 2:
		STEP(lane, elementMultiply, elements__multiply, operand);
		break;
	case 3:
		STEP(lane, elementRotate, elements__rotate, operand);
		break;
	}
	if (lane->step % LAUNCHES_PER_COPY == 0)
		lane_copy(lane);
}

static void lane_close(struct lane *lane)
{
	size_t bytes = lane->n * sizeof(uint32_t);

	CALL(hipMemcpyAsync, (lane->host, lane->gpu, bytes, hipMemcpyDeviceToHost, lane->stream));
	COPIED(D2H, bytes);
	CALL(hipStreamSynchronize, (lane->stream));
	CHECK(!count__verifying() || !memcmp(lane->host, lane->expected, bytes),
	      "the stream with %u elements has wrong data", lane->n);
	CALL(hipStreamDestroy, (lane->stream));
	CALL(hipFree, (lane->gpu));
	CALL(hipHostFree, (lane->host));
	free(lane->expected);
}

static void *work(void *arg)
{
	struct worker *worker = (struct worker *)arg;
	struct lane *lanes = (struct lane *)calloc(streams, sizeof(*lanes));
	unsigned long i, k;

	CHECK(lanes, "no memory");
	CALL(hipSetDevice, (worker->gpu));
	for (i = 0; i < streams; i++)
		lane_open(&lanes[i], worker->index * streams + i);
	for (k = 0; k < launches; k++)
		for (i = 0; i < streams; i++)
			lane_step(&lanes[i]);
	CALL(hipGetLastError, ());
	for (i = 0; i < streams; i++)
		lane_close(&lanes[i]);
	free(lanes);
	return NULL;
}

static void run_workers(void)
{
	unsigned long i, n = gpus * threads;
	struct worker *workers = (struct worker *)calloc(n, sizeof(*workers));

	CHECK(workers, "no memory");
	for (i = 0; i < n; i++) {
		workers[i].gpu = i % gpus;
		workers[i].index = i;
		CHECK(!pthread_create(&workers[i].thread, NULL, work, &workers[i]), "no thread");
	}
	for (i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
}

int main(int argc, char **argv)
{
	int option, present;

	while ((option = getopt(argc, argv, "g:t:s:n:h")) != -1) {
		if (option == 'g')
			gpus = workload__number(optarg);
		else if (option == 't')
			threads = workload__number(optarg);
		else if (option == 's')
			streams = workload__number(optarg);
		else if (option == 'n')
			launches = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	COUNT_REGISTRATION(KERNELS);
	CALL(hipGetDeviceCount, (&present));
	CHECK(gpus >= 1 && gpus <= (unsigned long)present, "%lu GPUs wanted, %d present", gpus,
	      present);
	run_workers();
	return count__pass();
}
