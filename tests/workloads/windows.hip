/* SPDX-License-Identifier: MIT */
/*
 * Switches its own tracing on around what is to be traced, as ROCm's documentation shows it.
 *
 * -m launch  the sample "Tracing Control": of copy, launch, copy only the launch is traced.
 * -m ranges  roctx ranges and marks, some opened or closed while tracing is off.
 * -m ids     launches and copies under external correlation IDs.
 * -m names   devices, streams and threads that are given names.
 *
 * Beside the counts of all calls (see count.h) it prints what the trace must hold if tracing was
 * off at the start: `inside FUNCTION COUNT`, `ran KERNEL COUNT` and `shown RANGE COUNT`.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>
#include <pthread.h>

#include "roctracer/roctx.h"
#include "tests/capture/fakeroctracer.h"
#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS 4096
#define BYTES	 (ELEMENTS * sizeof(uint32_t))

static const char usage[] = "windows -m launch|ranges|ids|names [-n ROUNDS]\n";

static uint32_t *host, *gpu;
static unsigned long rounds = 10;

static void copy_in(void)
{
	workload__fill(host, ELEMENTS);
	CALL(hipMemcpy, (gpu, host, BYTES, hipMemcpyHostToDevice));
}

static void launch(hipStream_t stream)
{
	LAUNCH(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, stream, gpu, ELEMENTS, 1);
}

static void traced_launch(void)
{
	COUNT__ADD("inside", __hipPushCallConfiguration, 1);
	COUNT__ADD("inside", __hipPopCallConfiguration, 1);
	COUNT__ADD("inside", hipLaunchKernel, 1);
	COUNT__ADD("ran", elementAdd, 1);
	launch(0);
}

static void copy_out(void)
{
	uint32_t i;

	CALL(hipMemcpy, (host, gpu, BYTES, hipMemcpyDeviceToHost));
	for (i = 0; count__verifying() && i < ELEMENTS; i++)
		CHECK(host[i] == elements__add(elements__initial(i), 1), "element %u is wrong", i);
}

static void mode_launch(void)
{
	copy_in();
	roctracer_start();
	traced_launch();
	roctracer_stop();
	copy_out();
	copy_in();
	launch(0);
	copy_out();
}

static void mode_ranges(void)
{
	copy_in();
	TRY(roctxRangePushA, ("open before"));
	TRY(roctxRangePushA, ("not shown"));
	launch(0);
	TRY(roctxMarkA, ("no mark"));
	TRY(roctxRangePop, ());
	roctracer_start();
	TRY(roctxRangePushA, ("inside"));
	TRY(roctxMarkA, ("mark"));
	traced_launch();
	TRY(roctxRangePop, ());
	TRY(roctxRangePop, ());
	TRY(roctxRangePushA, ("closed after"));
	roctracer_stop();
	TRY(roctxRangePop, ());
	CALL(hipDeviceSynchronize, ());
	COUNT__ADD("shown", before, 1);
	COUNT__ADD("shown", inside, 1);
	COUNT__ADD("shown", after, 1);
	COUNT__ADD("shown", mark, 1);
}

/* ID 7 for the launch, 8 within it for the copy, none for the synchronisation. */
static void mode_ids(void)
{
	uint64_t id;

	CHECK(!roctracer_activity_push_external_correlation_id(7), "push");
	launch(0);
	CHECK(!roctracer_activity_push_external_correlation_id(8), "push");
	CALL(hipMemcpy, (gpu, host, BYTES, hipMemcpyHostToDevice));
	CHECK(!roctracer_activity_pop_external_correlation_id(&id) && id == 8, "pop");
	launch(0);
	CHECK(!roctracer_activity_pop_external_correlation_id(&id) && id == 7, "pop");
	CALL(hipDeviceSynchronize, ());
}

static void *named_thread(void *arg)
{
	hipStream_t stream;

	roctxNameOsThread("a worker");
	CALL(hipStreamCreate, (&stream));
	roctxNameHipStream("a stream", stream);
	launch(stream);
	CALL(hipStreamSynchronize, (stream));
	CALL(hipStreamDestroy, (stream));
	return NULL;
}

static void mode_names(void)
{
	pthread_t thread;

	roctxNameHipDevice("a device", 0);
	CHECK(!pthread_create(&thread, NULL, named_thread, NULL), "no thread");
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{"launch", mode_launch},
	{"ranges", mode_ranges},
	{"ids", mode_ids},
	{"names", mode_names},
};

static void run(const char *mode)
{
	unsigned long i;
	size_t m;

	CALL(hipHostMalloc, ((void **)&host, BYTES, 0));
	CALL(hipMalloc, ((void **)&gpu, BYTES));
	for (m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
		for (i = 0; i < rounds && !strcmp(mode, modes[m].name); i++)
			modes[m].run();
	CALL(hipHostFree, (host));
	CALL(hipFree, (gpu));
}

int main(int argc, char **argv)
{
	const char *mode = "launch";
	int option;

	while ((option = getopt(argc, argv, "m:n:h")) != -1) {
		if (option == 'm')
			mode = optarg;
		else if (option == 'n')
			rounds = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	COUNT_REGISTRATION(KERNELS);
	run(mode);
	return count__pass();
}
