// SPDX-License-Identifier: MIT
/*
 * HIP itself is not asked: from 5.3.1 on it would forget which call the thread is in, and older
 * ones what the thread's last error was.
 */
#include "inprocess/hip_release.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/loaded_libraries.h"
#include "inprocess/api_argument_tables.h"

#define NAME "libamdhip64.so"

static bool known;

static void look(void)
{
	void *lib = libs__find(NAME);
	char path[PATH_MAX];
	const struct link_map *map;
	unsigned int major, minor;
	const char *name;

	if (!lib || dlinfo(lib, RTLD_DI_LINKMAP, &map) || !realpath(map->l_name, path))
		return;
	name = strrchr(path, '/');
	known = name && sscanf(name, "/" NAME ".%u.%u", &major, &minor) == 2 &&
		major == tool_hip_release[0] && minor == tool_hip_release[1];
}

bool hip_release__is_known(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look);
	return known;
}
