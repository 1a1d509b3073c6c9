/* SPDX-License-Identifier: MIT */
/*
 * Uses the GPU after exit() has begun, or at another end.
 *
 *   static   in the destructor of a static object that is older than the HIP runtime
 *   atexit   in a function that was registered before the HIP runtime was there
 *   library  in the destructor of a library that the program loads before HIP is initialised
 *   thread   in a thread that goes on while main is in exit()
 *   quick    in a function of quick_exit()
 *   _exit    before _exit(), with work in flight
 *
 * Prints the counts (see count.h) when the late work is done.
 */
#include "tests/workloads/kernels.hip"

#include <dlfcn.h>
#include <pthread.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS 1024
#define LAUNCHES 5

static const char usage[] = "late static|atexit|library|thread|quick|_exit\n";

static uint32_t *gpu, host[ELEMENTS];
static bool in_library, late_thread, thread_done;

static void launch(void)
{
	for (int i = 0; i < LAUNCHES; i++)
		LAUNCH(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, 0, gpu, ELEMENTS, 1);
}

static void begin(void)
{
	COUNT_REGISTRATION(KERNELS);
	CALL(hipMalloc, ((void **)&gpu, sizeof(host)));
	CALL(hipMemcpy, (gpu, host, sizeof(host), hipMemcpyHostToDevice));
	COPIED(H2D, sizeof(host));
	launch();
	CALL(hipDeviceSynchronize, ());
}

static void finish(void)
{
	/* Its kernels are unregistered by then: HIP's own one still is there. */
	if (in_library)
		CALL(hipMemset, (gpu, 0, sizeof(host)));
	else
		launch();
	CALL(hipDeviceSynchronize, ());
	CALL(hipMemcpy, (host, gpu, sizeof(host), hipMemcpyDeviceToHost));
	COPIED(D2H, sizeof(host));
	CALL(hipFree, (gpu));
	count__pass();
	fflush(stdout);
}


struct solver {
	bool used = false;
	~solver()
	{
		if (used)
			finish();
	}
};

static solver &the_solver(void)
{
	static solver one;

	return one;
}

static void *work_on(void *arg)
{
	while (!__atomic_load_n(&late_thread, __ATOMIC_ACQUIRE))
		workload__sleep_us(100);
	finish();
	__atomic_store_n(&thread_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Older than all that HIP registers, so it is called after that. */
static void wait_for_thread(void)
{
	__atomic_store_n(&late_thread, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&thread_done, __ATOMIC_ACQUIRE))
		workload__sleep_us(100);
}

static void load_library(void)
{
	void *library = dlopen(workload__beside("liblate.so"), RTLD_NOW);
	void (**at_end)(void) = library ? (void (**)(void))dlsym(library, "late_at_end") : NULL;

	CHECK(at_end, "%s", dlerror());
	*at_end = finish;
	in_library = true;
}

static void prepare(const char *how)
{
	if (!strcmp(how, "static"))
		the_solver().used = true;
	else if (!strcmp(how, "atexit"))
		atexit(finish);
	else if (!strcmp(how, "library"))
		load_library();
	else if (!strcmp(how, "thread"))
		atexit(wait_for_thread);
	else if (!strcmp(how, "quick"))
		at_quick_exit(finish);
	else
		CHECK(!strcmp(how, "_exit"), "no way '%s'", how);
}

int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";
	pthread_t thread;

	if (argc != 2)
		return workload__usage(argc, usage);
	prepare(how);
	begin();
	if (!strcmp(how, "thread"))
		CHECK(!pthread_create(&thread, NULL, work_on, NULL), "no thread");
	if (!strcmp(how, "quick"))
		quick_exit(0);
	if (!strcmp(how, "_exit")) {
		finish();
		launch();
		_exit(0);
	}
	return 0;
}
