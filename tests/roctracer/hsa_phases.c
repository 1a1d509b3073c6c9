// SPDX-License-Identifier: MIT
/*
 * An HSA program that enables and disables records of HSA_OPS and the packets of HSA_EVT, again and
 * again, while threads dispatch and copy. Each operation that began and ended while its records
 * were enabled is reported. None is reported that was not in flight then, and nothing once
 * disabling has returned. Every other time nothing is in flight when records are enabled and
 * disabled: then the numbers are the same.
 *
 *   hsa_phases [-t THREADS] [-n PHASES]
 *
 * Every sixth time packets are disabled from inside of their callback. Prints `told WHAT N`, the
 * counts (see count.h) and the result.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>

#include "roctracer_hsa.h"
#include "tests/workloads/count.h"
#include "tests/workloads/hsa_packets.h"

#define ELEMENTS    256
#define THREADS_MAX 16
#define QUEUE_SIZE  64
#define PER_PHASE   12 /* operations of a kind, at least */

static const char usage[] = "hsa_phases [-t THREADS] [-n PHASES]\n";

enum { DISPATCH, COPY, PACKET, KINDS };
static const char *const kinds[KINDS] = {"dispatch", "copy", "packet"};

static struct gpu gpu;
static struct gpu_kernel kernel;
static void *arguments;
static uint64_t begun[KINDS], ended[KINDS], told[KINDS];
static uint64_t threads = 4, held;
static bool quit, hold, disable_inside, disabled_inside;

static uint64_t get(const uint64_t *n)
{
	return __atomic_load_n(n, __ATOMIC_SEQ_CST);
}

static void add(uint64_t *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST);
}

#define OK(call) CHECK(!(call), "%s: %s", #call, roctracer_error_string())

/* ---- the threads ---- */

static void dispatch(hsa_queue_t *queue, hsa_signal_t done)
{
	uint64_t index;

	TRY(hsa_signal_store_relaxed, (done, 1));
	add(&begun[DISPATCH]);
	add(&begun[PACKET]);
	index = packet__reserve(queue, 1);
	packet__dispatch(queue, index, &kernel, arguments, ELEMENTS, done);
	packet__ring(queue, index);
	add(&ended[PACKET]);
	signal__wait(done);
	add(&ended[DISPATCH]);
}

static void copy(void *to, const void *from, hsa_signal_t done)
{
	TRY(hsa_signal_store_relaxed, (done, 1));
	add(&begun[COPY]);
	CALL(hsa_amd_memory_async_copy, (to, gpu.agent, from, gpu.cpu, 4096, 0, NULL, done));
	signal__wait(done);
	add(&ended[COPY]);
}

static void pause_here(void)
{
	if (!__atomic_load_n(&hold, __ATOMIC_SEQ_CST))
		return;
	add(&held);
	while (__atomic_load_n(&hold, __ATOMIC_SEQ_CST))
		workload__sleep_us(20);
	__atomic_fetch_sub(&held, 1, __ATOMIC_SEQ_CST);
}

static void *work(void *arg)
{
	void *from = gpu__allocate(&gpu, gpu.system, 4096);
	void *to = gpu__allocate(&gpu, gpu.local, 4096);
	hsa_signal_t done = signal__create(1);
	hsa_queue_t *queue;

	CALL(hsa_queue_create, (gpu.agent, QUEUE_SIZE, HSA_QUEUE_TYPE_SINGLE, NULL, NULL,
				UINT32_MAX, UINT32_MAX, &queue));
	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED)) {
		copy(to, from, done);
		dispatch(queue, done);
		pause_here();
	}
	CALL(hsa_queue_destroy, (queue));
	signal__destroy(done);
	gpu__free(to);
	gpu__free(from);
	return NULL;
}

/* ---- what is reported ---- */

static void on_packet(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const hsa_evt_data_t *e = data;
	const hsa_kernel_dispatch_packet_t *packet = e->submit.packet;
	uint64_t time = 0;

	/* The runtime's own packets are of no interest here. */
	if (!e->submit.kernel_name || packet->kernel_object != kernel.object)
		return;
	CHECK(!strcmp(e->submit.kernel_name, "elementAdd"), "a packet's kernel is %s",
	      e->submit.kernel_name);
	CHECK(packet->kernarg_address == arguments && e->submit.queue->size == QUEUE_SIZE &&
		      e->submit.device_type == HSA_DEVICE_TYPE_GPU,
	      "it is not the packet that was written");
	CHECK(!hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &time) && time, "no time");
	if (__atomic_exchange_n(&disable_inside, false, __ATOMIC_SEQ_CST)) {
		OK(roctracer_disable_op_callback(ACTIVITY_DOMAIN_HSA_EVT, HSA_EVT_ID_SUBMIT));
		__atomic_store_n(&disabled_inside, true, __ATOMIC_SEQ_CST);
	}
	add(&told[PACKET]);
}

static void on_record(const activity_record_t *r)
{
	CHECK(r->domain == ACTIVITY_DOMAIN_HSA_OPS && r->begin_ns && r->end_ns > r->begin_ns,
	      "a record of domain %u, operation %u from %lu to %lu", r->domain, r->op, r->begin_ns,
	      r->end_ns);
	if (r->op == HSA_OP_ID_DISPATCH && !strcmp(r->kernel_name, "elementAdd"))
		add(&told[DISPATCH]);
	else if (r->op == HSA_OP_ID_COPY && r->bytes == 4096)
		add(&told[COPY]);
	else
		CHECK(r->op == HSA_OP_ID_BARRIER, "a record of another operation");
}

static void on_records(const char *begin, const char *end, void *arg)
{
	const activity_record_t *r = (const void *)begin;

	while (r < (const activity_record_t *)end) {
		on_record(r);
		roctracer_next_record(r, &r);
	}
}

/* ---- phases ---- */

static void wait_for(const uint64_t *n, uint64_t more)
{
	uint64_t want = get(n) + more;

	while (get(n) < want)
		workload__sleep_us(100);
}

static void snapshot(const uint64_t *from, uint64_t *to)
{
	for (int i = 0; i < KINDS; i++)
		to[i] = get(&from[i]);
}

static void hold_threads(bool on)
{
	__atomic_store_n(&hold, on, __ATOMIC_SEQ_CST);
	while (get(&held) != (on ? threads : 0))
		workload__sleep_us(20);
}

static bool is_held(int phase)
{
	return phase % 2;
}

static void disable(int phase)
{
	bool inside = phase % 3 == 0 && !is_held(phase);

	if (inside)
		__atomic_store_n(&disable_inside, true, __ATOMIC_SEQ_CST);
	while (inside && !__atomic_load_n(&disabled_inside, __ATOMIC_SEQ_CST))
		workload__sleep_us(100);
	__atomic_store_n(&disabled_inside, false, __ATOMIC_SEQ_CST);
	OK(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HSA_OPS));
	OK(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HSA_EVT));
	OK(roctracer_flush_activity());
}

/*
 * Of the operations reported there are at least `least`, which began and ended meanwhile, and at
 * most `most`, which were in flight.
 */
static void check_told(int phase, const uint64_t *before, const uint64_t *least,
		       const uint64_t *most)
{
	for (int i = 0; i < KINDS; i++) {
		uint64_t n = get(&told[i]) - before[i];

		CHECK(n >= least[i] && n <= most[i], "phase %d: %lu of %lu to %lu are told of: %s",
		      phase, n, least[i], most[i], kinds[i]);
	}
}

static void run_phase(int phase)
{
	uint64_t before[KINDS], ended_before[KINDS], begun_before[KINDS], least[KINDS], most[KINDS],
		after[KINDS];

	hold_threads(is_held(phase));
	snapshot(told, before);
	snapshot(ended, ended_before);
	OK(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HSA_OPS));
	OK(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HSA_EVT, HSA_EVT_ID_SUBMIT, on_packet,
					NULL));
	snapshot(begun, begun_before);
	hold_threads(false);
	for (int i = 0; i < KINDS; i++)
		wait_for(&ended[i], PER_PHASE);
	hold_threads(is_held(phase));
	snapshot(ended, least);
	disable(phase);
	snapshot(begun, most);
	snapshot(told, after);
	hold_threads(false);
	for (int i = 0; i < KINDS; i++) {
		least[i] -= begun_before[i];
		most[i] -= ended_before[i];
	}
	check_told(phase, before, least, most);
	wait_for(&ended[DISPATCH], PER_PHASE);
	OK(roctracer_flush_activity());
	for (int i = 0; i < KINDS; i++)
		CHECK(get(&told[i]) == after[i], "told of after it was disabled: %s", kinds[i]);
}

static void prepare(void)
{
	struct {
		uint32_t *data;
		uint32_t n, operand;
	} * a;

	gpu__open(&gpu, workload__beside("../workloads/kernels.hsaco"));
	kernel = gpu__kernel(&gpu, "elementAdd.kd");
	arguments = a = gpu__allocate(&gpu, gpu.kernarg, kernel.kernarg_size);
	memset(a, 0, kernel.kernarg_size);
	a->data = gpu__allocate(&gpu, gpu.system, ELEMENTS * sizeof(uint32_t));
	a->n = ELEMENTS;
}

static void run(unsigned long phases)
{
	const roctracer_properties_t properties = {.buffer_size = 4096,
						   .buffer_callback_fun = on_records};
	pthread_t thread[THREADS_MAX];

	OK(roctracer_open_pool(&properties));
	for (unsigned long i = 0; i < threads; i++)
		CHECK(!pthread_create(&thread[i], NULL, work, NULL), "no thread");
	for (unsigned long i = 0; i < phases; i++)
		run_phase(i);
	__atomic_store_n(&quit, true, __ATOMIC_RELAXED);
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	OK(roctracer_close_pool());
	for (int i = 0; i < KINDS; i++)
		printf("told %s %lu\n", kinds[i], told[i]);
}

int main(int argc, char **argv)
{
	unsigned long phases = 50;
	int option;

	while ((option = getopt(argc, argv, "t:n:h")) != -1) {
		if (option == 't')
			threads = workload__number(optarg);
		else if (option == 'n')
			phases = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	if (optind != argc || !threads || threads > THREADS_MAX)
		return workload__usage('?', usage);
	prepare();
	run(phases);
	gpu__close(&gpu);
	return count__pass();
}
