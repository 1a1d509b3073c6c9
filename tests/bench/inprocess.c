// SPDX-License-Identifier: MIT
/*
 * What a tool that uses libroctracer64 or librocprofiler-sdk costs the program that it is in: a
 * call of HIP, made by one or more threads, and a launch.
 *
 *   inprocess KERNELS.hsaco CALLS LAUNCHES [floor|sdk-calls|sdk-launch]
 *
 * Prints lines `KEY NANOSECONDS`, of what a call costs the thread that makes it:
 *   calls.THREADS.none|records|callbacks|both    the median thread
 *   launch.none|ops|all                          all: with records of calls, too
 * `none` comes first: a HIP that has reported what GPUs do may never be again what it was. With
 * `floor` for a tool that does nothing, without libroctracer64, which is what HIP itself takes:
 *   calls.THREADS.floor
 *   launch.none|floor
 * With `sdk-calls` for librocprofiler-sdk, which is loaded after `none`:
 *   calls.THREADS.none|callbacks|records|stopped    stopped: contexts that may be started again
 * With `sdk-launch`, it being in HSA_TOOLS_LIB and its tool, libsdk_tool.so, in LD_PRELOAD:
 *   launch.never|callbacks|records|stopped          of kernels, not of calls;
 *                                                   never: not started yet
 */
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "roctracer/roctracer_ext.h"
#include "tests/bench/batches.h"
#include "tests/bench/hip_floor.h"
#include "tests/bench/sdk_tool.h"

#define BATCH_CALLS    1000
#define BATCH_LAUNCHES 50
#define THREADS_MAX    8

static hipFunction_t function;
static uint32_t *data;
static long calls, launches;

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "inprocess: %s\n", what);
	exit(1);
}

#define MUST(call) must(call, #call)

/* ---- what is measured ---- */

static void get_device(long count)
{
	int device;

	for (long i = 0; i < count; i++)
		hipGetDevice(&device);
}

static void launch(long count)
{
	uint32_t n = 1, operand = 1;
	void *args[] = {&data, &n, &operand};

	for (long i = 0; i < count; i++)
		MUST(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
}

static void no_pause(void)
{
}

static void synchronise(void)
{
	MUST(hipStreamSynchronize(NULL));
}

static void *measure_calls(void *result)
{
	const struct batches b = {get_device, no_pause, calls / BATCH_CALLS, BATCH_CALLS};

	*(double *)result = batches__measure(&b);
	return NULL;
}

static void print_calls(int threads, const char *how)
{
	pthread_t thread[THREADS_MAX];
	double ns[THREADS_MAX];

	for (int i = 0; i < threads; i++)
		MUST(pthread_create(&thread[i], NULL, measure_calls, &ns[i]));
	for (int i = 0; i < threads; i++)
		MUST(pthread_join(thread[i], NULL));
	qsort(ns, threads, sizeof(*ns), batches__compare);
	printf("calls.%d.%s %.1f\n", threads, how, ns[threads / 2]);
}

static void print_all_calls(const char *how)
{
	print_calls(1, how);
	print_calls(2, how);
	print_calls(THREADS_MAX, how);
}

static void print_launch(const char *how)
{
	const struct batches b = {launch, synchronise, launches / BATCH_LAUNCHES, BATCH_LAUNCHES};

	printf("launch.%s %.1f\n", how, batches__measure(&b));
}

/* ---- the tool ---- */

static void on_call(uint32_t domain, uint32_t cid, const void *callback_data, void *arg)
{
}

static void on_records(const char *begin, const char *end, void *arg)
{
}

static void measure(void)
{
	const roctracer_properties_t properties = {.buffer_size = 1 << 20,
						   .buffer_callback_fun = on_records};

	MUST(roctracer_open_pool(&properties));
	print_all_calls("none");
	print_launch("none");
	MUST(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_API));
	print_all_calls("records");
	MUST(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, on_call, NULL));
	print_all_calls("both");
	MUST(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_API));
	print_all_calls("callbacks");
	MUST(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API));
	MUST(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
	print_launch("ops");
	MUST(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_API));
	print_launch("all");
	MUST(roctracer_disable_activity());
	MUST(roctracer_close_pool());
}

static void measure_floor(void)
{
	print_launch("none");
	must(!hip_floor__want(false, true), "this HIP has no interface for tools");
	print_launch("floor");
	hip_floor__want(true, false);
	print_all_calls("floor");
}

static void (*sdk_tool(void))(unsigned int wishes)
{
	void *tool = dlopen("libsdk_tool.so", RTLD_NOW | RTLD_LOCAL);
	void (*want)(unsigned int wishes);

	must(!tool, "libsdk_tool.so");
	*(void **)&want = dlsym(tool, "sdk_tool__want");
	return want;
}

static void measure_sdk_calls(void)
{
	void (*want)(unsigned int wishes);

	print_all_calls("none");
	want = sdk_tool();
	want(SDK_TOOL_CALLBACKS);
	print_all_calls("callbacks");
	want(SDK_TOOL_RECORDS);
	print_all_calls("records");
	want(0);
	print_all_calls("stopped");
}

static void measure_sdk_launch(void)
{
	void (*want)(unsigned int wishes) = sdk_tool();

	print_launch("never");
	want(SDK_TOOL_KERNEL_CALLBACKS);
	print_launch("callbacks");
	want(SDK_TOOL_KERNEL_RECORDS);
	print_launch("records");
	want(0);
	print_launch("stopped");
}

static const struct {
	const char *name;
	void (*measure)(void);
} ways[] = {
	{"", measure},
	{"floor", measure_floor},
	{"sdk-calls", measure_sdk_calls},
	{"sdk-launch", measure_sdk_launch},
};

static void (*find_way(const char *name))(void)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(ways[i].name, name))
			return ways[i].measure;
	return NULL;
}

int main(int argc, char **argv)
{
	void (*way)(void) = find_way(argc == 5 ? argv[4] : "");
	hipModule_t module;

	if (argc >= 4 && way) {
		calls = atol(argv[2]);
		launches = atol(argv[3]);
	}
	if (calls < BATCH_CALLS || launches < BATCH_LAUNCHES) {
		fprintf(stderr, "usage: inprocess KERNELS.hsaco CALLS LAUNCHES"
				" [floor|sdk-calls|sdk-launch]\n");
		return 2;
	}
	MUST(hipModuleLoad(&module, argv[1]));
	MUST(hipModuleGetFunction(&function, module, "elementAdd"));
	MUST(hipMalloc((void **)&data, sizeof(*data)));
	launch(BATCH_LAUNCHES);
	synchronise();
	way();
	return 0;
}
