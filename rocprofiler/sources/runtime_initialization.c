// SPDX-License-Identifier: MIT
/*
 * Reports runtimes to the contexts that want it, and finds their versions by their files' names.
 */
#include "rocprofiler/sources/runtime_initialization.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/kernel_clock.h"
#include "rocprofiler/service/operation.h"
#include "inprocess/loaded_libraries.h"

#define KIND	ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION
#define BUFFERS ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION

bool initialization__is_wanted(void)
{
	return service__any(KIND, BUFFERS);
}

void initialization__tell(rocprofiler_runtime_initialization_operation_t runtime, uint64_t version,
			  uint64_t instance)
{
	rocprofiler_callback_tracing_runtime_initialization_data_t data = {
		.size = sizeof(data),
		.version = version,
		.instance = instance,
	};
	rocprofiler_buffer_tracing_runtime_initialization_record_t record = {
		.version = version,
		.instance = instance,
		.timestamp = kernel_clock__boot_ns(),
	};
	struct operation o OPERATION_GUARDED;

	if (!operation__prepare(&o, KIND, BUFFERS, runtime, 0))
		return;
	operation__tell_caught(&o, runtime, ROCPROFILER_CALLBACK_PHASE_NONE, &data);
	record.thread_id = o.thread_id;
	operation__record(&o, runtime, &record, sizeof(record));
}

uint64_t initialization__version_of(const char *library)
{
	void *lib = libs__find(library);
	unsigned int major = 0, minor = 0, patch = 0;
	const struct link_map *map;
	char path[PATH_MAX];
	const char *numbers;

	if (!lib || dlinfo(lib, RTLD_DI_LINKMAP, &map) || !realpath(map->l_name, path))
		return 0;
	numbers = strrchr(path, '/');
	numbers = numbers ? strstr(numbers, ".so.") : NULL;
	if (!numbers || sscanf(numbers, ".so.%u.%u.%u", &major, &minor, &patch) < 1)
		return 0;
	return 10000ULL * major + 100 * minor + patch;
}
