/* SPDX-License-Identifier: MIT */
/*
 * Very many dispatches, each told from all the others: GPUs, streams and threads with kernels,
 * graphs and copies between them.
 *
 * A lane is a stream with memory of its own. The lanes are dealt out to the threads and to the GPUs
 * so that a thread has lanes on several GPUs and a GPU has lanes of several threads. A dispatch has
 * a number that is unique in the run, written into the shape of its grid (storm.h); a copy has a
 * size that is unique. The dispatches of a graph get theirs before each launch, by
 * hipGraphExecKernelNodeSetParams and hipGraphExecMemcpyNodeSetParams1D. So each operation of the
 * GPU can be led back to the very call that asked for it.
 *
 * The GPU keeps a list of what ran in each lane. It must be in the order of submission, what was
 * computed must be right, and a copy must find as many kernels done as were submitted before it.
 * With -o the program prints that list, and the order in which the host was told of completions:
 *
 *   order LANE gpu SERIAL...       by the kernels themselves
 *   order LANE host SERIAL...      by callbacks behind each step; copies as cSIZE
 *
 * then the counts (see count.h) and the result.
 */
#include <hip/hip_runtime.h>

#include <getopt.h>
#include <pthread.h>

#include "tests/workloads/count.h"
#include "tests/workloads/storm.h"
#include "tests/workloads/workload.h"

#define STORM_KERNELS 4
#define GRAPH_KERNELS 4
#define COPY_MIN      20000 /* bytes, and each copy one more; HIP 6 copies up to 16 KiB by kernels */
#define FRONT_SIZE    128   /* what copies to the GPU spare */

static const char usage[] =
	"storm [-g GPUS] [-s STREAMS] [-t THREADS] [-n DISPATCHES]\n"
	"      [-G N]   a graph launch in place of every Nth dispatch (default 32, 0 none)\n"
	"      [-c N]   a copy after every Nth dispatch (default 16, 0 none)\n"
	"      [-e N]   a stream waits for another after every Nth dispatch (default 64, 0 none)\n"
	"      [-b N]   wait for all streams after N dispatches in each (default 64)\n"
	"      [-p N]   and pause for N tenths of the time that this took (default 0)\n"
	"      [-o]     print the order of completion\n";

static unsigned long gpus = 1, threads = 2, streams = 4, dispatches = 1000;
static unsigned long graph_every = 32, copy_every = 16, wait_every = 64, burst = 64, pause_tenths;
static int ordered;

/* What the host was told of: a dispatch, or the size of a copy. */
struct step {
	struct lane *lane;
	uint32_t what;
	bool is_copy;
};

struct lane {
	unsigned long index;
	int gpu;
	hipStream_t stream;
	hipEvent_t event;
	unsigned long wanted, made;  /* dispatches */
	unsigned long copies, plain; /* copies, and those of them outside of graphs */
	size_t payload;		     /* bytes that copies move at most, the front included */
	size_t size;		     /* of the memory: the payload, then the list of what ran */
	uint8_t *host;		     /* pinned: copied to the GPU */
	uint8_t *back;		     /* pinned: copied from the GPU */
	uint8_t *memory, *peer;
	uint32_t *list;	     /* in `memory` */
	uint32_t back_after; /* kernels submitted before the last copy to `back` */
	struct step *steps;
	uint32_t *told, tellings;
	unsigned long step_count;
	hipGraph_t graph;
	hipGraphExec_t executable;
	hipGraphNode_t kernels[GRAPH_KERNELS], copy;
};

struct worker {
	pthread_t thread;
	struct lane *lanes;
	unsigned long count;
};

/* ---- kernels ---- */

/* One row of work-items computes; the list takes the number that the grid shows. */
static __device__ void run(struct storm_front *front, uint32_t *list, uint32_t serial)
{
	struct storm_shape shape = {{gridDim.x, gridDim.y, gridDim.z},
				    {blockDim.x, blockDim.y, blockDim.z}};
	uint32_t *x = &front->data[threadIdx.x];

	if (blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.y + threadIdx.z)
		return;
	*x = storm__apply(*x, serial);
	if (!threadIdx.x)
		list[front->done++] = storm__serial(&shape);
}

extern "C" __global__ void stormAdd(struct storm_front *front, uint32_t *list, uint32_t serial)
{
	run(front, list, serial);
}

extern "C" __global__ void stormXor(struct storm_front *front, uint32_t *list, uint32_t serial)
{
	run(front, list, serial);
}

extern "C" __global__ void stormMultiply(struct storm_front *front, uint32_t *list, uint32_t serial)
{
	run(front, list, serial);
}

/* For the nodes of graphs, see graph_lock. */
extern "C" __global__ void stormNode(struct storm_front *front, uint32_t *list, uint32_t serial)
{
	run(front, list, serial);
}

static void *kernel_of(uint32_t serial)
{
	static void *const kernels[] = {(void *)stormAdd, (void *)stormXor, (void *)stormMultiply};

	return kernels[storm__kind(serial)];
}

static void count_kernel(uint32_t serial)
{
	if (storm__kind(serial) == 0)
		KERNEL(stormAdd, 1);
	else if (storm__kind(serial) == 1)
		KERNEL(stormXor, 1);
	else
		KERNEL(stormMultiply, 1);
}

static dim3 dim3_of(const uint32_t *size)
{
	return dim3(size[0], size[1], size[2]);
}

/* ---- the order in which the host is told ---- */

static void on_step(hipStream_t stream, hipError_t status, void *arg)
{
	struct step *step = (struct step *)arg;

	step->lane->told[step->lane->tellings++] = step - step->lane->steps;
}

static void tell_step(struct lane *lane, uint32_t what, bool is_copy)
{
	struct step *step = &lane->steps[lane->step_count];

	if (!ordered)
		return;
	lane->step_count++;
	*step = (struct step){lane, what, is_copy};
	CALL(hipStreamAddCallback, (lane->stream, on_step, step, 0));
}

static void print_order(const struct lane *lane)
{
	const uint32_t *list = (const uint32_t *)(lane->back + lane->payload);
	const struct step *step;
	unsigned long i;

	printf("order %lu gpu", lane->index);
	for (i = 0; i < lane->made; i++)
		printf(" %u", list[i]);
	printf("\norder %lu host", lane->index);
	for (i = 0; i < lane->tellings; i++) {
		step = &lane->steps[lane->told[i]];
		printf(" %s%u", step->is_copy ? "c" : "", step->what);
	}
	printf("\n");
}

/* ---- steps of a lane ---- */

/* The next dispatch's number. */
static uint32_t next_serial(struct lane *lane)
{
	return lane->index + streams * lane->made++;
}

/* The next copy's size. */
static size_t next_size(struct lane *lane)
{
	return COPY_MIN + lane->index + streams * lane->copies++;
}

static void launch(struct lane *lane)
{
	uint32_t serial = next_serial(lane);
	struct storm_shape shape = storm__shape(serial);
	void *args[] = {&lane->memory, &lane->list, &serial};

	count_kernel(serial);
	CALL(hipLaunchKernel,
	     (kernel_of(serial), dim3_of(shape.grid), dim3_of(shape.block), args, 0, lane->stream));
	tell_step(lane, serial, false);
}

static void set_kernel_node(struct lane *lane, hipGraphNode_t node)
{
	uint32_t serial = next_serial(lane);
	struct storm_shape shape = storm__shape(serial);
	void *args[] = {&lane->memory, &lane->list, &serial};
	hipKernelNodeParams params = {};

	params.func = (void *)stormNode;
	params.gridDim = dim3_of(shape.grid);
	params.blockDim = dim3_of(shape.block);
	params.kernelParams = args;
	KERNEL(stormNode, 1);
	CALL(hipGraphExecKernelNodeSetParams, (lane->executable, node, &params));
}

/*
 * HIP 5.2 keeps the arguments of a kernel in one place for all threads, and takes its lock for
 * plain launches only: nodes of graphs have a kernel of their own and are set and launched under
 * ours.
 */
static pthread_mutex_t graph_lock = PTHREAD_MUTEX_INITIALIZER;

static void launch_graph(struct lane *lane)
{
	uint32_t first = lane->index + streams * lane->made;
	size_t size = next_size(lane);
	int i;

	pthread_mutex_lock(&graph_lock);
	for (i = 0; i < GRAPH_KERNELS; i++)
		set_kernel_node(lane, lane->kernels[i]);
	CALL(hipGraphExecMemcpyNodeSetParams1D,
	     (lane->executable, lane->copy, lane->back, lane->memory, size, hipMemcpyDeviceToHost));
	COPIED(D2H, size);
	lane->back_after = lane->made;
	CALL(hipGraphLaunch, (lane->executable, lane->stream));
	pthread_mutex_unlock(&graph_lock);
	tell_step(lane, first, false);
}

static void copy(struct lane *lane)
{
	size_t size = next_size(lane);

	switch (lane->plain++ % 3) {
	case 0:
		CALL(hipMemcpyAsync,
		     (lane->back, lane->memory, size, hipMemcpyDeviceToHost, lane->stream));
		COPIED(D2H, size);
		lane->back_after = lane->made;
		break;
	case 1:
		CALL(hipMemcpyAsync, (lane->memory + FRONT_SIZE, lane->host + FRONT_SIZE, size,
				      hipMemcpyHostToDevice, lane->stream));
		COPIED(H2D, size);
		break;
	case 2:
		CALL(hipMemcpyAsync,
		     (lane->peer, lane->memory, size, hipMemcpyDeviceToDevice, lane->stream));
		COPIED(D2D, size);
		break;
	}
	tell_step(lane, size, true);
}

static bool is_nth(unsigned long n, unsigned long every)
{
	return every && n % every == 0;
}

static void use_gpu(int gpu)
{
	static __thread int used = -1;

	if (used == gpu)
		return;
	CALL(hipSetDevice, (gpu));
	used = gpu;
}

static void take_step(struct lane *lane)
{
	unsigned long before = lane->made;

	use_gpu(lane->gpu);
	if (is_nth(before + 1, graph_every) && lane->wanted - before >= GRAPH_KERNELS)
		launch_graph(lane);
	else
		launch(lane);
	if (copy_every && before / copy_every != lane->made / copy_every)
		copy(lane);
}

/* The other lane goes on when this one has got here. */
static void let_wait(struct lane *lane, struct lane *other)
{
	CALL(hipEventRecord, (lane->event, lane->stream));
	CALL(hipStreamWaitEvent, (other->stream, lane->event, 0));
}

/* ---- lanes ---- */

static void check_back(const struct lane *lane)
{
	const struct storm_front *front = (const struct storm_front *)lane->back;

	CHECK(!count__verifying() || front->done == lane->back_after,
	      "lane %lu: a copy found %u kernels done instead of %u", lane->index, front->done,
	      lane->back_after);
}

static void check_results(const struct lane *lane)
{
	const struct storm_front *front = (const struct storm_front *)lane->back;
	const uint32_t *list = (const uint32_t *)(lane->back + lane->payload);
	struct storm_front expected = {};
	unsigned long i, k;

	if (!count__verifying())
		return;
	workload__fill(expected.data, STORM_ELEMENTS);
	for (i = 0; i < lane->made; i++) {
		uint32_t serial = lane->index + streams * i;

		CHECK(list[i] == serial, "lane %lu: kernel %lu is %u instead of %u", lane->index, i,
		      list[i], serial);
		for (k = 0; k < STORM_ELEMENTS; k++)
			expected.data[k] = storm__apply(expected.data[k], serial);
	}
	CHECK(front->done == lane->made, "lane %lu: %u kernels instead of %lu", lane->index,
	      front->done, lane->made);
	CHECK(!memcmp(front->data, expected.data, sizeof(front->data)), "lane %lu has wrong data",
	      lane->index);
	CHECK(!memcmp(lane->back + FRONT_SIZE, lane->host + FRONT_SIZE, lane->payload - FRONT_SIZE),
	      "lane %lu: copies have left wrong data", lane->index);
}

static void open_graph(struct lane *lane)
{
	struct storm_shape shape = storm__shape(0);
	uint32_t serial = 0;
	void *args[] = {&lane->memory, &lane->list, &serial};
	hipKernelNodeParams params = {};
	int i;

	params.func = (void *)stormNode;
	params.gridDim = dim3_of(shape.grid);
	params.blockDim = dim3_of(shape.block);
	params.kernelParams = args;
	CALL(hipGraphCreate, (&lane->graph, 0));
	for (i = 0; i < GRAPH_KERNELS; i++)
		CALL(hipGraphAddKernelNode, (&lane->kernels[i], lane->graph,
					     i ? &lane->kernels[i - 1] : NULL, !!i, &params));
	CALL(hipGraphAddMemcpyNode1D, (&lane->copy, lane->graph, &lane->kernels[i - 1], 1,
				       lane->back, lane->memory, COPY_MIN, hipMemcpyDeviceToHost));
	CALL(hipGraphInstantiate, (&lane->executable, lane->graph, NULL, NULL, 0));
}

static unsigned long at_most(unsigned long every, const struct lane *lane)
{
	return every ? lane->wanted / every + 1 : 0;
}

static void open_memory(struct lane *lane)
{
	unsigned long copies = at_most(copy_every, lane) + at_most(graph_every, lane);

	lane->payload = (FRONT_SIZE + COPY_MIN + streams * copies + 3) / 4 * 4;
	lane->size = lane->payload + lane->wanted * sizeof(uint32_t);
	use_gpu((lane->gpu + 1) % gpus);
	CALL(hipMalloc, ((void **)&lane->peer, lane->payload));
	use_gpu(lane->gpu);
	CALL(hipMalloc, ((void **)&lane->memory, lane->size));
	CALL(hipHostMalloc, ((void **)&lane->host, lane->size, 0));
	CALL(hipHostMalloc, ((void **)&lane->back, lane->size, 0));
	lane->list = (uint32_t *)(lane->memory + lane->payload);
	workload__fill((uint32_t *)lane->host, lane->size / sizeof(uint32_t));
	((struct storm_front *)lane->host)->done = 0;
	memset(lane->back, 0, lane->size);
	if (!ordered)
		return;
	lane->steps = (struct step *)calloc(lane->wanted + copies, sizeof(*lane->steps));
	lane->told = (uint32_t *)calloc(lane->wanted + copies, sizeof(*lane->told));
	CHECK(lane->steps && lane->told, "no memory");
}

static void open_lane(struct lane *lane, unsigned long index)
{
	lane->index = index;
	lane->gpu = index % gpus;
	lane->wanted = dispatches / streams + (index < dispatches % streams);
	open_memory(lane);
	CALL(hipStreamCreate, (&lane->stream));
	CALL(hipEventCreateWithFlags, (&lane->event, hipEventDisableTiming));
	if (graph_every)
		open_graph(lane);
	CALL(hipMemcpyAsync,
	     (lane->memory, lane->host, lane->size, hipMemcpyHostToDevice, lane->stream));
	COPIED(H2D, lane->size);
	CALL(hipStreamSynchronize, (lane->stream));
}

static void close_lane(struct lane *lane)
{
	use_gpu(lane->gpu);
	CALL(hipMemcpyAsync,
	     (lane->back, lane->memory, lane->size, hipMemcpyDeviceToHost, lane->stream));
	COPIED(D2H, lane->size);
	CALL(hipStreamSynchronize, (lane->stream));
	check_results(lane);
	if (ordered)
		print_order(lane);
	if (graph_every) {
		CALL(hipGraphExecDestroy, (lane->executable));
		CALL(hipGraphDestroy, (lane->graph));
	}
	CALL(hipEventDestroy, (lane->event));
	CALL(hipStreamDestroy, (lane->stream));
	CALL(hipFree, (lane->memory));
	CALL(hipFree, (lane->peer));
	CALL(hipHostFree, (lane->host));
	CALL(hipHostFree, (lane->back));
	free(lane->steps);
	free(lane->told);
}

/* ---- threads ---- */

/* So many dispatches in each lane, in turn; true while there is more to do. */
static bool run_burst(struct worker *w)
{
	bool more = false;
	unsigned long i, k;

	for (k = 0; k < burst; k++) {
		for (i = 0; i < w->count; i++) {
			struct lane *lane = &w->lanes[i];

			if (lane->made == lane->wanted)
				continue;
			take_step(lane);
			if (wait_every && lane->made % wait_every == 0)
				let_wait(lane, &w->lanes[(i + 1) % w->count]);
			more |= lane->made < lane->wanted;
		}
	}
	for (i = 0; i < w->count; i++) {
		CALL(hipStreamSynchronize, (w->lanes[i].stream));
		check_back(&w->lanes[i]);
	}
	return more;
}

static void *work(void *arg)
{
	struct worker *w = (struct worker *)arg;
	uint64_t before, took;
	bool more;

	do {
		before = workload__now_ns();
		more = run_burst(w);
		took = workload__now_ns() - before;
		if (pause_tenths)
			workload__sleep_us(took * pause_tenths / 10000);
	} while (more);
	return NULL;
}

/* Neighbouring lanes belong to one thread, and to different GPUs. */
static void deal_out(struct worker *workers, struct lane *lanes)
{
	unsigned long i, next = 0;

	for (i = 0; i < threads; i++) {
		workers[i].lanes = &lanes[next];
		workers[i].count = streams / threads + (i < streams % threads);
		next += workers[i].count;
	}
}

static void run_all(void)
{
	struct lane *lanes = (struct lane *)calloc(streams, sizeof(*lanes));
	struct worker *workers = (struct worker *)calloc(threads, sizeof(*workers));
	unsigned long i;

	CHECK(lanes && workers, "no memory");
	for (i = 0; i < streams; i++)
		open_lane(&lanes[i], i);
	deal_out(workers, lanes);
	for (i = 0; i < threads; i++)
		CHECK(!pthread_create(&workers[i].thread, NULL, work, &workers[i]), "no thread");
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < streams; i++)
		close_lane(&lanes[i]);
	free(workers);
	free(lanes);
}

static bool set_option(int option, const char *value)
{
	static const struct {
		int option;
		unsigned long *number;
	} numbers[] = {
		{'g', &gpus},	    {'s', &streams},	 {'t', &threads},
		{'n', &dispatches}, {'G', &graph_every}, {'c', &copy_every},
		{'e', &wait_every}, {'b', &burst},	 {'p', &pause_tenths},
	};
	size_t i;

	if (option == 'o')
		ordered = 1;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].option != option)
			continue;
		*numbers[i].number = workload__number(value);
		return true;
	}
	return option == 'o';
}

int main(int argc, char **argv)
{
	int option, present;

	while ((option = getopt(argc, argv, "g:s:t:n:G:c:e:b:p:oh")) != -1)
		if (!set_option(option, optarg))
			return workload__usage(option, usage);
	COUNT_REGISTRATION(STORM_KERNELS);
	CALL(hipGetDeviceCount, (&present));
	CHECK(gpus >= 1 && gpus <= (unsigned long)present, "%lu GPUs wanted, %d present", gpus,
	      present);
	CHECK(threads >= 1 && threads <= streams && burst >= 1, "a thread needs streams");
	CHECK(dispatches <= STORM_SERIALS - streams, "no more than %u dispatches", STORM_SERIALS);
	run_all();
	return count__pass();
}
