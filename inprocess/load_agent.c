// SPDX-License-Identifier: MIT
/*
 * Where the agent's file is: where HSA_TOOLS_LIB says, so that it is the one that the runtime
 * loads; else beside this library, or in rtrace/, or, where libraries are in a folder for each
 * architecture, in ../rtrace/.
 */
#include "inprocess/load_agent.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inprocess/loaded_libraries.h"

#define FILE_NAME "librtrace-agent.so"

/* The list is one of paths, with spaces between them. */
static bool find_named(char *path, size_t size)
{
	const char *list = getenv("HSA_TOOLS_LIB");
	size_t length;

	for (const char *word = list ? list : ""; *word; word += length + (word[length] == ' ')) {
		length = strcspn(word, " ");
		if ((size_t)snprintf(path, size, "%.*s", (int)length, word) < size &&
		    length >= strlen(FILE_NAME) &&
		    !strcmp(path + length - strlen(FILE_NAME), FILE_NAME) && !access(path, R_OK))
			return true;
	}
	return false;
}

static bool find_installed(char *path, size_t size)
{
	static const char *const folders[] = {"", "rtrace/", "../rtrace/"};
	const char *slash;
	Dl_info self;

	if (!dladdr((void *)find_installed, &self) || !self.dli_fname)
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

static bool find_file(char *path, size_t size)
{
	return find_named(path, size) || find_installed(path, size);
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

rtrace_agent_behind_fn *agent_library__behind(void)
{
	void *lib = agent_library__find();

	return lib ? dlsym(lib, "rtrace_agent_behind") : NULL;
}
