/* SPDX-License-Identifier: MIT */
/*
 * API calls that never return, because the program leaves them by a long jump.
 *
 * There are two ways out. The callback of hsa_iterate_agents jumps out of it: certain, and harmless
 * to the runtime. A signal handler jumps out of hipStreamSynchronize while it waits for slowStore,
 * with the calls that it has made itself still open below it; that needs a slowStore that runs much
 * longer than 50 ms (SIMKFD_KERNELS=slowStore=300000000), otherwise the call has returned before
 * the signal comes. After each way out the program goes on with ordinary calls. Prints the counts
 * with `unwound FUNCTION COUNT` (see count.h) and the result.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>
#include <hsa/hsa.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS    1024
#define BYTES	    (ELEMENTS * sizeof(uint32_t))
#define SLOW_ROUNDS 100000000u
#define PATIENCE_US 50000

static const char usage[] = "longjmp [-i ITERATIONS]\n";

static sigjmp_buf way_out;
static volatile sig_atomic_t armed;
static pthread_t main_thread;

static hsa_status_t leave(hsa_agent_t agent, void *data)
{
	siglongjmp(way_out, 1);
}

static void leave_by_callback(void)
{
	COUNT(hsa_iterate_agents, 1);
	if (sigsetjmp(way_out, 0)) {
		UNWOUND(hsa_iterate_agents);
		return;
	}
	hsa_iterate_agents(leave, NULL);
	count__fail("hsa_iterate_agents returned");
}

static void on_signal(int number)
{
	if (armed)
		siglongjmp(way_out, 1);
}

static void *interrupt_main(void *arg)
{
	workload__sleep_us(PATIENCE_US);
	pthread_kill(main_thread, SIGUSR2);
	return NULL;
}

static void leave_by_signal(hipStream_t stream)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, interrupt_main, NULL), "no thread");
	COUNT(hipStreamSynchronize, 1);
	if (sigsetjmp(way_out, 1)) {
		armed = 0;
		UNWOUND(hipStreamSynchronize);
	} else {
		armed = 1;
		CHECK(!hipStreamSynchronize(stream), "hipStreamSynchronize failed");
		armed = 0;
	}
	pthread_join(thread, NULL);
}

static void iterate(hipStream_t stream, uint32_t *gpu, uint32_t operand)
{
	leave_by_callback();
	LAUNCH(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, stream, gpu, ELEMENTS,
	       operand);
	LAUNCH(slowStore, 1, 1, 0, stream, gpu, operand, SLOW_ROUNDS);
	leave_by_signal(stream);
	LAUNCH(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, stream, gpu, ELEMENTS,
	       operand);
	CALL(hipStreamSynchronize, (stream));
}

static void verify(const uint32_t *data, uint32_t iterations)
{
	uint32_t i, x, sum = iterations * (iterations + 1);

	for (i = 0; count__verifying() && i < ELEMENTS; i++) {
		x = i ? elements__initial(i) + sum : 2 * iterations;
		CHECK(data[i] == x, "element %u is %#x instead of %#x", i, data[i], x);
	}
}

int main(int argc, char **argv)
{
	uint32_t data[ELEMENTS], *gpu, iterations = 3, i;
	struct sigaction action = {};
	hipStream_t stream;
	int option;

	while ((option = getopt(argc, argv, "i:h")) != -1) {
		if (option == 'i')
			iterations = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	main_thread = pthread_self();
	action.sa_handler = on_signal;
	sigaction(SIGUSR2, &action, NULL);
	COUNT_REGISTRATION(KERNELS);
	CALL(hsa_init, ());
	workload__fill(data, ELEMENTS);
	CALL(hipStreamCreate, (&stream));
	CALL(hipMalloc, ((void **)&gpu, BYTES));
	CALL(hipMemcpy, (gpu, data, BYTES, hipMemcpyHostToDevice));
	COPIED(H2D, BYTES);
	for (i = 1; i <= iterations; i++)
		iterate(stream, gpu, i);
	CALL(hipMemcpy, (data, gpu, BYTES, hipMemcpyDeviceToHost));
	COPIED(D2H, BYTES);
	verify(data, iterations);
	CALL(hipFree, (gpu));
	CALL(hipStreamDestroy, (stream));
	CALL(hsa_shut_down, ());
	return count__pass();
}
