// SPDX-License-Identifier: MIT
/*
 * Counts them, with a place for the id of each call. Those that the GPU never got count, too.
 *
 * Which devices they were launched on is known by what hipSetDevice was called with: HIP is not to
 * be asked in the middle of a call (see hip_release.c).
 */
#include "roctracer/tool/pending_kernels.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inprocess/kernel_clock.h"
#include "inprocess/loaded_libraries.h"
#include "inprocess/running_threads.h"
#include "roctracer/tool/tool_internal.h"

#define PLACES		65536 /* ids are counted up: calls at once */
#define DEVICES		64
#define LONGEST_WAIT_NS 1000000000ULL
#define IDLE_MS		20

static uint64_t places[PLACES]; /* 0: free */
static uint64_t count;		/* of those that are not */
static uint64_t devices;	/* that kernels were launched on; others are not to be touched */

/* ---- HIP; NULL: it has none of that name ---- */

static int (*set_device)(int device);
static int (*synchronize)(void);

static void look_up(void)
{
	void *lib = libs__find("libamdhip64.so");

	if (!lib)
		return;
	set_device = dlsym(lib, "hipSetDevice");
	synchronize = dlsym(lib, "hipDeviceSynchronize");
}

static void note_device(int device)
{
	if (device >= 0 && device < DEVICES &&
	    !(__atomic_load_n(&devices, __ATOMIC_RELAXED) & 1ULL << device))
		__atomic_fetch_or(&devices, 1ULL << device, __ATOMIC_RELAXED);
}

/* ---- calls and kernels ---- */

void launched__begin(struct own *o, uint64_t correlation_id)
{
	uint64_t *place = &places[correlation_id % PLACES];

	note_device(o->device);
	if (!__atomic_exchange_n(place, correlation_id, __ATOMIC_RELAXED))
		__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
}

void launched__done(uint64_t correlation_id)
{
	uint64_t *place = &places[correlation_id % PLACES];

	if (__atomic_compare_exchange_n(place, &correlation_id, 0, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		__atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
}

static uint64_t under_way(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

void launched__forked(void)
{
	if (count)
		memset(places, 0, sizeof(places));
	count = 0;
}

/* ---- the end ---- */

static sem_t waited;

/* By a thread of its own: HIP may be held up, or have to wait for ever. */
static void *wait_for_devices(void *arg)
{
	struct own *o = own__get();

	look_up();
	if (o && set_device && synchronize) {
		o->busy = true;
		for (int i = 0; i < DEVICES; i++)
			if (devices & 1ULL << i && !set_device(i))
				synchronize();
	}
	sem_post(&waited);
	return NULL;
}

/* Until the devices are idle. */
static void wait_for_thread(void)
{
	struct timespec until;

	if (sem_init(&waited, 0, 0) || !tool__start_thread(wait_for_devices, NULL))
		return;
	until = kernel_clock__in(LONGEST_WAIT_NS);
	sem_timedwait(&waited, &until);
}

/* In a wait: how many ms it has lasted so far, and in how many of these no thread ran. */
static bool none_comes(int waited_ms, int idle_ms)
{
	return idle_ms >= IDLE_MS || waited_ms >= (int)(LONGEST_WAIT_NS / 1000000);
}

/*
 * HIP reports kernels on its own threads: waits until all are reported, or no more come. A thread
 * that gets no CPU is not idle.
 */
static void wait_for_records(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t left = under_way(), before;
	int waited_ms = 0, idle_ms = 0;

	while (left && !none_comes(waited_ms, idle_ms)) {
		nanosleep(&pause, NULL);
		tool__flush();
		before = left;
		left = under_way();
		waited_ms = left < before ? 0 : waited_ms + 1;
		idle_ms = left < before ? 0 : idle_ms + !running_threads__any();
	}
}

static void at_exit(void)
{
	tool__flush();
	if (!under_way())
		return;
	wait_for_thread();
	tool__flush();
	wait_for_records();
}

/* Now, as what is registered last is called first: before destructors of what HIP has loaded. */
static void at_first_launch(void)
{
	atexit(at_exit);
}

void launched__end(void)
{
	static pthread_once_t first = PTHREAD_ONCE_INIT;

	pthread_once(&first, at_first_launch);
}
