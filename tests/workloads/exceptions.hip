/* SPDX-License-Identifier: MIT */
/*
 * C++ exceptions around API calls: thrown and caught in the callback of a call, and thrown through
 * one: HSA's iterations forward what their callbacks throw. Prints the counts (see count.h) and the
 * result.
 */
#include <hsa/hsa.h>
#include <stdexcept>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

static hsa_status_t catch_here(hsa_agent_t agent, void *data)
{
	try {
		hsa_device_type_t type;

		COUNT(hsa_agent_get_info, 1);
		CHECK(!hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "no device type");
		throw std::runtime_error("caught where it was thrown");
	} catch (const std::exception &) {
		++*(int *)data;
	}
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t throw_through(hsa_agent_t agent, void *data)
{
	throw std::runtime_error("thrown through");
}

int main(int argc, char **argv)
{
	int agents = 0, caught = 0;

	CHECK(!hsa_init(), "hsa_init");
	COUNT(hsa_init, 1);
	for (int i = 0; i < 10; i++) {
		COUNT(hsa_iterate_agents, 2);
		CHECK(!hsa_iterate_agents(catch_here, &agents), "hsa_iterate_agents");
		try {
			hsa_iterate_agents(throw_through, NULL);
		} catch (const std::runtime_error &e) {
			caught += !strcmp(e.what(), "thrown through");
		}
	}
	CHECK(agents >= 10 && caught == 10, "%d agents, %d exceptions", agents, caught);
	COUNT(hsa_shut_down, 1);
	hsa_shut_down();
	return count__pass();
}
