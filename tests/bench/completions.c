// SPDX-License-Identifier: MIT
/*
 * Prints how long it takes from the doorbell of a kernel until the application sees its completion
 * signal, in ns: the median.
 *
 *   completions KERNELS.hsaco ROUNDS [SHARED]
 *
 * In each round one kernel is dispatched with a signal of its own; or as many as SHARED says, which
 * count one signal down. The application looks at the signal all the time, so that no sleep is
 * measured, but gives way to threads that have work: the simulated GPU may have no other CPU.
 */
#include <sched.h>
#include <time.h>

#include "tests/workloads/hsa_packets.h"

#define QUEUE_SIZE 256

struct program {
	struct gpu gpu;
	struct gpu_kernel kernel;
	hsa_queue_t *queue;
	void *arguments;
	hsa_signal_t done;
	unsigned int shared;
};

static int compare(const void *a, const void *b)
{
	const long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long round_ns(struct program *p)
{
	uint64_t index = packet__reserve(p->queue, p->shared);
	long begin;

	TRY(hsa_signal_store_relaxed, (p->done, p->shared));
	for (unsigned int i = 0; i < p->shared; i++)
		packet__dispatch(p->queue, index + i, &p->kernel, p->arguments, 1, p->done);
	begin = now();
	packet__ring(p->queue, index + p->shared - 1);
	while (TRY(hsa_signal_load_scacquire, (p->done)) > 0)
		sched_yield();
	return now() - begin;
}

/* elementAdd of no element. */
static void prepare(struct program *p, const char *code_object)
{
	gpu__open(&p->gpu, code_object);
	p->kernel = gpu__kernel(&p->gpu, "elementAdd.kd");
	p->arguments = gpu__allocate(&p->gpu, p->gpu.kernarg, p->kernel.kernarg_size);
	memset(p->arguments, 0, p->kernel.kernarg_size);
	CALL(hsa_queue_create, (p->gpu.agent, QUEUE_SIZE, HSA_QUEUE_TYPE_MULTI, NULL, NULL,
				UINT32_MAX, UINT32_MAX, &p->queue));
	p->done = signal__create(1);
}

static void finish(struct program *p)
{
	signal__destroy(p->done);
	CALL(hsa_queue_destroy, (p->queue));
	gpu__free(p->arguments);
	gpu__close(&p->gpu);
}

int main(int argc, char **argv)
{
	struct program program = {.shared = argc > 3 ? workload__number(argv[3]) : 1};
	unsigned long rounds = argc > 2 ? workload__number(argv[2]) : 0;
	long *ns = calloc(rounds, sizeof(*ns));

	if (argc < 3 || argc > 4 || !ns || !rounds || !program.shared ||
	    program.shared > QUEUE_SIZE / 2) {
		fprintf(stderr, "usage: completions KERNELS.hsaco ROUNDS [SHARED]\n");
		return 2;
	}
	prepare(&program, argv[1]);
	for (unsigned long i = 0; i < rounds; i++)
		ns[i] = round_ns(&program);
	qsort(ns, rounds, sizeof(*ns), compare);
	printf("%ld\n", ns[rounds / 2]);
	free(ns);
	finish(&program);
	return 0;
}
