/* SPDX-License-Identifier: MIT */
/*
 * Spare signals: those that the runtime made for us and that nothing uses at the moment.
 *
 * Two sorts. Polled signals are for the GPU to complete and for the reaper to look at; they are
 * made "GPU only", so that no kernel pays for an interrupt and none of the driver's few events is
 * taken. Interrupt signals are for the runtime's own thread to sleep on.
 */
#include <pthread.h>
#include <stdlib.h>

#include "hsa_agent/core/agent_internal.h"
#include "inprocess/peek.h"

#define PAGES 256 /* that are remembered to have signals */

struct pool {
	pthread_mutex_t lock;
	bool closed; /* the runtime goes away, and its signals with it */
	hsa_signal_t *signals;
	size_t count, room;
};

static struct pool polled = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct pool interrupt = {.lock = PTHREAD_MUTEX_INITIALIZER};

static hsa_signal_t take(struct pool *pool, uint64_t attributes)
{
	hsa_signal_t signal = {0};

	pthread_mutex_lock(&pool->lock);
	if (pool->count)
		signal = pool->signals[--pool->count];
	pthread_mutex_unlock(&pool->lock);
	if (!signal.handle && hsa.amd.hsa_amd_signal_create_fn(1, 0, NULL, attributes, &signal))
		signal.handle = 0;
	return signal;
}

static void put(struct pool *pool, hsa_signal_t signal)
{
	pthread_mutex_lock(&pool->lock);
	if (pool->count == pool->room && !pool->closed) {
		size_t room = pool->room ? pool->room * 2 : 256;
		hsa_signal_t *more = realloc(pool->signals, room * sizeof(*more));

		if (more) {
			pool->signals = more;
			pool->room = room;
		}
	}
	if (pool->count < pool->room && !pool->closed) {
		pool->signals[pool->count++] = signal;
		signal.handle = 0;
	}
	pthread_mutex_unlock(&pool->lock);
	if (signal.handle)
		hsa.core.hsa_signal_destroy_fn(signal);
}

static void release(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	while (pool->count)
		hsa.core.hsa_signal_destroy_fn(pool->signals[--pool->count]);
	pthread_mutex_unlock(&pool->lock);
}

hsa_signal_t signal__take_polled(void)
{
	return take(&polled, HSA_AMD_SIGNAL_AMD_GPU_ONLY);
}

hsa_signal_t signal__take_interrupt(void)
{
	return take(&interrupt, 0);
}

void signal__put_polled(hsa_signal_t signal)
{
	put(&polled, signal);
}

void signal__put_interrupt(hsa_signal_t signal)
{
	put(&interrupt, signal);
}

static void open_pool(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->closed = false;
	pthread_mutex_unlock(&pool->lock);
}

void signals__init(void)
{
	open_pool(&polled);
	open_pool(&interrupt);
}

void signals__release(void)
{
	release(&polled);
	release(&interrupt);
}

void signals__forked(void)
{
	pthread_mutex_init(&polled.lock, NULL);
	pthread_mutex_init(&interrupt.lock, NULL);
	polled.count = 0;
	interrupt.count = 0;
}

/* Signals share pages: a few are found again and again. */
static bool is_there(const amd_signal_t *signal)
{
	static uint64_t pages[PAGES];
	uint64_t page = (uintptr_t)signal / 4096, *place = &pages[page % PAGES];

	if (__atomic_load_n(place, __ATOMIC_RELAXED) == page)
		return true;
	if (!peek__is_there(signal))
		return false;
	__atomic_store_n(place, page, __ATOMIC_RELAXED);
	return true;
}

bool signal__is_real(hsa_signal_t signal)
{
	const amd_signal_t *abi = signal_abi(signal);

	return signal.handle && !(signal.handle % __alignof__(amd_signal_t)) && is_there(abi) &&
	       abi->kind == AMD_SIGNAL_KIND_USER;
}
