// SPDX-License-Identifier: MIT
/*
 * Launches kernels and prints what hipModuleLaunchKernel costs the thread that calls it.
 *
 *   launches KERNELS.hsaco LAUNCHES [wait]
 *
 * With `wait` it says "ready" when all is set up, and waits for a line of input before it measures.
 *
 * Prints `NANOSECONDS RECORDS`: the agent's ring records for them, 0 if it is not loaded or
 * dormant. The stream is synchronised after every batch, so that no launch waits for room in the
 * queue.
 */
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi/agent_ring.h"
#include "tests/bench/batches.h"

#define BATCH_LAUNCHES 50
#define WARM_UP	       500

static hipFunction_t function;
static uint32_t *data;

static void must(hipError_t err, const char *what)
{
	if (err == hipSuccess)
		return;
	fprintf(stderr, "launches: %s: %s\n", what, hipGetErrorString(err));
	exit(1);
}

static void launch(long calls)
{
	uint32_t n = 1, operand = 1;
	void *args[] = {&data, &n, &operand};

	for (long i = 0; i < calls; i++)
		must(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL),
		     "hipModuleLaunchKernel");
}

static void synchronise(void)
{
	must(hipStreamSynchronize(NULL), "hipStreamSynchronize");
}

/* Where this process maps the agent's shared memory; NULL if it does not. */
static const struct rt_agent_state *agent_state(void)
{
	const struct rt_agent_state *state = NULL;
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start;
	char line[512];

	while (maps && !state && fgets(line, sizeof(line), maps))
		if (strstr(line, "/memfd:" RT_AGENT_MEMFD) && sscanf(line, "%lx-", &start) == 1)
			state = (const void *)(start + RT_AGENT_STATE);
	if (maps)
		fclose(maps);
	return state;
}

static uint64_t agent_records(const struct rt_agent_state *state)
{
	return state ? __atomic_load_n(&state->head, __ATOMIC_ACQUIRE) : 0;
}

static void wait_for_input(void)
{
	printf("ready\n");
	fflush(stdout);
	getchar();
}

int main(int argc, char **argv)
{
	struct batches b = {.run = launch, .pause = synchronise, .calls = BATCH_LAUNCHES};
	const struct rt_agent_state *state;
	hipModule_t module;
	uint64_t before;
	double ns;

	if (argc < 3 || argc > 4 || atol(argv[2]) < BATCH_LAUNCHES ||
	    (argc == 4 && strcmp(argv[3], "wait"))) {
		fprintf(stderr, "usage: launches KERNELS.hsaco LAUNCHES [wait]\n");
		return 2;
	}
	must(hipModuleLoad(&module, argv[1]), "hipModuleLoad");
	must(hipModuleGetFunction(&function, module, "elementAdd"), "hipModuleGetFunction");
	must(hipMalloc((void **)&data, sizeof(*data)), "hipMalloc");
	state = agent_state();
	b.count = WARM_UP / BATCH_LAUNCHES;
	batches__measure(&b);
	if (argc == 4)
		wait_for_input();
	before = agent_records(state);
	b.count = atol(argv[2]) / BATCH_LAUNCHES;
	ns = batches__measure(&b);
	printf("%.1f %lu\n", ns, (unsigned long)(agent_records(state) - before));
	return 0;
}
