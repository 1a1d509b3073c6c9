/* SPDX-License-Identifier: MIT */
/*
 * Events of the driver interface: threads of the runtime sleep on them, the GPU wakes them.
 *
 * They have a lock of their own: an engine busy under the simulator's lock would starve the
 * waiters.
 *
 * Signal events are numbered from 1: that number is event id, trigger data and slot of the event
 * page all at once. The other types come after them. More than MAX_SIGNAL_EVENTS are refused, which
 * the runtime copes with (it polls instead).
 */
#include "tests/simkfd/event.h"

#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "tests/simkfd/simkfd.h"

#define MAX_SIGNAL_EVENTS 4096 /* number 0 is not used */
#define MAX_EVENTS	  (MAX_SIGNAL_EVENTS + 64)

/* Any offset will do, but it must not be 0 for any signal event, or signals get no mailbox. */
#define EVENT_PAGE_OFFSET (1ULL << 42)

struct event {
	bool used, auto_reset, signaled;
	uint32_t type;
	uint32_t waiters;
	uint64_t age; /* goes on when the number is used again, so that a late waiter notices */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static struct event events[MAX_EVENTS];
static struct kfd_hsa_memory_exception_data fault;

void event__start(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&wake, &attr);
	pthread_condattr_destroy(&attr);
}

void event__lock(void)
{
	pthread_mutex_lock(&lock);
}

void event__unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void event__forget(void)
{
	pthread_mutex_init(&lock, NULL);
	event__start();
	memset(events, 0, sizeof(events));
	memset(&fault, 0, sizeof(fault));
}

static struct event *event_find(uint32_t id)
{
	return id && id < MAX_EVENTS && events[id].used ? &events[id] : NULL;
}

static bool is_signal_type(uint32_t type)
{
	return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT;
}

int event__create(struct kfd_ioctl_create_event_args *args)
{
	bool is_signal = is_signal_type(args->event_type);
	uint32_t id = is_signal ? 1 : MAX_SIGNAL_EVENTS;
	uint32_t limit = is_signal ? MAX_SIGNAL_EVENTS : MAX_EVENTS;

	event__lock();
	while (id < limit && events[id].used)
		id++;
	if (id < limit) {
		events[id].used = true;
		events[id].type = args->event_type;
		events[id].auto_reset = args->auto_reset;
		events[id].signaled = false;
	}
	event__unlock();
	if (id == limit)
		return -ENOSPC;
	args->event_id = id;
	args->event_trigger_data = id;
	args->event_slot_index = is_signal ? id : 0;
	if (is_signal)
		args->event_page_offset = EVENT_PAGE_OFFSET;
	return 0;
}

int event__destroy(uint32_t id)
{
	struct event *e;

	event__lock();
	e = event_find(id);
	if (e) {
		e->used = false;
		e->age++;
		pthread_cond_broadcast(&wake);
	}
	event__unlock();
	return e ? 0 : -EINVAL;
}

int event__reset(uint32_t id)
{
	struct event *e;

	event__lock();
	e = event_find(id);
	if (e)
		e->signaled = false;
	event__unlock();
	return e ? 0 : -EINVAL;
}

/* Called with the lock held. */
static void event_fire(struct event *e)
{
	e->age++;
	e->signaled = !e->auto_reset || !e->waiters;
	if (e->waiters)
		pthread_cond_broadcast(&wake);
}

void event__signal(uint32_t id)
{
	struct event *e;

	event__lock();
	e = event_find(id);
	if (e)
		event_fire(e);
	event__unlock();
}

void event__memory_fault(int gpu, uint64_t address)
{
	uint32_t id;

	event__lock();
	fault = (struct kfd_hsa_memory_exception_data){
		.failure = {.NotPresent = 1},
		.va = address,
		.gpu_id = GPU_ID + gpu,
	};
	for (id = MAX_SIGNAL_EVENTS; id < MAX_EVENTS; id++)
		if (events[id].used && events[id].type == KFD_IOC_EVENT_MEMORY)
			event_fire(&events[id]);
	event__unlock();
}

/*
 * What one thread waits for. The driver interface has had an age in the event data since 1.14: the
 * caller says which signal it has seen last, so that none in between is lost. Debian 12's header is
 * older; the age is the first word of the union there.
 */
struct wait {
	struct kfd_event_data *data;
	uint32_t count;
	uint64_t *ages; /* at the start, one for each event */
	bool *done;
};

/* An event that was never signaled has the age 1; 0 is how the caller says that it does not ask. */
static uint64_t current_age(const struct event *e)
{
	return e->age + 1;
}

static uint64_t asked_age(const struct kfd_event_data *data)
{
	uint64_t age;

	memcpy(&age, data, sizeof(age));
	return age;
}

static int wait_begin(struct wait *w)
{
	struct event *e;
	uint64_t asked;
	uint32_t i;

	for (i = 0; i < w->count; i++)
		if (!event_find(w->data[i].event_id))
			return -EINVAL;
	for (i = 0; i < w->count; i++) {
		e = &events[w->data[i].event_id];
		asked = e->type == KFD_IOC_EVENT_SIGNAL ? asked_age(&w->data[i]) : 0;
		w->ages[i] = e->age;
		w->done[i] = e->signaled || (asked && asked != current_age(e));
		if (w->done[i] && e->auto_reset)
			e->signaled = false;
		e->waiters++;
	}
	return 0;
}

static uint32_t wait_done(struct wait *w)
{
	const struct event *e;
	uint32_t i, done = 0;

	for (i = 0; i < w->count; i++) {
		e = &events[w->data[i].event_id];
		if (!e->used || e->age != w->ages[i])
			w->done[i] = true;
		done += w->done[i];
	}
	return done;
}

static void wait_end(struct wait *w)
{
	struct event *e;
	uint64_t age;
	uint32_t i;

	for (i = 0; i < w->count; i++) {
		e = &events[w->data[i].event_id];
		age = current_age(e);
		if (e->waiters)
			e->waiters--;
		if (e->type == KFD_IOC_EVENT_MEMORY && w->done[i] && fault.gpu_id)
			w->data[i].memory_exception_data = fault;
		if (e->type == KFD_IOC_EVENT_SIGNAL)
			memcpy(&w->data[i], &age, sizeof(age));
	}
}

static struct timespec deadline(uint32_t timeout_ms)
{
	uint64_t ns = clock__ns(CLOCK_MONOTONIC) + timeout_ms * 1000000ULL;

	return (struct timespec){ns / 1000000000, ns % 1000000000};
}

static void wait_sleep(struct wait *w, struct kfd_ioctl_wait_events_args *args)
{
	struct timespec until = deadline(args->timeout);
	uint32_t needed = args->wait_for_all ? w->count : 1;
	bool late = !args->timeout;

	while (wait_done(w) < needed) {
		if (late) {
			args->wait_result = KFD_IOC_WAIT_RESULT_TIMEOUT;
			return;
		}
		if (args->timeout == UINT32_MAX)
			pthread_cond_wait(&wake, &lock);
		else
			late = pthread_cond_timedwait(&wake, &lock, &until) == ETIMEDOUT;
	}
	args->wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
}

static int wait_on(struct kfd_ioctl_wait_events_args *args)
{
	uint64_t ages[args->num_events + 1];
	bool done[args->num_events + 1];
	struct wait w = {
		.data = (struct kfd_event_data *)(uintptr_t)args->events_ptr,
		.count = args->num_events,
		.ages = ages,
		.done = done,
	};
	int err;

	event__lock();
	err = wait_begin(&w);
	if (!err) {
		wait_sleep(&w, args);
		wait_end(&w);
	}
	event__unlock();
	return err;
}

int event__wait(struct kfd_ioctl_wait_events_args *args)
{
	return args->num_events > MAX_EVENTS ? -EINVAL : wait_on(args);
}
