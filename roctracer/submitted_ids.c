// SPDX-License-Identifier: MIT
/*
 * HIP counts its ids up, so an array in which each has its place, by its lowest bits, holds them
 * without a lock as long as there are not too many at once; the others are in a list.
 */
#include "roctracer/submitted_ids.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define PLACES 65536

/* `key` is the id + 1, 0: free. It is written last, and the thread that takes it clears it last. */
struct place {
	uint64_t key;
	struct submitted submitted;
};

struct late {
	struct late *next;
	uint64_t id;
	struct submitted submitted;
};

static struct place places[PLACES];
static struct late *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put_late(uint64_t id, const struct submitted *s)
{
	struct late *late = malloc(sizeof(*late));

	if (!late)
		return;
	*late = (struct late){.id = id, .submitted = *s};
	pthread_mutex_lock(&lock);
	late->next = list;
	list = late;
	pthread_mutex_unlock(&lock);
}

static struct submitted take_late(uint64_t id)
{
	struct late **link = &list, *found;
	struct submitted s = {0};

	pthread_mutex_lock(&lock);
	while (*link && (*link)->id != id)
		link = &(*link)->next;
	found = *link;
	if (found) {
		s = found->submitted;
		*link = found->next;
	}
	pthread_mutex_unlock(&lock);
	free(found);
	return s;
}

/* Two ids of one place may come at once: a place is claimed before it is filled. */
#define CLAIMED UINT64_MAX

void submitted__put(uint64_t id, const struct submitted *s)
{
	struct place *p = &places[id % PLACES];
	uint64_t free_key = 0;

	if (!__atomic_compare_exchange_n(&p->key, &free_key, CLAIMED, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED)) {
		put_late(id, s);
		return;
	}
	p->submitted = *s;
	__atomic_store_n(&p->key, id + 1, __ATOMIC_RELEASE);
}

struct submitted submitted__take(uint64_t id)
{
	struct place *p = &places[id % PLACES];
	struct submitted s;

	if (__atomic_load_n(&p->key, __ATOMIC_ACQUIRE) != id + 1)
		return take_late(id);
	s = p->submitted;
	__atomic_store_n(&p->key, 0, __ATOMIC_RELEASE);
	return s;
}
