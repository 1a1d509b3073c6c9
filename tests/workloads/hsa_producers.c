// SPDX-License-Identifier: MIT
/*
 * Threads that write packets into one small HSA queue, each in its own time.
 *
 *   add     places are reserved by hsa_queue_add_write_index, one to three at a time; a thread may
 *           wait between reserving, writing and ringing, so that others overtake it
 *   cas     places are reserved by hsa_queue_cas_write_index
 *   store   one thread, which stores the write index
 *   late    one thread, which stores the write index after its store to the doorbell
 *   never   one thread, which never stores the write index
 *   gone    queues that are destroyed while packets in them wait for a signal that never comes
 *   shared  the queue for cooperative launches, of which a GPU has one: others create and destroy
 *           it while it is in use, and then it is made again
 *   ahead   one thread, which stores to the doorbell for a packet before it has written the one
 *           before that, and has written the one after it by then
 *   held    one thread, which writes two packets each round and stores to the doorbell for them
 *           when SIGUSR1 comes
 *
 * The queue holds 64 packets, so it is full most of the time and wraps round many times. A third of
 * the dispatches completes a signal of its thread, which waits for it. All run elementAdd on one
 * array; the final data shows whether each ran once.
 */
#include <getopt.h>
#include <pthread.h>
#include <signal.h>

#include "tests/workloads/hsa_packets.h"

#define ELEMENTS   256
#define BYTES	   (ELEMENTS * sizeof(uint32_t))
#define QUEUE_SIZE 64
#define GONE	   5 /* queues */
#define SHARED	   3 /* times that it is made */

static const char usage[] = "hsa_producers -m add|cas|store|late|never|gone|shared|ahead|held [-t "
			    "THREADS] [-n ROUNDS]\n";

/* The argument block of elementAdd, without what the compiler adds for itself. */
struct arguments {
	uint32_t *data;
	uint32_t n, operand;
};

static struct gpu gpu;
static struct gpu_kernel kernel;
static struct arguments *arguments;
static hsa_queue_t *queue;
static unsigned long rounds = 300, threads = 4;
static uint32_t sum; /* of what the dispatches have added */

/* Other threads may have reserved beyond `end`. */
static void wait_for_room(uint64_t end)
{
	while ((int64_t)(end - TRY(hsa_queue_load_read_index_scacquire, (queue))) >
	       (int64_t)queue->size)
		workload__sleep_us(20);
}

static uint64_t reserve_by_add(uint64_t n)
{
	uint64_t index = TRY(hsa_queue_add_write_index_screlease, (queue, n));

	wait_for_room(index + n);
	return index;
}

static uint64_t reserve_by_cas(uint64_t n)
{
	uint64_t index = TRY(hsa_queue_load_write_index_relaxed, (queue)), found;

	for (;; index = found) {
		wait_for_room(index + n);
		found = TRY(hsa_queue_cas_write_index_scacq_screl, (queue, index, index + n));
		if (found == index)
			return index;
	}
}

static uint64_t reserve_by_store(uint64_t n)
{
	uint64_t index = TRY(hsa_queue_load_write_index_relaxed, (queue));

	wait_for_room(index + n);
	TRY(hsa_queue_store_write_index_screlease, (queue, index + n));
	return index;
}

static uint64_t next_index; /* of a program that stores no write index */
static bool tells_late;

static uint64_t reserve_silently(uint64_t n)
{
	uint64_t index = next_index;

	next_index += n;
	wait_for_room(next_index);
	return index;
}

static uint64_t (*reserve)(uint64_t n) = reserve_by_add;

static void ring(uint64_t index)
{
	packet__ring(queue, index);
	if (tells_late)
		TRY(hsa_queue_store_write_index_screlease, (queue, index + 1));
}

/* Often not at all, now and then long enough for others to overtake. */
static void dawdle(unsigned int *seed)
{
	if (rand_r(seed) % 4 == 0)
		workload__sleep_us(rand_r(seed) % 200);
}

static void dispatch(uint64_t index, hsa_signal_t done)
{
	packet__dispatch(queue, index, &kernel, arguments, ELEMENTS, done);
	KERNEL(elementAdd, 1);
	__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
}

static void *produce(void *arg)
{
	hsa_signal_t done = signal__create(1);
	unsigned int seed = (unsigned long)arg;

	for (unsigned long i = 0; i < rounds; i++) {
		uint64_t n = 1 + rand_r(&seed) % 3, index = reserve(n);
		bool signalled = rand_r(&seed) % 3 == 0;

		dawdle(&seed);
		if (signalled)
			TRY(hsa_signal_store_relaxed, (done, 1));
		for (uint64_t k = 0; k < n; k++)
			dispatch(index + k, signalled && k + 1 == n ? done : no_signal);
		dawdle(&seed);
		ring(index + n - 1);
		if (signalled)
			signal__wait(done);
	}
	signal__destroy(done);
	return NULL;
}

static hsa_queue_t *create_queue(hsa_queue_type32_t type)
{
	hsa_queue_t *q;

	CALL(hsa_queue_create,
	     (gpu.agent, QUEUE_SIZE, type, NULL, NULL, UINT32_MAX, UINT32_MAX, &q));
	return q;
}

static void drain(void)
{
	hsa_signal_t done = signal__create(1);
	uint64_t index = reserve(1);

	packet__barrier(queue, index, HSA_PACKET_TYPE_BARRIER_AND, no_signal, done);
	ring(index);
	signal__wait(done);
	signal__destroy(done);
}

static void produce_into(hsa_queue_t *q)
{
	pthread_t thread[threads];

	queue = q;
	for (unsigned long i = 0; i < threads; i++)
		CHECK(!pthread_create(&thread[i], NULL, produce, (void *)(i + 1)), "no thread");
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	drain();
	CALL(hsa_queue_destroy, (queue));
}

static void produce_all(void)
{
	produce_into(create_queue(threads > 1 ? HSA_QUEUE_TYPE_MULTI : HSA_QUEUE_TYPE_SINGLE));
}

/* What others destroy is not destroyed for the one that uses it. */
static void produce_in_shared(void)
{
	hsa_queue_t *q = create_queue(HSA_QUEUE_TYPE_COOPERATIVE), *same;

	for (int i = 0; i < 2; i++) {
		same = create_queue(HSA_QUEUE_TYPE_COOPERATIVE);
		CHECK(same == q, "two cooperative queues");
	}
	CALL(hsa_queue_destroy, (q));
	CALL(hsa_queue_destroy, (q));
	produce_into(q);
}

/* What waits in the queue is not run, and what it would have completed stays as it is. */
static void destroy_with_work(void)
{
	hsa_signal_t gate = signal__create(1), done = signal__create(1);
	uint64_t index;

	queue = create_queue(HSA_QUEUE_TYPE_MULTI);
	index = reserve(4);
	packet__barrier(queue, index, HSA_PACKET_TYPE_BARRIER_AND, gate, no_signal);
	for (int k = 1; k < 4; k++)
		packet__dispatch(queue, index + k, &kernel, arguments, ELEMENTS,
				 k == 3 ? done : no_signal);
	packet__ring(queue, index + 3);
	workload__sleep_us(5000);
	CALL(hsa_queue_destroy, (queue));
	CHECK(TRY(hsa_signal_load_scacquire, (done)) == 1, "a queue that was destroyed went on");
	signal__destroy(gate);
	signal__destroy(done);
}

/* The agent passes on the first two when the first is there. */
static void submit_ahead(void)
{
	hsa_signal_t second = signal__create(1), third = signal__create(1);
	uint64_t index = reserve(3);

	dispatch(index + 1, second);
	ring(index + 1);
	dispatch(index + 2, third);
	dispatch(index, no_signal);
	signal__wait(second);
	ring(index + 2);
	signal__wait(third);
	signal__destroy(second);
	signal__destroy(third);
}

static void submit_all_ahead(void)
{
	queue = create_queue(HSA_QUEUE_TYPE_SINGLE);
	for (unsigned long i = 0; i < rounds; i++)
		submit_ahead();
	CALL(hsa_queue_destroy, (queue));
}

static volatile sig_atomic_t told; /* signals so far */

static void on_signal(int signo)
{
	told++;
}

/*
 * Writes packets, asks for a signal by a line, and stores to the doorbell only when the signal
 * comes.
 */
static void hold(unsigned long rounds_told)
{
	hsa_signal_t done = signal__create(1);
	uint64_t index = reserve(2);

	dispatch(index, no_signal);
	dispatch(index + 1, done);
	printf("held %lu\n", rounds_told);
	fflush(stdout);
	while (told < (sig_atomic_t)rounds_told)
		workload__sleep_us(1000);
	ring(index + 1);
	signal__wait(done);
	signal__destroy(done);
}

static void hold_all(void)
{
	signal(SIGUSR1, on_signal);
	queue = create_queue(HSA_QUEUE_TYPE_SINGLE);
	for (unsigned long i = 1; i <= rounds; i++)
		hold(i);
	CALL(hsa_queue_destroy, (queue));
}

static void prepare(void)
{
	uint32_t *data;

	kernel = gpu__kernel(&gpu, "elementAdd.kd");
	data = gpu__allocate(&gpu, gpu.system, BYTES);
	workload__fill(data, ELEMENTS);
	arguments = gpu__allocate(&gpu, gpu.kernarg, kernel.kernarg_size);
	memset(arguments, 0, kernel.kernarg_size);
	arguments->data = data;
	arguments->n = ELEMENTS;
	arguments->operand = 1;
}

static void verify(void)
{
	for (uint32_t i = 0; count__verifying() && i < ELEMENTS; i++)
		CHECK(arguments->data[i] == elements__initial(i) + sum,
		      "element %u is %#x instead of %#x", i, arguments->data[i],
		      elements__initial(i) + sum);
}

static void run(const char *mode)
{
	if (!strcmp(mode, "held")) {
		hold_all();
		return;
	}
	if (!strcmp(mode, "ahead")) {
		submit_all_ahead();
		return;
	}
	if (!strcmp(mode, "shared")) {
		for (int i = 0; i < SHARED; i++)
			produce_in_shared();
		return;
	}
	if (!strcmp(mode, "gone")) {
		for (int i = 0; i < GONE; i++)
			destroy_with_work();
		reserve = reserve_by_add;
		rounds = 10;
	} else if (!strcmp(mode, "cas")) {
		reserve = reserve_by_cas;
	} else if (!strcmp(mode, "store")) {
		reserve = reserve_by_store;
		threads = 1;
	} else if (!strcmp(mode, "late") || !strcmp(mode, "never")) {
		reserve = reserve_silently;
		tells_late = mode[0] == 'l';
		threads = 1;
	} else {
		CHECK(!strcmp(mode, "add"), "no mode '%s'", mode);
	}
	produce_all();
}

int main(int argc, char **argv)
{
	const char *mode = "add";
	int option;

	while ((option = getopt(argc, argv, "m:t:n:h")) != -1) {
		if (option == 'm')
			mode = optarg;
		else if (option == 't')
			threads = workload__number(optarg);
		else if (option == 'n')
			rounds = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	gpu__open(&gpu, workload__beside("kernels.hsaco"));
	prepare();
	run(mode);
	verify();
	gpu__free(arguments->data);
	gpu__free(arguments);
	gpu__close(&gpu);
	return count__pass();
}
