/* SPDX-License-Identifier: MIT */
/*
 * Ends with exit() out of the middle of its work: nothing is freed, waited for or shut down.
 *
 * Threads, one a stream, launch, wait, and launch as often again, for which nobody waits. Then the
 * last of them to be there calls exit(), while main and the others sleep. Prints the counts (see
 * count.h), of which `kernels` are those that were waited for, and the result, before that.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>
#include <pthread.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS 1024

static const char usage[] = "leaving [-t THREADS] [-n LAUNCHES per thread, twice]\n";

static unsigned long threads = 2, launches = 20;
static pthread_barrier_t all_there;

static void launch(hipStream_t stream, uint32_t *gpu, bool waited)
{
	for (unsigned long i = 0; i < launches; i++)
		if (waited)
			LAUNCH(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, stream,
			       gpu, ELEMENTS, 1);
		else
			CAPTURE(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, stream,
				gpu, ELEMENTS, 1);
}

static void *work(void *arg)
{
	hipStream_t stream;
	uint32_t *gpu;

	CALL(hipStreamCreate, (&stream));
	CALL(hipMalloc, ((void **)&gpu, ELEMENTS * sizeof(*gpu)));
	launch(stream, gpu, true);
	CALL(hipStreamSynchronize, (stream));
	launch(stream, gpu, false);
	if (pthread_barrier_wait(&all_there) == PTHREAD_BARRIER_SERIAL_THREAD)
		exit(count__pass());
	pause();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int option;

	while ((option = getopt(argc, argv, "t:n:h")) != -1) {
		if (option == 't')
			threads = workload__number(optarg);
		else if (option == 'n')
			launches = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	COUNT_REGISTRATION(KERNELS);
	CHECK(!pthread_barrier_init(&all_there, NULL, threads), "no barrier");
	for (unsigned long i = 0; i < threads; i++)
		CHECK(!pthread_create(&thread, NULL, work, NULL), "no thread");
	pause();
	return 1;
}
