// SPDX-License-Identifier: MIT
/*
 * Loads a plugin that uses HSA, runs it and unloads it, several times. Prints what the plugin
 * counts, whether the runtime is still in memory, and the result.
 */
#include <dlfcn.h>

#include "tests/agent/plugin.h"
#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ROUNDS 4

static int is_loaded(const char *library)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int found = 0;
	char line[1024];

	while (maps && fgets(line, sizeof(line), maps))
		found = found || strstr(line, library);
	if (maps)
		fclose(maps);
	return found;
}

int main(void)
{
	static char code_object[PATH_MAX];

	snprintf(code_object, sizeof(code_object), "%s",
		 workload__beside("../workloads/kernels.hsaco"));
	for (int i = 0; i < ROUNDS; i++) {
		void *plugin = dlopen(workload__beside("libplugin.so"), RTLD_NOW | RTLD_LOCAL);
		__typeof__(&plugin__run) run;

		CHECK(plugin, "%s", dlerror());
		run = (__typeof__(run))dlsym(plugin, "plugin__run");
		CHECK(run, "%s", dlerror());
		run(code_object);
		dlclose(plugin);
		printf("HSA is %s\n", is_loaded("libhsa-runtime64") ? "still there" : "gone");
	}
	return count__pass();
}
