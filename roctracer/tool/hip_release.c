// SPDX-License-Identifier: MIT
/*
 * Asks at the begin of a call, which will have a result of its own: HIP keeps the error of a
 * thread's last call for hipGetLastError, in older releases success as well.
 */
#include "roctracer/tool/hip_release.h"

#include <dlfcn.h>
#include <string.h>

#include "roctracer/libs.h"
#include "roctracer/tool/functions.h"

static int known; /* 0: not asked yet; 1: yes; -1: no */

static bool ask(void)
{
	void *lib = libs__find("libamdhip64.so");
	int (*get_version)(int *version) = lib ? dlsym(lib, "hipRuntimeGetVersion") : NULL;
	int version = 0;

	if (!get_version || get_version(&version))
		return false;
	return version / 10000000 == (int)tool_hip_release[0] &&
	       version / 100000 % 100 == (int)tool_hip_release[1];
}

static bool asks_for_error(const char *function)
{
	return !strcmp(function, "hipGetLastError") || !strcmp(function, "hipPeekAtLastError");
}

void hip_release__ask(struct own *o, const char *function)
{
	if (__atomic_load_n(&known, __ATOMIC_RELAXED) || asks_for_error(function))
		return;
	o->busy = true;
	__atomic_store_n(&known, ask() ? 1 : -1, __ATOMIC_RELAXED);
	o->busy = false;
}

bool hip_release__is_known(void)
{
	return __atomic_load_n(&known, __ATOMIC_RELAXED) > 0;
}
