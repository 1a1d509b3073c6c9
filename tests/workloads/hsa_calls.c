// SPDX-License-Identifier: MIT
/*
 * Calls many functions of HSA so often, once FILE exists; before that, only what initialises it.
 * Some of them call others of HSA inside of the runtime, which are not the program's calls. Prints
 * the counts (see count.h) and the result.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define BYTES 65536

static const char usage[] = "hsa_calls FILE [ROUNDS]  (default 500)\n";

static hsa_agent_t gpu, cpu;
static hsa_amd_memory_pool_t pool;

/* Initialising is not counted: it has ended when the trace begins. */
#define DONE(call) CHECK((call) == HSA_STATUS_SUCCESS, "%s", #call)

#define HSA(function, args)                                            \
	do {                                                           \
		COUNT(function, 1);                                    \
		CHECK(function args == HSA_STATUS_SUCCESS, #function); \
	} while (0)

static hsa_status_t find_agent(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type;

	DONE(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	else
		cpu = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pool(hsa_amd_memory_pool_t candidate, void *data)
{
	bool allowed;

	DONE(hsa_amd_memory_pool_get_info(candidate, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
					  &allowed));
	if (allowed)
		pool = candidate;
	return HSA_STATUS_SUCCESS;
}

static void use_signals(void)
{
	hsa_signal_t signal;

	HSA(hsa_signal_create, (1, 0, NULL, &signal));
	COUNT(hsa_signal_wait_scacquire, 1);
	CHECK(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 1, UINT64_MAX,
					HSA_WAIT_STATE_BLOCKED) == 1,
	      "hsa_signal_wait_scacquire");
	HSA(hsa_signal_destroy, (signal));
	HSA(hsa_amd_signal_create, (1, 0, NULL, 0, &signal));
	HSA(hsa_signal_destroy, (signal));
}

static void use_memory(void)
{
	void *memory;

	HSA(hsa_amd_memory_pool_allocate, (pool, BYTES, 0, &memory));
	HSA(hsa_amd_agents_allow_access, (1, &gpu, NULL, memory));
	HSA(hsa_amd_memory_fill, (memory, 0, BYTES / 4));
	HSA(hsa_amd_memory_pool_free, (memory));
}

static void ask(void)
{
	char name[64];
	uint64_t now;

	HSA(hsa_agent_get_info, (gpu, HSA_AGENT_INFO_NAME, name));
	HSA(hsa_system_get_info, (HSA_SYSTEM_INFO_TIMESTAMP, &now));
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? (long)workload__number(argv[2]) : 500;

	if (argc < 2) {
		fputs(usage, stderr);
		return 2;
	}
	DONE(hsa_init());
	DONE(hsa_iterate_agents(find_agent, NULL));
	DONE(hsa_amd_agent_iterate_memory_pools(cpu, find_pool, NULL));
	printf("ready %d\n", getpid());
	fflush(stdout);
	while (access(argv[1], F_OK))
		workload__sleep_us(1000);
	for (long i = 0; i < rounds; i++) {
		use_signals();
		use_memory();
		ask();
	}
	COUNT(hsa_shut_down, 1);
	hsa_shut_down();
	return count__pass();
}
