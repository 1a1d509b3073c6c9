// SPDX-License-Identifier: MIT
/*
 * HIP does not say when the last operation of a call has ended, so nothing is taken out: of the
 * places that an id may have, the oldest is used again.
 */
#include "roctracer/call_gpu_work.h"

#include <pthread.h>

#define SETS   8192
#define PLACES 8 /* for an id */

struct place {
	uint64_t id;
	struct call_work work;
};

static struct place sets[SETS][PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Ids that follow each other have sets that do. */
static struct place *set_of(uint64_t id)
{
	return sets[id % SETS];
}

void call_work__put(uint64_t id, const struct call_work *work)
{
	struct place *oldest = set_of(id);

	pthread_mutex_lock(&lock);
	for (struct place *p = oldest; p < set_of(id) + PLACES; p++)
		if (p->id < oldest->id)
			oldest = p;
	*oldest = (struct place){id, *work};
	pthread_mutex_unlock(&lock);
}

struct call_work call_work__get(uint64_t id)
{
	struct call_work work = {0};

	pthread_mutex_lock(&lock);
	for (int i = 0; i < PLACES; i++)
		if (set_of(id)[i].id == id)
			work = set_of(id)[i].work;
	pthread_mutex_unlock(&lock);
	return work;
}
