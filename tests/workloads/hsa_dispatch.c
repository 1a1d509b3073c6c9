// SPDX-License-Identifier: MIT
/*
 * Packets written straight into HSA queues, in the ways that a runtime may write them.
 *
 *   one by one     each dispatch with a completion signal and a doorbell, its times asked for
 *   unsignalled    dispatches without completion signals, a barrier packet with one after them
 *   batch          many packets reserved, filled and made visible by one doorbell
 *   shared signal  many dispatches that count one completion signal down
 *   two queues     dispatches on a second queue after a barrier that waits for the first
 *   host barrier   barrier-AND and barrier-OR packets that wait for signals which the host sets
 *   handler        the completion of a dispatch calls a function of the program
 *
 * before and after asynchronous copies. All dispatches run elementAdd on one array; the final data
 * shows whether each ran once. With -k NS, the duration that the simulated GPU is configured to
 * give elementAdd, the times of the application's own signals are checked. A tool that uses these
 * signals must not corrupt them. Prints `elapsed WHAT NS`, the counts (see count.h) and the result.
 */
#include <getopt.h>

#include "tests/workloads/count.h"
#include "tests/workloads/hsa_packets.h"

#define ELEMENTS   4096
#define BYTES	   (ELEMENTS * sizeof(uint32_t))
#define QUEUE_SIZE 256

static const char usage[] = "hsa_dispatch [-n DISPATCHES of each way] [-k NS] [-o KERNELS.hsaco]\n";

/* The argument block of elementAdd, without what the compiler adds for itself. */
struct arguments {
	uint32_t *data;
	uint32_t n, operand;
};

struct program {
	struct gpu gpu;
	struct gpu_kernel kernel;
	hsa_queue_t *queue, *queue2;
	void *arguments;
	uint32_t *data; /* on the GPU */
	unsigned long dispatches;
	unsigned long kernel_ns;
	uint32_t sum; /* of what the dispatches so far have added */
};

static volatile int handler_calls;

/* The barrier bit orders every dispatch after the one before: they work on the same data. */
static void put_dispatch(struct program *p, hsa_queue_t *queue, uint64_t index, hsa_signal_t done)
{
	packet__dispatch(queue, index, &p->kernel, p->arguments, ELEMENTS, done);
	KERNEL(elementAdd, 1);
	p->sum++;
}

static uint64_t system_time(void)
{
	uint64_t time;

	CALL(hsa_system_get_info, (HSA_SYSTEM_INFO_TIMESTAMP, &time));
	return time;
}

/* The times of the application's own signal: inside what the host saw, and as long as expected. */
static uint64_t check_times(struct program *p, hsa_signal_t signal, uint64_t before)
{
	const uint64_t slack = 5000; /* the GPU's clock is known to the host to some microseconds */
	hsa_amd_profiling_dispatch_time_t times;
	uint64_t after = system_time(), ns;

	CALL(hsa_amd_profiling_get_dispatch_time, (p->gpu.agent, signal, &times));
	CHECK(times.start + slack >= before && times.end <= after + slack,
	      "the dispatch ran outside the time that the host waited for it");
	ns = times.end - times.start;
	if (p->kernel_ns)
		CHECK(ns + 1000 + ns / 1000 >= p->kernel_ns &&
			      ns <= p->kernel_ns + 1000 + p->kernel_ns / 1000,
		      "the dispatch took %lu ns instead of %lu", ns, p->kernel_ns);
	return ns;
}

static void one_by_one(struct program *p)
{
	hsa_signal_t done = signal__create(1);
	uint64_t index, before, ns = 0;
	unsigned long i;

	for (i = 0; i < p->dispatches; i++) {
		TRY(hsa_signal_store_relaxed, (done, 1));
		before = system_time();
		index = packet__reserve(p->queue, 1);
		put_dispatch(p, p->queue, index, done);
		packet__ring(p->queue, index);
		signal__wait(done);
		ns += check_times(p, done, before);
	}
	printf("elapsed one-by-one %lu\n", ns);
	signal__destroy(done);
}

static void unsignalled(struct program *p)
{
	hsa_signal_t done = signal__create(1);
	uint64_t index;
	unsigned long i;

	for (i = 0; i < p->dispatches; i++) {
		index = packet__reserve(p->queue, 1);
		put_dispatch(p, p->queue, index, no_signal);
		packet__ring(p->queue, index);
	}
	index = packet__reserve(p->queue, 1);
	packet__barrier(p->queue, index, HSA_PACKET_TYPE_BARRIER_AND, no_signal, done);
	packet__ring(p->queue, index);
	signal__wait(done);
	signal__destroy(done);
}

/* Batches of up to half the queue, of which only the last packet has a signal. */
static void batch(struct program *p)
{
	hsa_signal_t done = signal__create(1);
	unsigned long left = p->dispatches, n, i;
	uint64_t index;

	while (left) {
		n = left < QUEUE_SIZE / 2 ? left : QUEUE_SIZE / 2;
		left -= n;
		TRY(hsa_signal_store_relaxed, (done, 1));
		index = packet__reserve(p->queue, n);
		for (i = 0; i < n; i++)
			put_dispatch(p, p->queue, index + i, i + 1 < n ? no_signal : done);
		packet__ring(p->queue, index + n - 1);
		signal__wait(done);
	}
	signal__destroy(done);
}

static void shared_signal(struct program *p)
{
	hsa_signal_t done = signal__create(p->dispatches);
	uint64_t index;
	unsigned long i;

	for (i = 0; i < p->dispatches; i++) {
		index = packet__reserve(p->queue, 1);
		put_dispatch(p, p->queue, index, done);
		packet__ring(p->queue, index);
	}
	signal__wait(done);
	signal__destroy(done);
}

static void two_queues(struct program *p)
{
	hsa_signal_t first = signal__create(1), second = signal__create(1);
	uint64_t index;

	index = packet__reserve(p->queue2, 2);
	packet__barrier(p->queue2, index, HSA_PACKET_TYPE_BARRIER_AND, first, no_signal);
	put_dispatch(p, p->queue2, index + 1, second);
	packet__ring(p->queue2, index + 1);
	index = packet__reserve(p->queue, 1);
	put_dispatch(p, p->queue, index, first);
	packet__ring(p->queue, index);
	signal__wait(second);
	CHECK(TRY(hsa_signal_load_relaxed, (first)) == 0, "the second queue did not wait");
	signal__destroy(first);
	signal__destroy(second);
}

static void host_barrier(struct program *p, hsa_packet_type_t type)
{
	hsa_signal_t gate = signal__create(1), done = signal__create(1);
	uint64_t index = packet__reserve(p->queue, 2);
	hsa_signal_value_t early;

	packet__barrier(p->queue, index, type, gate, no_signal);
	put_dispatch(p, p->queue, index + 1, done);
	packet__ring(p->queue, index + 1);
	workload__sleep_us(5000);
	early = TRY(hsa_signal_load_scacquire, (done));
	CHECK(early == 1, "the barrier did not hold");
	TRY(hsa_signal_subtract_screlease, (gate, 1));
	signal__wait(done);
	signal__destroy(gate);
	signal__destroy(done);
}

static bool handle(hsa_signal_value_t value, void *arg)
{
	handler_calls++;
	return false;
}

static void handler(struct program *p)
{
	hsa_signal_t done = signal__create(1);
	uint64_t index = packet__reserve(p->queue, 1);
	int patience = 120000;

	CALL(hsa_amd_signal_async_handler, (done, HSA_SIGNAL_CONDITION_LT, 1, handle, NULL));
	put_dispatch(p, p->queue, index, done);
	packet__ring(p->queue, index);
	signal__wait(done);
	while (!handler_calls && patience--)
		workload__sleep_us(1000);
	CHECK(handler_calls == 1, "the handler was called %d times", handler_calls);
	signal__destroy(done);
}

static void copy(struct program *p, void *to, hsa_agent_t to_agent, void *from,
		 hsa_agent_t from_agent, const char *what)
{
	hsa_amd_profiling_async_copy_time_t times;
	hsa_signal_t done = signal__create(1);

	CALL(hsa_amd_memory_async_copy, (to, to_agent, from, from_agent, BYTES, 0, NULL, done));
	signal__wait(done);
	CALL(hsa_amd_profiling_get_async_copy_time, (done, &times));
	CHECK(times.end > times.start, "a copy has no duration");
	printf("elapsed %s %lu\n", what, times.end - times.start);
	signal__destroy(done);
}

static hsa_queue_t *create_queue(struct program *p)
{
	hsa_queue_t *queue;

	CALL(hsa_queue_create, (p->gpu.agent, QUEUE_SIZE, HSA_QUEUE_TYPE_MULTI, NULL, NULL,
				UINT32_MAX, UINT32_MAX, &queue));
	CALL(hsa_amd_profiling_set_profiler_enabled, (queue, 1));
	return queue;
}

static void run_all_ways(struct program *p)
{
	one_by_one(p);
	unsignalled(p);
	batch(p);
	shared_signal(p);
	two_queues(p);
	host_barrier(p, HSA_PACKET_TYPE_BARRIER_AND);
	host_barrier(p, HSA_PACKET_TYPE_BARRIER_OR);
	handler(p);
}

static void verify(const struct program *p, const uint32_t *data)
{
	uint32_t i, expected;

	for (i = 0; count__verifying() && i < ELEMENTS; i++) {
		expected = elements__initial(i) + p->sum;
		CHECK(data[i] == expected, "element %u is %#x instead of %#x", i, data[i],
		      expected);
	}
}

static void set_arguments(struct program *p)
{
	struct arguments *arguments;

	p->arguments = gpu__allocate(&p->gpu, p->gpu.kernarg, p->kernel.kernarg_size);
	memset(p->arguments, 0, p->kernel.kernarg_size);
	arguments = p->arguments;
	arguments->data = p->data;
	arguments->n = ELEMENTS;
	arguments->operand = 1;
}

static void run(struct program *p)
{
	uint32_t *host = gpu__allocate(&p->gpu, p->gpu.system, BYTES);
	void *scratch = gpu__allocate(&p->gpu, p->gpu.local, BYTES);

	p->data = gpu__allocate(&p->gpu, p->gpu.local, BYTES);
	p->kernel = gpu__kernel(&p->gpu, "elementAdd.kd");
	set_arguments(p);
	CALL(hsa_amd_profiling_async_copy_enable, (true));
	p->queue = create_queue(p);
	p->queue2 = create_queue(p);
	workload__fill(host, ELEMENTS);
	copy(p, scratch, p->gpu.agent, host, p->gpu.cpu, "H2D");
	COPIED(H2D, BYTES);
	copy(p, p->data, p->gpu.agent, scratch, p->gpu.agent, "D2D");
	COPIED(D2D, BYTES);
	run_all_ways(p);
	memset(host, 0, BYTES);
	copy(p, host, p->gpu.cpu, p->data, p->gpu.agent, "D2H");
	COPIED(D2H, BYTES);
	verify(p, host);
	CALL(hsa_queue_destroy, (p->queue));
	CALL(hsa_queue_destroy, (p->queue2));
	gpu__free(p->arguments);
	gpu__free(p->data);
	gpu__free(scratch);
	gpu__free(host);
}

int main(int argc, char **argv)
{
	const char *code_object = workload__beside("kernels.hsaco");
	struct program program = {.dispatches = 200};
	int option;

	while ((option = getopt(argc, argv, "n:k:o:h")) != -1) {
		if (option == 'n')
			program.dispatches = workload__number(optarg);
		else if (option == 'k')
			program.kernel_ns = workload__number(optarg);
		else if (option == 'o')
			code_object = optarg;
		else
			return workload__usage(option, usage);
	}
	gpu__open(&program.gpu, code_object);
	run(&program);
	gpu__close(&program.gpu);
	return count__pass();
}
