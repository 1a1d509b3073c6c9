/* SPDX-License-Identifier: MIT */
/*
 * The thread that has calls led to the stubs.
 *
 * It takes the loader's lock. The thread that has that lock may be waiting for the GPU, and so for
 * the reaper: so the reaper must not wait for it. And a child that was forked meanwhile would find
 * it taken for ever: so a fork waits until we are out of the loader, but not for long, as the
 * forking thread may be the one that we wait for. So does the end of the process, in which
 * libraries must not be opened: see imports__stop().
 */
#include "hsa_agent/calls/bind_stubs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inprocess/got_patch.h"
#include "hsa_agent/calls/call_stubs.h"
#include "inprocess/kernel_clock.h"
#include "inprocess/start_thread.h"

#define LOOK_EVERY   16	       /* calls */
#define AGAIN_NS     50000000L /* after what was written: see got_patch.c */
#define AGAIN_MAX    10
#define FORK_WAIT_NS 100000000L
#define EXIT_WAIT_NS 1000000000L /* for one object */

static const char *const libraries[] = {
	"libamdhip64.so", "libhsa-runtime64.so",	 "libhsakmt.so",
	"libroctx64.so",  "librocprofiler-sdk-roctx.so", NULL,
};

/* Calls of roctx call these, which may call HIP: then they take time. */
static const char *const tools[] = {"libroctracer64.so", "librocprofiler-sdk.so", NULL};

static bool audited;
static pthread_mutex_t loader = PTHREAD_MUTEX_INITIALIZER;
static __thread bool fork_waited __attribute__((tls_model("initial-exec")));

static struct {
	bool running;
	__u64 *places;
	uint64_t loaded;
	uint32_t calls;
	bool pending;
} binder;

/* ---- fork ---- */

static bool lock_within(long ns)
{
	struct timespec until = kernel_clock__in(ns);

	return !pthread_mutex_timedlock(&loader, &until);
}

static void before_fork(void)
{
	fork_waited = lock_within(FORK_WAIT_NS);
}

static void after_fork(void)
{
	if (fork_waited)
		pthread_mutex_unlock(&loader);
}

static void in_child(void)
{
	pthread_mutex_init(&loader, NULL);
	memset(&binder, 0, sizeof(binder));
}

/*
 * Run before the destructors of all libraries: it is registered before the thread runs for the
 * first time, which may be when exit() has begun.
 */
static void at_exit(void)
{
	imports__stop();
	if (lock_within(EXIT_WAIT_NS))
		pthread_mutex_unlock(&loader);
}

void bind_stubs__init(void)
{
	static bool hooked;

	if (hooked)
		return;
	audited = imports__audited();
	pthread_atfork(before_fork, after_fork, in_child);
	atexit(at_exit);
	hooked = true;
}

/* ---- the thread ---- */

static bool wants(const char *name)
{
	return !strncmp(name, "hip", 3) || !strncmp(name, "__hip", 5) || !strncmp(name, "hsa", 3) ||
	       !strncmp(name, "roctx", 5);
}

static void *instead(const char *name, void *function)
{
	return call_stubs__instead(function);
}

static uint32_t replace(void)
{
	const struct imports imports = {
		.libraries = libraries,
		.calls_only = true,
		.bound_only = audited,
		.wants = wants,
		.behind = call_stubs__behind,
		.instead = instead,
	};
	uint32_t count;

	pthread_mutex_lock(&loader);
	count = imports__replace(&imports);
	pthread_mutex_unlock(&loader);
	__atomic_fetch_add(binder.places, count, __ATOMIC_RELAXED);
	return count;
}

static void *run(void *arg)
{
	const struct timespec pause = {.tv_nsec = AGAIN_NS};

	pthread_setname_np(pthread_self(), "rtrace-binder");
	for (int i = 0; i < AGAIN_MAX && replace(); i++)
		nanosleep(&pause, NULL);
	__atomic_store_n(&binder.running, false, __ATOMIC_RELEASE);
	return NULL;
}

static void start(void)
{
	pthread_t thread;

	binder.running = true;
	if (start_thread__start(&thread, run))
		__atomic_store_n(&binder.running, false, __ATOMIC_RELEASE);
	else
		pthread_detach(thread);
}

static bool was_loaded(void)
{
	uint64_t count;

	pthread_mutex_lock(&loader);
	count = imports__loaded();
	if (count != binder.loaded)
		call_stubs__allow_instants(!imports__has_one(tools));
	pthread_mutex_unlock(&loader);
	if (count == binder.loaded)
		return false;
	binder.loaded = count;
	return true;
}

void bind_stubs__look(bool changed, __u64 *places)
{
	binder.pending |= changed;
	if (__atomic_load_n(&binder.running, __ATOMIC_ACQUIRE))
		return;
	if (binder.calls++ % LOOK_EVERY == 0 || binder.pending)
		binder.pending |= was_loaded();
	if (!binder.pending)
		return;
	binder.pending = false;
	binder.places = places;
	start();
}
