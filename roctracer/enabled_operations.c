// SPDX-License-Identifier: MIT
/*
 * Enables and disables operations, and reports them.
 */
#include "roctracer/enabled_operations.h"

#include <pthread.h>
#include <stdlib.h>

#include "inprocess/tsc_clock.h"
#include "abi/roctracer_subscriber.h"

bool table_stopped;
const struct rtrace_subscriber *subscriber_of_calls;

static struct callback *taken_out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- callbacks and records ---- */

bool table__call(const struct table *t, struct thread *self, uint32_t op, const void *data)
{
	const struct callback *c;

	region_enter(self, &t->callbacks[op]);
	c = __atomic_load_n(&t->callbacks[op], __ATOMIC_ACQUIRE);
	if (c)
		c->function(t->domain, op, data, c->arg);
	region_leave(self);
	return c != NULL;
}

#define TOLD_TOOL	1
#define TOLD_SUBSCRIBER 2

uint8_t table__begin(const struct table *t, struct thread *self, uint32_t op, const void *data)
{
	uint8_t told = 0;

	if (table__is_subscribed(t, op)) {
		subscriber_of_calls->begin(t->domain, op, data);
		told |= TOLD_SUBSCRIBER;
	}
	if (table__has_callback(t, op) && table__call(t, self, op, data))
		told |= TOLD_TOOL;
	return told;
}

void table__end(const struct table *t, struct thread *self, uint32_t op, const void *data,
		uint8_t told)
{
	if (told & TOLD_TOOL && table__has_callback(t, op))
		table__call(t, self, op, data);
	if (told & TOLD_SUBSCRIBER)
		subscriber_of_calls->end(t->domain, op, data);
}

static void write_call(struct thread *self, struct pool *p, activity_record_t *record)
{
	uint64_t external = ids__top(&self->external);

	record->process_id = thread__pid();
	record->thread_id = self->link.tid;
	pool__write(self, p, record, self->external.count ? &external : NULL);
}

void table__record_call(const struct table *t, struct thread *self, uint32_t op,
			uint64_t correlation_id, uint64_t begin)
{
	activity_record_t record = {
		.domain = t->domain, .op = op, .correlation_id = correlation_id, .begin_ns = begin};
	struct pool *p;

	if (!begin || !table__has_pool(t, op))
		return;
	record.end_ns = clock__now(&self->clock);
	region_enter(self, &t->pools[op]);
	p = __atomic_load_n(&t->pools[op], __ATOMIC_ACQUIRE);
	if (p)
		write_call(self, p, &record);
	region_leave(self);
}

void table__record_op(const struct table *t, struct thread *self, const activity_record_t *record,
		      const char *text)
{
	struct pool *p;

	region_enter(self, &t->pools[record->op]);
	p = __atomic_load_n(&t->pools[record->op], __ATOMIC_ACQUIRE);
	if (p && text)
		pool__write_text(p, record, text);
	else if (p)
		pool__write(self, p, record, NULL);
	region_leave(self);
}

/* ---- changes ---- */

static void take_out(struct callback *c)
{
	pthread_mutex_lock(&lock);
	c->next = taken_out;
	taken_out = c;
	pthread_mutex_unlock(&lock);
}

bool table__set_callback(struct table *t, uint32_t op, activity_rtapi_callback_t function,
			 void *arg)
{
	struct callback *c = NULL, *before;

	if (function) {
		c = malloc(sizeof(*c));
		if (!c)
			return false;
		*c = (struct callback){function, arg, &t->callbacks[op], NULL};
	}
	before = __atomic_exchange_n(&t->callbacks[op], c, __ATOMIC_ACQ_REL);
	if (before)
		take_out(before);
	return true;
}

void table__set_pool(struct table *t, uint32_t op, struct pool *pool)
{
	__atomic_store_n(&t->pools[op], pool, __ATOMIC_RELEASE);
}

void table__set_subscribed(struct table *t, uint32_t op, bool subscribed)
{
	__atomic_store_n(&t->subscribed[op], subscribed, __ATOMIC_RELEASE);
}

bool table__is_empty(const struct table *t)
{
	for (uint32_t op = 0; op < t->count; op++)
		if (table__is_enabled(t, op))
			return false;
	return true;
}

void table__remove_pool(struct table *t, const struct pool *pool)
{
	for (uint32_t op = 0; op < t->count; op++)
		if (t->pools[op] == pool)
			table__set_pool(t, op, NULL);
}

/* ---- waiting ---- */

/* Those that were taken out of these places; they are out of the list then. */
static struct callback *collect(struct callback *const *first, struct callback *const *end)
{
	struct callback **link = &taken_out, *found = NULL;

	pthread_mutex_lock(&lock);
	while (*link) {
		struct callback *c = *link;

		if (c->place < first || c->place >= end) {
			link = &c->next;
			continue;
		}
		*link = c->next;
		c->next = found;
		found = c;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void table__wait_callbacks(const struct table *t, uint32_t first, uint32_t end)
{
	struct callback *found;

	if (region_is_inside())
		return;
	found = collect(&t->callbacks[first], &t->callbacks[end]);
	if (found)
		region__wait(&t->callbacks[first], &t->callbacks[end]);
	while (found) {
		struct callback *next = found->next;

		free(found);
		found = next;
	}
}

void table__wait_pools(const struct table *t, uint32_t first, uint32_t end)
{
	if (!pool__is_a_thread())
		region__wait(&t->pools[first], &t->pools[end]);
}
