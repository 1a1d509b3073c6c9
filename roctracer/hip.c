// SPDX-License-Identifier: MIT
/*
 * Finds HIP in the process and registers with it for what is wanted.
 */
#include "roctracer/hip.h"

#include <dlfcn.h>
#include <string.h>

#include "inprocess/loaded_libraries.h"

TABLE(hip_api, ACTIVITY_DOMAIN_HIP_API, HIP_API_MAX);
TABLE(hip_ops, ACTIVITY_DOMAIN_HIP_OPS, HIP_OPS_NUMBER);

static struct hip_library hip;
static bool found;

static void look_up(void *lib)
{
	hip.major = libs__major(lib);
	hip.api_name = dlsym(lib, "hipApiName");
	hip.command_name = dlsym(lib, "hipGetCmdName");
	hip.register_tracer = dlsym(lib, "hipRegisterTracerCallback");
	hip.register_callback = dlsym(lib, "hipRegisterApiCallback");
	hip.register_activity = dlsym(lib, "hipRegisterActivityCallback");
	hip.init_ops = dlsym(lib, "hipInitActivityCallback");
	hip.enable_op = dlsym(lib, "hipEnableActivityCallback");
}

/* Operations begin at 1 and have names; others are called "unknown". */
static uint32_t count_operations(void)
{
	uint32_t last = 0;

	for (uint32_t op = 1; hip.api_name && op < HIP_API_MAX; op++)
		if (strcmp(hip.api_name(op), "unknown"))
			last = op;
	return last + 1;
}

const struct hip_library *hip__find(void)
{
	void *lib = found ? NULL : libs__find("libamdhip64.so");

	if (lib) {
		look_up(lib);
		hip_api.count = count_operations();
		found = true;
	}
	return found ? &hip : NULL;
}

static bool has_callbacks(void)
{
	return hip.register_callback && hip.register_activity && hip.init_ops && hip.enable_op;
}

void hip__engage(void)
{
	if (!hip__find())
		return;
	if (hip.register_tracer)
		hip_tracer__engage(&hip);
	else if (has_callbacks())
		hip_callbacks__engage(&hip);
}
