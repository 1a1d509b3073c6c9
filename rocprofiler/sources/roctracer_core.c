// SPDX-License-Identifier: MIT
/*
 * It is the one in the process, or the file beside this library.
 */
#include "rocprofiler/sources/roctracer_core.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "rocprofiler/support/say.h"
#include "inprocess/loaded_libraries.h"

#define NAME "libroctracer64.so.4"

static const struct rtrace_subscriber *subscriber;
static struct roctracer_core core;
static bool found;

static void *load(void)
{
	void *lib = libs__find(NAME);
	char path[PATH_MAX];
	const char *slash;
	Dl_info self;

	if (lib || !dladdr((void *)load, &self) || !self.dli_fname)
		return lib;
	slash = strrchr(self.dli_fname, '/');
	snprintf(path, sizeof(path), "%.*s" NAME, slash ? (int)(slash + 1 - self.dli_fname) : 0,
		 self.dli_fname);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void find(void)
{
	void *lib = load();
	rtrace_subscribe_fn *subscribe = lib ? dlsym(lib, "rtrace_subscribe") : NULL;

	if (!subscribe ||
	    subscribe(RTRACE_SUBSCRIBER_VERSION, __atomic_load_n(&subscriber, __ATOMIC_RELAXED))) {
		say("calls of HIP and HSA are not traced: %s",
		    lib ? "another " NAME " is in the process"
			: NAME " is not beside this library");
		return;
	}
	core.want = dlsym(lib, "rtrace_want");
	core.want_operations = dlsym(lib, "rtrace_want_operations");
	core.op_string = dlsym(lib, "roctracer_op_string");
	core.on_load = dlsym(lib, "OnLoad");
	core.on_unload = dlsym(lib, "OnUnload");
	found = true;
}

const struct roctracer_core *roctracer_core__subscribe(const struct rtrace_subscriber *s)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	__atomic_store_n(&subscriber, s, __ATOMIC_RELAXED); /* always the same */
	pthread_once(&once, find);
	return found ? &core : NULL;
}
