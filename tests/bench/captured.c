// SPDX-License-Identifier: MIT
/*
 * The process whose calls of HIP, HSA and roctx are measured, whoever captures them.
 *
 * It says `ready PID` and then, for every line `FUNCTION THREADS CALLS` on stdin, has so many
 * threads make so many calls each, and prints the nanoseconds that one took the median thread. One
 * process serves all measurements of one agent, so that they compare.
 */
#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "roctx/roctx.h"
#include "tests/bench/batches.h"

#define BATCH_CALLS 500
#define THREADS_MAX 8

static hsa_agent_t agent;

static void call_hip(long calls)
{
	int device;

	for (long i = 0; i < calls; i++)
		hipGetDevice(&device);
}

static void call_hsa(long calls)
{
	uint32_t node;

	for (long i = 0; i < calls; i++)
		hsa_agent_get_info(agent, HSA_AGENT_INFO_NODE, &node);
}

/* A range is two calls. */
static void call_range(long ranges)
{
	for (long i = 0; i < ranges; i++) {
		roctxRangePushA("step");
		roctxRangePop();
	}
}

static const struct {
	const char *name;
	void (*run)(long calls);
} functions[] = {
	{"hip", call_hip},
	{"hsa", call_hsa},
	{"range", call_range},
};

static void pause_1ms(void)
{
	usleep(1000);
}

static struct batches batches;

static void *measure_thread(void *ns)
{
	*(double *)ns = batches__measure(&batches);
	return NULL;
}

static int measure(const char *name, int threads, long calls)
{
	pthread_t thread[THREADS_MAX];
	double ns[THREADS_MAX];

	batches = (struct batches){NULL, pause_1ms, calls / BATCH_CALLS, BATCH_CALLS};
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			batches.run = functions[i].run;
	if (!batches.run || batches.count < 1 || threads < 1 || threads > THREADS_MAX)
		return -1;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, measure_thread, &ns[i]))
			return -1;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	qsort(ns, threads, sizeof(*ns), batches__compare);
	printf("%.2f\n", ns[threads / 2]);
	return fflush(stdout);
}

static hsa_status_t take_agent(hsa_agent_t a, void *data)
{
	agent = a;
	return HSA_STATUS_INFO_BREAK;
}

int main(void)
{
	char line[128], name[32];
	int threads, device;
	long calls;

	if (hipInit(0) || hipGetDevice(&device) || hsa_init()) {
		fprintf(stderr, "captured: no device\n");
		return 1;
	}
	hsa_iterate_agents(take_agent, NULL);
	printf("ready %d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%31s %d %ld", name, &threads, &calls) != 3 ||
		    measure(name, threads, calls)) {
			fprintf(stderr, "captured: not understood: %s", line);
			return 2;
		}
	}
	return 0;
}
