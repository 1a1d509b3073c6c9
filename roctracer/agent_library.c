// SPDX-License-Identifier: MIT
/*
 * Where the agent's file is: beside this library, or in rtrace/, or, where libraries are in a
 * folder for each architecture, in ../rtrace/.
 */
#include "roctracer/agent_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "roctracer/libs.h"

#define FILE_NAME "librtrace-agent.so"

static bool find_file(char *path, size_t size)
{
	static const char *const folders[] = {"", "rtrace/", "../rtrace/"};
	const char *slash;
	Dl_info self;

	if (!dladdr((void *)find_file, &self) || !self.dli_fname)
		return false;
	slash = strrchr(self.dli_fname, '/');
	for (size_t i = 0; slash && i < sizeof(folders) / sizeof(*folders); i++) {
		int length = slash + 1 - self.dli_fname;

		snprintf(path, size, "%.*s%s" FILE_NAME, length, self.dli_fname, folders[i]);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

void *agent_library__find(void)
{
	return libs__find(FILE_NAME);
}

bool agent_library__is_there(void)
{
	char path[PATH_MAX];

	return agent_library__find() || find_file(path, sizeof(path));
}

void *agent_library__load(void)
{
	void *lib = agent_library__find();
	char path[PATH_MAX];

	return lib || !find_file(path, sizeof(path)) ? lib : dlopen(path, RTLD_NOW | RTLD_LOCAL);
}
