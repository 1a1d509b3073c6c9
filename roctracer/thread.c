// SPDX-License-Identifier: MIT
/*
 * Where threads are in our code, and waiting for them.
 */
#include "roctracer/thread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "roctracer/record_pools.h"

#define FIRST_IDS 8

static void begins(struct thread *t)
{
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	t->of_agent = !strcmp(name, "rtrace-reaper");
}

/* What is on its stages stays there. */
static void is_over(struct thread *t)
{
	t->frame = NULL;
	t->calls.count = t->external.count = 0;
	__atomic_store_n(&t->depth, 0, __ATOMIC_RELEASE);
}

const struct thread_kind thread_kind = {
	.size = sizeof(struct thread),
	.begins = begins,
	.is_over = is_over,
	.forked = pool__forked,
};

void thread__each(void (*fn)(struct thread *t, void *arg), void *arg)
{
	for (struct thread *t = thread__first(); t; t = t->link.next)
		fn(t, arg);
}

/* ---- regions ---- */

bool region__is_in(const struct thread *t, const void *first, const void *end)
{
	uint32_t depth = __atomic_load_n(&t->depth, __ATOMIC_ACQUIRE);

	if (depth > THREAD_REGIONS)
		return true;
	for (uint32_t i = 0; i < depth; i++) {
		/* Of a later region: with what was used in those that it has left. */
		const void *place = __atomic_load_n(&t->in[i], __ATOMIC_ACQUIRE);

		if (place >= first && place < end)
			return true;
	}
	return false;
}

void region__wait(const void *first, const void *end)
{
	const struct timespec pause = {.tv_nsec = 20000};

	thread__order_memory();
	for (const struct thread *t = thread__first(); t; t = t->link.next)
		while (t != thread_current && region__is_in(t, first, end))
			nanosleep(&pause, NULL);
}

/* ---- ids ---- */

bool ids__push(struct ids *s, uint64_t id)
{
	if (s->count == s->capacity) {
		uint32_t capacity = s->capacity ? s->capacity * 2 : FIRST_IDS;
		uint64_t *list = realloc(s->list, capacity * sizeof(*list));

		if (!list)
			return false;
		s->list = list;
		s->capacity = capacity;
	}
	s->list[s->count++] = id;
	return true;
}
