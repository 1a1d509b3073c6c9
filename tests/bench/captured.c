// SPDX-License-Identifier: MIT
/*
 * The process that makes the measured calls of HIP, HSA and roctx, whatever captures them. See
 * served.h; it serves all measurements of one agent.
 */
#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <stdio.h>

#include "roctracer/roctx.h"
#include "tests/bench/served.h"

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

static hsa_status_t take_agent(hsa_agent_t a, void *data)
{
	agent = a;
	return HSA_STATUS_INFO_BREAK;
}

int main(void)
{
	static const struct served functions[] = {
		{"hip", call_hip},
		{"hsa", call_hsa},
		{"range", call_range},
		{},
	};
	int device;

	if (hipInit(0) || hipGetDevice(&device) || hsa_init()) {
		fprintf(stderr, "captured: no device\n");
		return 1;
	}
	hsa_iterate_agents(take_agent, NULL);
	return served__all("captured", functions);
}
