// SPDX-License-Identifier: MIT
/*
 * Asks HIP. It is not linked: the process may have any release of it, or none.
 *
 * HIP keeps the error of a thread's last call for hipGetLastError, in older releases success as
 * well: it is asked when a call begins, which will have a result of its own, never when one has
 * ended.
 */
#include "roctracer/tool/hip_process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roctracer/libs.h"
#include "roctracer/tool/core.h"
#include "roctracer/tool/functions.h"
#include "roctracer/tool/kernels.h"

#define LONGEST_WAIT_S 1
#define IDLE_MS	       20
#define OPERATIONS     2048 /* those with a higher number, which no release has, launch nothing */

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
	"hipLaunchKernel",
	"hipExtLaunchKernel",
	"hipLaunchByPtr",
	"hipLaunchCooperativeKernel",
};

static uint8_t launches[OPERATIONS];
static int known; /* 0: not asked yet; 1: yes; -1: no */

/* NULL: it has none of that name. */
static struct hip {
	int (*get_version)(int *version);
	int (*get_device)(int *device);
	int (*set_device)(int device);
	int (*synchronize)(void);
	const char *(*kernel_of_handle)(const void *handle);
	const char *(*kernel_of_address)(const void *address, void *stream);
} hip;

bool hip_process__has_hip(void)
{
	return libs__find("libamdhip64.so");
}

static void look_up(void)
{
	void *lib = libs__find("libamdhip64.so");

	if (!lib)
		return;
	hip.get_version = dlsym(lib, "hipRuntimeGetVersion");
	hip.get_device = dlsym(lib, "hipGetDevice");
	hip.set_device = dlsym(lib, "hipSetDevice");
	hip.synchronize = dlsym(lib, "hipDeviceSynchronize");
	hip.kernel_of_handle = dlsym(lib, "hipKernelNameRef");
	hip.kernel_of_address = dlsym(lib, "hipKernelNameRefByPtr");
}

/* In a call of HIP, or behind one. */
static const struct hip *get_hip(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look_up);
	return &hip;
}

/* ---- its release ---- */

static bool ask_release(void)
{
	const struct hip *h = get_hip();
	int version = 0;

	if (!h->get_version || h->get_version(&version))
		return false;
	return version / 10000000 == (int)tool_hip_release[0] &&
	       version / 100000 % 100 == (int)tool_hip_release[1];
}

static void learn_release(struct own *o)
{
	o->busy = true;
	__atomic_store_n(&known, ask_release() ? 1 : -1, __ATOMIC_RELAXED);
	o->busy = false;
}

bool hip_process__is_known(void)
{
	return __atomic_load_n(&known, __ATOMIC_RELAXED) > 0;
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
	const struct hip *h = get_hip();

	if (!kernel)
		return NULL;
	if (launch == LAUNCH_HANDLE)
		return h->kernel_of_handle ? h->kernel_of_handle(kernel) : NULL;
	return h->kernel_of_address ? h->kernel_of_address(kernel, NULL) : NULL;
}

static const char *kernel_of(enum launch launch, const void *args)
{
	const char *name = mangled_name(launch, *(const void *const *)args);

	return name && *name ? kernels__plain(name) : NULL;
}

/* ---- the end ---- */

static uint64_t devices; /* that kernels were launched on; others are not to be touched */
static sem_t waited;

/* By a thread of its own: HIP may be held up, or have to wait for ever. */
static void *wait_for_devices(void *arg)
{
	const struct hip *h = get_hip();
	struct own *o = own__get();

	if (o && h->set_device && h->synchronize) {
		o->busy = true;
		for (int i = 0; i < 64; i++)
			if (devices & 1ULL << i && !h->set_device(i))
				h->synchronize();
	}
	sem_post(&waited);
	return NULL;
}

/* Until the devices are idle. */
static void wait_for_thread(void)
{
	struct timespec until;

	if (sem_init(&waited, 0, 0) || !tool_start_thread(wait_for_devices, NULL))
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LONGEST_WAIT_S;
	sem_timedwait(&waited, &until);
}

/* HIP tells of it on threads of its own: until all are told of, or no more come. */
static void wait_for_records(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t under_way = kernels__under_way(), before;

	for (int idle = 0; under_way && idle < IDLE_MS; idle = under_way < before ? 0 : idle + 1) {
		nanosleep(&pause, NULL);
		tool_flush();
		before = under_way;
		under_way = kernels__under_way();
	}
}

static void at_exit(void)
{
	tool_flush();
	if (!kernels__under_way())
		return;
	wait_for_thread();
	tool_flush();
	wait_for_records();
}

/* Now, as what is registered last is called first: before destructors of what HIP has loaded. */
static void at_first_launch(void)
{
	atexit(at_exit);
}

void hip_process__launched(void)
{
	static pthread_once_t first = PTHREAD_ONCE_INIT;

	pthread_once(&first, at_first_launch);
}

static void note_device(struct own *o)
{
	const struct hip *h = get_hip();
	int device = -1;

	o->busy = true;
	if (h->get_device && !h->get_device(&device) && device >= 0 && device < 64 &&
	    !(__atomic_load_n(&devices, __ATOMIC_RELAXED) & 1ULL << device))
		__atomic_fetch_or(&devices, 1ULL << device, __ATOMIC_RELAXED);
	o->busy = false;
}

/* ---- a call begins ---- */

static bool asks_for_error(const char *function)
{
	return !strcmp(function, "hipGetLastError") || !strcmp(function, "hipPeekAtLastError");
}

const char *hip_process__begins(struct own *o, uint32_t op, const char *function, const void *args)
{
	enum launch launch = launch_of(op, function);

	if (!__atomic_load_n(&known, __ATOMIC_RELAXED) && !asks_for_error(function))
		learn_release(o);
	if (launch == LAUNCH_NONE)
		return NULL;
	note_device(o);
	return kernel_of(launch, args);
}
