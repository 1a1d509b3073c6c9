/* SPDX-License-Identifier: MIT */
/*
 * Nested roctx ranges, marks, and ranges that one thread starts and another stops, around launches.
 *
 * Every iteration pushes "iteration", inside it "add" and "xor" around one launch each, with a mark
 * between; a range "across threads" starts before and is stopped by a second thread after. The last
 * pop of the program is one too many, and one range stays open. Prints the counts (see count.h) and
 * the result. With -g FILE it prints `ready` and waits until FILE exists before its first call.
 */
#include "tests/workloads/kernels.hip"

#include <errno.h>
#include <getopt.h>
#include <pthread.h>

#include "roctracer/roctx.h"
#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS 1024

static const char usage[] = "ranges [-i ITERATIONS] [-t THREADS] [-g FILE]\n";

static unsigned long iterations = 4;

static void push(const char *message, int level)
{
	int got;

	errno = ERANGE;
	got = TRY(roctxRangePushA, (message));
	CHECK(errno == ERANGE, "push '%s' left %d in errno", message, errno);
	CHECK(got == level, "push '%s' gave level %d instead of %d", message, got, level);
}

static void pop(int level)
{
	int got = TRY(roctxRangePop, ());

	CHECK(got == level, "pop gave level %d instead of %d", got, level);
}

static void *stop_range(void *arg)
{
	errno = ERANGE;
	TRY(roctxRangeStop, (*(roctx_range_id_t *)arg));
	CHECK(errno == ERANGE, "the thread's first call left %d in errno", errno);
	return NULL;
}

static void stop_on_another_thread(roctx_range_id_t id)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, stop_range, &id), "no thread");
	pthread_join(thread, NULL);
}

static void iterate(uint32_t *gpu, uint32_t operand)
{
	roctx_range_id_t id = TRY(roctxRangeStartA, ("across threads"));

	CHECK(id, "the range has no identifier");
	push("iteration", 0);
	push("add", 1);
	LAUNCH(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, 0, gpu, ELEMENTS,
	       operand);
	pop(1);
	TRY(roctxMarkA, ("between the kernels"));
	push("xor", 1);
	LAUNCH(elementXor, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, 0, gpu, ELEMENTS,
	       operand);
	CALL(hipDeviceSynchronize, ());
	pop(1);
	pop(0);
	stop_on_another_thread(id);
}

static void verify(const uint32_t *data)
{
	uint32_t i, k, x;

	for (i = 0; count__verifying() && i < ELEMENTS; i++) {
		x = elements__initial(i);
		for (k = 0; k < iterations; k++)
			x = elements__xor(elements__add(x, k), k);
		CHECK(data[i] == x, "element %u is %#x instead of %#x", i, data[i], x);
	}
}

static void *work(void *arg)
{
	uint32_t data[ELEMENTS], *gpu, k;

	workload__fill(data, ELEMENTS);
	CALL(hipMalloc, ((void **)&gpu, sizeof(data)));
	CALL(hipMemcpy, (gpu, data, sizeof(data), hipMemcpyHostToDevice));
	COPIED(H2D, sizeof(data));
	for (k = 0; k < iterations; k++)
		iterate(gpu, k);
	CALL(hipMemcpy, (data, gpu, sizeof(data), hipMemcpyDeviceToHost));
	COPIED(D2H, sizeof(data));
	CALL(hipFree, (gpu));
	verify(data);
	return NULL;
}

static void wait_for_file(const char *path)
{
	printf("ready\n");
	fflush(stdout);
	while (access(path, F_OK) < 0)
		workload__sleep_us(10000);
	count__reset();
	COUNT(__hipUnregisterFatBinary, 1);
}

int main(int argc, char **argv)
{
	const char *go_file = NULL;
	unsigned long i, n = 1;
	pthread_t *threads;
	int option;

	while ((option = getopt(argc, argv, "i:t:g:h")) != -1) {
		if (option == 'i')
			iterations = workload__number(optarg);
		else if (option == 't')
			n = workload__number(optarg);
		else if (option == 'g')
			go_file = optarg;
		else
			return workload__usage(option, usage);
	}
	COUNT_REGISTRATION(KERNELS);
	if (go_file)
		wait_for_file(go_file);
	threads = (pthread_t *)calloc(n, sizeof(*threads));
	CHECK(threads, "no memory");
	for (i = 0; i < n; i++)
		CHECK(!pthread_create(&threads[i], NULL, work, NULL), "no thread");
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	pop(-1);
	push("never popped", 0);
	return count__pass();
}
