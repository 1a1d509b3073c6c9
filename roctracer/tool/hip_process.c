// SPDX-License-Identifier: MIT
/*
 * Asks HIP. It is not linked: the process may have any release of it, or none.
 */
#include "roctracer/tool/hip_process.h"

#include <dlfcn.h>
#include <string.h>

#include "roctracer/libs.h"
#include "roctracer/tool/functions.h"
#include "roctracer/tool/kernels.h"

#define OPERATIONS 2048 /* those with a higher number, which no release has, launch nothing */

enum launch {
	LAUNCH_UNKNOWN, /* not looked at yet */
	LAUNCH_NONE,
	LAUNCH_HANDLE,	/* the first argument is a hipFunction_t */
	LAUNCH_ADDRESS, /* that of the kernel's host function */
};

static const char *const by_handle[] = {
	"hipModuleLaunchKernel",
	"hipExtModuleLaunchKernel",
	"hipHccModuleLaunchKernel",
	"hipModuleLaunchCooperativeKernel",
};
static const char *const by_address[] = {
	"hipLaunchKernel", "hipLaunchKernel_spt",	 "hipExtLaunchKernel",
	"hipLaunchByPtr",  "hipLaunchCooperativeKernel", "hipLaunchCooperativeKernel_spt",
};

static uint8_t launches[OPERATIONS];
static int known; /* 0: not asked yet; 1: yes; -1: no */

static void *find(const char *symbol)
{
	static void *lib;
	void *found = __atomic_load_n(&lib, __ATOMIC_RELAXED);

	if (!found) {
		found = libs__find("libamdhip64.so");
		__atomic_store_n(&lib, found, __ATOMIC_RELAXED);
	}
	return found && symbol ? dlsym(found, symbol) : found;
}

bool hip_process__has_hip(void)
{
	return find(NULL);
}

/* ---- its release ---- */

static bool ask_release(void)
{
	int (*get_version)(int *version) = find("hipRuntimeGetVersion");
	int version = 0;

	if (!get_version || get_version(&version))
		return false;
	return version / 10000000 == (int)tool_hip_release[0] &&
	       version / 100000 % 100 == (int)tool_hip_release[1];
}

bool hip_process__is_known(struct own *o)
{
	int is = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!is) {
		o->busy = true;
		is = ask_release() ? 1 : -1;
		o->busy = false;
		__atomic_store_n(&known, is, __ATOMIC_RELAXED);
	}
	return is > 0;
}

/* ---- kernels ---- */

static bool is_in(const char *const *names, size_t count, const char *function)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], function))
			return true;
	return false;
}

static enum launch classify(const char *function)
{
	if (is_in(by_handle, sizeof(by_handle) / sizeof(*by_handle), function))
		return LAUNCH_HANDLE;
	if (is_in(by_address, sizeof(by_address) / sizeof(*by_address), function))
		return LAUNCH_ADDRESS;
	return LAUNCH_NONE;
}

static enum launch launch_of(uint32_t op, const char *function)
{
	enum launch launch =
		op < OPERATIONS ? __atomic_load_n(&launches[op], __ATOMIC_RELAXED) : LAUNCH_NONE;

	if (launch == LAUNCH_UNKNOWN) {
		launch = classify(function);
		__atomic_store_n(&launches[op], launch, __ATOMIC_RELAXED);
	}
	return launch;
}

static const char *mangled_name(enum launch launch, const void *kernel)
{
	static const char *(*of_handle)(const void *handle);
	static const char *(*of_address)(const void *address, void *stream);

	if (!kernel)
		return NULL;
	if (launch == LAUNCH_HANDLE) {
		if (!of_handle)
			of_handle = find("hipKernelNameRef");
		return of_handle ? of_handle(kernel) : NULL;
	}
	if (!of_address)
		of_address = find("hipKernelNameRefByPtr");
	return of_address ? of_address(kernel, NULL) : NULL;
}

const char *hip_process__kernel(uint32_t op, const char *function, const void *args)
{
	enum launch launch = launch_of(op, function);
	const char *name = NULL;

	if (launch != LAUNCH_NONE)
		name = mangled_name(launch, *(const void *const *)args);
	return name && *name ? kernels__plain(name) : NULL;
}
