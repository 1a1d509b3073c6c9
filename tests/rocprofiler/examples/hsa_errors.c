// SPDX-License-Identifier: MIT
/*
 * A program of HSA with calls that must fail, each with its code, and a second hsa_init.
 *
 * Prints `returns FUNCTION CODE` for each that fails in the order of the calls, the counts
 * (tests/workloads/count.h) and the result.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "tests/workloads/count.h"

static hsa_agent_t gpu;

static hsa_status_t find_gpu(hsa_agent_t agent, void *data)
{
	hsa_device_type_t type;

	if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS &&
	    type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	return HSA_STATUS_SUCCESS;
}

int main(void)
{
	const hsa_agent_t no_agent = {0};
	const hsa_signal_t no_signal = {0};
	hsa_queue_t *queue;
	hsa_signal_t signal;

	CALL(hsa_init, ());
	CALL(hsa_init, ());
	CALL(hsa_iterate_agents, (find_gpu, NULL));
	EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_system_get_info, (12345, &signal));
	EXPECT(HSA_STATUS_ERROR_INVALID_AGENT, hsa_agent_get_info,
	       (no_agent, HSA_AGENT_INFO_NAME, &signal));
	EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_queue_create,
	       (gpu, 3, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
	EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_signal_destroy, (no_signal));
	EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_signal_create, (1, 0, NULL, 0, NULL));
	CALL(hsa_signal_create, (1, 0, NULL, &signal));
	CALL(hsa_signal_destroy, (signal));
	CALL(hsa_shut_down, ());
	CALL(hsa_shut_down, ());
	return count__pass();
}
