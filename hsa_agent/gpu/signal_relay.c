/* SPDX-License-Identifier: MIT */
/*
 * Relays: see signal_relay.h.
 */
#include "hsa_agent/gpu/signal_relay.h"

#include <stdlib.h>

#define PATIENCE 10 /* rounds of the reaper */

static pthread_mutex_t unused_lock = PTHREAD_MUTEX_INITIALIZER;
static struct relay *unused;

/* From the registration of completed() to its call. */
static pthread_mutex_t started_lock = PTHREAD_MUTEX_INITIALIZER;
static struct relay *started;
static uint64_t calls; /* of completed() */

static struct relay *take_unused(void)
{
	struct relay *r;

	pthread_mutex_lock(&unused_lock);
	r = unused;
	if (r)
		unused = r->next;
	pthread_mutex_unlock(&unused_lock);
	return r ? r : malloc(sizeof(*r));
}

struct relay *signal_relay__new(hsa_signal_t own)
{
	struct relay *r = take_unused();

	if (!r)
		return NULL;
	*r = (struct relay){
		.timed = signal__take_interrupt(),
		.own = own,
		.notice = {.op = agent_next_op()},
	};
	if (r->timed.handle) {
		signal_make_ready(r->timed);
		return r;
	}
	free(r);
	return NULL;
}

void signal_relay__put(struct relay *r)
{
	signal__put_interrupt(r->timed);
	pthread_mutex_lock(&unused_lock);
	r->next = unused;
	unused = r;
	pthread_mutex_unlock(&unused_lock);
}

/*
 * As the GPU would have done: one less, or the error. The times go into the signal as well, for an
 * application that reads them from there.
 */
static void complete_own(const struct relay *r, hsa_signal_value_t value)
{
	const amd_signal_t *abi = signal_abi(r->timed);

	shadow__stamp(r->own, abi->start_ts, abi->end_ts);
	if (value < 0)
		hsa.core.hsa_signal_store_screlease_fn(r->own, value);
	else
		hsa.core.hsa_signal_subtract_screlease_fn(r->own, 1);
}

static void link_relay(struct relay *r)
{
	pthread_mutex_lock(&started_lock);
	r->link = &started;
	r->next = started;
	if (started)
		started->link = &r->next;
	__atomic_store_n(&started, r, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&started_lock);
}

static void unlink_relay(struct relay *r)
{
	pthread_mutex_lock(&started_lock);
	if (r->link)
		__atomic_store_n(r->link, r->next, __ATOMIC_RELAXED);
	if (r->link && r->next)
		r->next->link = r->link;
	pthread_mutex_unlock(&started_lock);
}

/* Reports the operation's end, also to the application, unless that was done. */
static void tell_end(struct relay *r, hsa_signal_value_t value)
{
	if (__atomic_exchange_n(&r->told, true, __ATOMIC_ACQ_REL))
		return;
	r->ended(r, value);
	complete_own(r, value);
}

static bool is_cancelled(const struct relay *r)
{
	return __atomic_load_n(&r->cancelled, __ATOMIC_ACQUIRE);
}

/* Called by the runtime's handler thread. False: once is enough. */
static bool completed(hsa_signal_value_t value, void *arg)
{
	struct relay *r = arg;

	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	unlink_relay(r);
	if (!is_cancelled(r))
		tell_end(r, value);
	signal_relay__put(r);
	return false;
}

/* Under the lock, without which completed() puts none away: what is in the list stays what it is.
 */
static void tell_ends(void)
{
	pthread_mutex_lock(&started_lock);
	for (struct relay *r = started; r; r = r->next) {
		hsa_signal_value_t value = signal_value(r->timed);

		if (value < 1 && !is_cancelled(r))
			tell_end(r, value);
	}
	pthread_mutex_unlock(&started_lock);
}

bool signal_relay__reap(void)
{
	static uint64_t last_calls;
	static int rounds;
	uint64_t now = __atomic_load_n(&calls, __ATOMIC_RELAXED);

	if (!__atomic_load_n(&started, __ATOMIC_RELAXED))
		return false;
	if (now != last_calls)
		rounds = 0;
	last_calls = now;
	if (++rounds > PATIENCE)
		tell_ends();
	return true;
}

bool signal_relay__start(struct relay *r, void (*ended)(struct relay *r, hsa_signal_value_t value))
{
	hsa_signal_t timed = r->timed;

	r->ended = ended;
	if (r->notice.recorded)
		flight__begin(r->notice.op, timed, r->device_id, r->flags);
	link_relay(r);
	if (!hsa.amd.hsa_amd_signal_async_handler_fn(timed, HSA_SIGNAL_CONDITION_LT, 1, completed,
						     r))
		return true;
	unlink_relay(r);
	return false;
}

void signal_relay__cancel(struct relay *r)
{
	__atomic_store_n(&r->cancelled, true, __ATOMIC_RELEASE);
	hsa.core.hsa_signal_store_screlease_fn(r->timed, 0);
}

void signal_relay__release(void)
{
	pthread_mutex_lock(&started_lock);
	for (struct relay *r = started, *next; r; r = next) {
		next = r->next;
		r->link = NULL;
		r->next = NULL;
	}
	__atomic_store_n(&started, NULL, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&started_lock);
}

void signal_relay__forked(void)
{
	pthread_mutex_init(&unused_lock, NULL);
	pthread_mutex_init(&started_lock, NULL);
	started = NULL;
}
