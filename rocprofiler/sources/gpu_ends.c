// SPDX-License-Identifier: MIT
/*
 * A list of what has ended, and the thread that empties it.
 */
#include "rocprofiler/sources/gpu_ends.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "rocprofiler/sources/gpu_work.h"
#include "rocprofiler/service/internal_threads.h"
#include "rocprofiler/support/say.h"

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static struct gpu_work *first, **end = &first;
static bool made, runs, quit;
static __thread bool is_self;

static void forked(void)
{
	pthread_mutex_init(&making, NULL);
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&news, NULL);
	first = NULL;
	end = &first;
	made = runs = is_self = false;
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

static struct gpu_work *take(void)
{
	struct gpu_work *w = first;

	if (!w)
		return NULL;
	first = w->next_ended;
	if (!first)
		end = &first;
	return w;
}

void gpu_ends__go_on(void)
{
	struct gpu_work *w;

	pthread_mutex_lock(&lock);
	while ((w = take())) {
		pthread_mutex_unlock(&lock);
		gpu_work__tell(w);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
}

static void wait_for_news(void)
{
	pthread_mutex_lock(&lock);
	while (!first && !quit)
		pthread_cond_wait(&news, &lock);
	if (!first)
		runs = false;
	pthread_mutex_unlock(&lock);
}

static void *run(void *arg)
{
	is_self = true;
	pthread_setname_np(pthread_self(), "rocprofiler-gpu");
	do {
		gpu_ends__go_on();
		wait_for_news();
	} while (__atomic_load_n(&runs, __ATOMIC_ACQUIRE));
	return NULL;
}

/* The application's signals are not for it. */
static bool create(void)
{
	sigset_t all, before;
	pthread_t thread;
	int error;

	threads__tell_before(ROCPROFILER_LIBRARY);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	threads__tell_after(ROCPROFILER_LIBRARY);
	if (!error)
		pthread_detach(thread);
	return !error;
}

void gpu_ends__prepare(void)
{
	if (__atomic_load_n(&made, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&making);
	if (!made && !quit) {
		__atomic_store_n(&runs, true, __ATOMIC_RELEASE);
		if (!create()) {
			say("no thread: callbacks hear of ends where those are noticed");
			__atomic_store_n(&runs, false, __ATOMIC_RELEASE);
		}
		__atomic_store_n(&made, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&making);
}

bool gpu_ends__put(struct gpu_work *w)
{
	bool can;

	pthread_mutex_lock(&lock);
	can = runs && !quit;
	if (can) {
		w->next_ended = NULL;
		*end = w;
		end = &w->next_ended;
		pthread_cond_signal(&news);
	}
	pthread_mutex_unlock(&lock);
	return can;
}

bool gpu_ends__is_self(void)
{
	return is_self;
}

void gpu_ends__finalize(void)
{
	pthread_mutex_lock(&lock);
	quit = true;
	pthread_cond_signal(&news);
	pthread_mutex_unlock(&lock);
}
