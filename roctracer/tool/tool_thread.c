// SPDX-License-Identifier: MIT
/*
 * The threads that the tool has seen.
 */
#include "roctracer/tool/tool_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "roctracer/tool/tool_internal.h"

#define FIRST_CALLS 8

static __thread struct own *current;
static struct own *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t at_end;

/* Another thread may have the place, and the lines that are there. */
static void ended(void *arg)
{
	struct own *o = arg;

	current = NULL;
	__atomic_store_n(&o->used, false, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void init(void)
{
	pthread_key_create(&at_end, ended);
}

static struct own *find_unused(void)
{
	for (struct own *o = all; o; o = o->next)
		if (!__atomic_load_n(&o->used, __ATOMIC_ACQUIRE))
			return o;
	return NULL;
}

static struct own *add(void)
{
	struct own *o = calloc(1, sizeof(*o));

	if (o)
		o->lines = lines__new();
	if (!o || !o->lines) {
		free(o);
		return NULL;
	}
	o->next = all;
	all = o;
	return o;
}

static struct own *take(void)
{
	struct own *o;

	pthread_mutex_lock(&lock);
	o = find_unused();
	if (!o)
		o = add();
	if (o) {
		o->used = true;
		o->busy = false;
		o->device = 0;
		o->call_count = o->ranges = 0;
		o->tid = gettid();
	}
	pthread_mutex_unlock(&lock);
	return o;
}

struct own *own__get(void)
{
	if (current)
		return current;
	current = take();
	if (current)
		pthread_setspecific(at_end, current);
	return current;
}

/* ---- calls ---- */

struct open_call *own__push(struct own *o, uint64_t correlation_id)
{
	struct open_call *calls = o->calls;

	if (o->call_count == o->call_capacity) {
		uint32_t capacity = o->call_capacity ? o->call_capacity * 2 : FIRST_CALLS;

		calls = realloc(calls, capacity * sizeof(*calls));
		if (!calls)
			return NULL;
		o->calls = calls;
		o->call_capacity = capacity;
	}
	calls += o->call_count++;
	*calls = (struct open_call){.correlation_id = correlation_id, .begin = tool__now()};
	return calls;
}

bool own__pop(struct own *o, uint64_t correlation_id, struct open_call *call)
{
	for (uint32_t i = o->call_count; i-- > 0;) {
		if (o->calls[i].correlation_id != correlation_id)
			continue;
		*call = o->calls[i];
		o->call_count = i;
		return true;
	}
	return false;
}

/* Of the parent's threads the child has one, with a number of its own. */
void own__forked(void)
{
	pthread_mutex_init(&lock, NULL);
	for (struct own *o = all; o; o = o->next)
		o->used = o == current;
	if (current)
		current->tid = gettid();
	lines__forked(current ? current->lines : NULL);
}
