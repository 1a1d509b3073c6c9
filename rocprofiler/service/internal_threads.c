// SPDX-License-Identifier: MIT
/*
 * The threads that pass on buffers. One lock is for all of them: it is taken where a buffer's
 * watermark is crossed, not where a record is written.
 */
#include "rocprofiler/service/internal_threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "inprocess/kernel_clock.h"
#include "rocprofiler/service/buffer.h"
#include "rocprofiler/service/registration.h"
#include "rocprofiler/service/thread.h"

#define THREADS_MAX 256
#define PATIENCE_NS 5000000000ULL /* for a tool's callback, at the end */

struct callback_thread {
	pthread_t thread;
	pthread_cond_t work;
	bool runs;
	const struct buffer *reads;
};

static struct callback_thread threads[THREADS_MAX];
static uint32_t count;
static bool quit;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Held while a thread is made. A tool's callback for that may make another one. */
static pthread_mutex_t making = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void threads__lock(void)
{
	pthread_mutex_lock(&lock);
}

void threads__unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* ---- callbacks for threads ---- */

struct request {
	struct request *next;
	struct tool *tool;
	rocprofiler_internal_thread_library_cb_t before, after;
	int libraries;
	void *data;
};

static struct request *requests, **requests_end = &requests;

static void tell(rocprofiler_runtime_library_t library, bool after)
{
	const struct request *r = __atomic_load_n(&requests, __ATOMIC_ACQUIRE);

	for (; r; r = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE)) {
		rocprofiler_internal_thread_library_cb_t fn = after ? r->after : r->before;

		if (fn && r->libraries & library && !tool__is_out(r->tool))
			fn(library, r->data);
	}
}

void threads__tell_before(rocprofiler_runtime_library_t library)
{
	tell(library, false);
}

void threads__tell_after(rocprofiler_runtime_library_t library)
{
	tell(library, true);
}

/* 0 means all, as it does to librocprofiler-sdk 1.0. */
rocprofiler_status_t
rocprofiler_at_internal_thread_create(rocprofiler_internal_thread_library_cb_t precreate,
				      rocprofiler_internal_thread_library_cb_t postcreate, int libs,
				      void *data)
{
	struct request *r = calloc(1, sizeof(*r));

	if (!r)
		return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
	r->tool = registration__tool();
	r->before = precreate;
	r->after = postcreate;
	r->libraries = libs ? libs : ~0;
	r->data = data;
	threads__lock();
	__atomic_store_n(requests_end, r, __ATOMIC_RELEASE);
	requests_end = &r->next;
	threads__unlock();
	return ROCPROFILER_STATUS_SUCCESS;
}

/* ---- a thread; under the lock, where it does not pass on ---- */

static struct buffer *find_requested(const struct callback_thread *t)
{
	struct buffer *b;

	for (uint32_t i = 0; (b = buffer__by_number(i)); i++)
		if (b->thread == t && b->started != b->requested)
			return b;
	return NULL;
}

static void pass_on(struct callback_thread *t, struct buffer *b)
{
	b->started = b->requested;
	if (!b->destroyed) {
		b->busy = true;
		t->reads = b;
		threads__unlock();
		buffer__pass_on(b);
		threads__lock();
		t->reads = NULL;
		b->busy = false;
	}
	b->completed = b->started;
	pthread_cond_broadcast(&changed);
}

static void *run(void *arg)
{
	struct callback_thread *t = arg;
	struct thread *self = thread__self();
	struct buffer *b;

	if (self)
		self->passes_on = true;
	pthread_setname_np(pthread_self(), "rocprofiler-sdk");
	threads__lock();
	for (;;) {
		b = find_requested(t);
		if (b)
			pass_on(t, b);
		else if (quit)
			break;
		else
			pthread_cond_wait(&t->work, &lock);
	}
	t->runs = false;
	pthread_cond_broadcast(&changed);
	threads__unlock();
	return NULL;
}

/* ---- made ---- */

/* The application's signals are not for it. */
static bool create(struct callback_thread *t)
{
	sigset_t all, before;
	int error;

	threads__tell_before(ROCPROFILER_LIBRARY);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&t->thread, NULL, run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	threads__tell_after(ROCPROFILER_LIBRARY);
	return !error;
}

/* In a fork's child it runs no more; once all have ended it is not made again. */
static bool ensure(struct callback_thread *t)
{
	bool runs, make;

	pthread_mutex_lock(&making);
	threads__lock();
	runs = t->runs;
	make = !runs && !quit;
	if (make) {
		t->runs = true;
		pthread_cond_init(&t->work, NULL);
	}
	threads__unlock();
	if (make)
		runs = create(t);
	if (make && !runs) {
		threads__lock();
		t->runs = false;
		threads__unlock();
	}
	pthread_mutex_unlock(&making);
	return runs;
}

static struct callback_thread *add(void)
{
	struct callback_thread *t = NULL;

	threads__lock();
	if (count < THREADS_MAX)
		t = &threads[count++];
	threads__unlock();
	return t && ensure(t) ? t : NULL;
}

struct callback_thread *threads__default(void)
{
	if (!count)
		return add();
	return ensure(&threads[0]) ? &threads[0] : NULL;
}

static void forked(void)
{
	struct buffer *b;

	pthread_mutex_init(&lock, NULL);
	making = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_cond_init(&changed, NULL);
	for (uint32_t i = 0; i < count; i++) {
		threads[i].runs = false;
		threads[i].reads = NULL;
	}
	for (uint32_t i = 0; (b = buffer__by_number(i)); i++)
		buffer__forked(b);
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

/* ---- ended ---- */

static void wait_ended(const struct callback_thread *t)
{
	struct timespec until = kernel_clock__in(PATIENCE_NS);
	int error = 0;

	threads__lock();
	while (t->runs && !error)
		error = pthread_cond_timedwait(&changed, &lock, &until);
	threads__unlock();
	if (!error)
		pthread_join(t->thread, NULL);
}

static bool is_self(const struct callback_thread *t)
{
	return t->runs && pthread_equal(t->thread, pthread_self());
}

void threads__end(void)
{
	bool runs[THREADS_MAX];

	threads__lock();
	quit = true;
	for (uint32_t i = 0; i < count; i++) {
		runs[i] = threads[i].runs && !is_self(&threads[i]);
		if (is_self(&threads[i]))
			pthread_detach(pthread_self());
		pthread_cond_signal(&threads[i].work);
	}
	threads__unlock();
	for (uint32_t i = 0; i < count; i++)
		if (runs[i])
			wait_ended(&threads[i]);
}

/* ---- for buffers ---- */

bool threads__can_pass_on(const struct buffer *b)
{
	return b->thread->runs && !b->destroyed;
}

static void request(struct buffer *b)
{
	b->requested++;
	pthread_cond_signal(&b->thread->work);
}

void threads__request(struct buffer *b)
{
	bool make;

	threads__lock();
	make = !b->thread->runs && !quit;
	if (b->started == b->requested)
		request(b);
	threads__unlock();
	if (make)
		ensure(b->thread);
}

void threads__wait(struct buffer *b)
{
	if (b->started == b->requested)
		request(b);
	pthread_cond_wait(&changed, &lock);
}

void threads__room(const struct buffer *b)
{
	if (!b->lossless)
		return;
	threads__lock();
	pthread_cond_broadcast(&changed);
	threads__unlock();
}

static rocprofiler_status_t flush(struct buffer *b)
{
	uint64_t number;

	request(b);
	number = b->requested;
	while (b->completed < number && threads__can_pass_on(b))
		pthread_cond_wait(&changed, &lock);
	if (b->completed >= number)
		return ROCPROFILER_STATUS_SUCCESS;
	return b->destroyed ? ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND
			    : ROCPROFILER_STATUS_ERROR_FINALIZED;
}

/* Of these threads none waits for one. */
static rocprofiler_status_t flush_inside(struct buffer *b)
{
	const struct callback_thread *t = b->thread;

	if (t->reads == b && pthread_equal(t->thread, pthread_self()))
		return ROCPROFILER_STATUS_ERROR_BUFFER_BUSY;
	if (b->started == b->requested)
		request(b);
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t threads__flush(struct buffer *b)
{
	bool inside = thread_current && thread_current->passes_on;
	rocprofiler_status_t status;

	ensure(b->thread);
	threads__lock();
	status = inside ? flush_inside(b) : flush(b);
	threads__unlock();
	return status;
}

/* ---- the interface ---- */

rocprofiler_status_t rocprofiler_create_callback_thread(rocprofiler_callback_thread_t *cb_thread_id)
{
	struct callback_thread *t;

	if (registration__initialized() > 0)
		return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
	t = threads__default() ? add() : NULL;
	if (!t)
		return ROCPROFILER_STATUS_ERROR;
	cb_thread_id->handle = t - threads;
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_assign_callback_thread(rocprofiler_buffer_id_t buffer_id,
							rocprofiler_callback_thread_t cb_thread_id)
{
	struct buffer *b = buffer__find(buffer_id);

	if (registration__initialized() > 0)
		return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
	if (cb_thread_id.handle >= count)
		return ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND;
	if (!b)
		return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
	threads__lock();
	b->thread = &threads[cb_thread_id.handle];
	if (b->started != b->requested)
		pthread_cond_signal(&b->thread->work);
	threads__unlock();
	return ROCPROFILER_STATUS_SUCCESS;
}
