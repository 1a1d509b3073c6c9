/* SPDX-License-Identifier: MIT */
/*
 * A hash map from 64-bit keys to 64-bit values that is read without a lock.
 *
 * Open addressing with linear probing. A writer stores the value before the key, so a reader that
 * finds a key finds its value.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "inprocess/pointer_map.h"

#define MAP_FIRST_BITS 10

struct map_slot {
	uint64_t key;
	uint64_t value;
};

struct map_table {
	struct map_table *older;
	unsigned int bits;
	uint64_t used;
	struct map_slot slots[];
};

/* Keys are addresses: multiplying spreads their middle bits into the upper ones. */
static uint64_t slot_of(const struct map_table *t, uint64_t key)
{
	return (key * 0x9e3779b97f4a7c15ULL) >> (64 - t->bits);
}

static struct map_slot *find(const struct map_table *t, uint64_t key)
{
	uint64_t mask = (1ULL << t->bits) - 1;
	uint64_t i = slot_of(t, key);

	for (;; i = (i + 1) & mask) {
		uint64_t k = __atomic_load_n(&t->slots[i].key, __ATOMIC_ACQUIRE);

		if (k == key || k == 0)
			return (struct map_slot *)&t->slots[i];
	}
}

static void set(struct map_table *t, uint64_t key, uint64_t value)
{
	struct map_slot *s = find(t, key);

	__atomic_store_n(&s->value, value, __ATOMIC_RELEASE);
	if (!s->key) {
		__atomic_store_n(&s->key, key, __ATOMIC_RELEASE);
		t->used++;
	}
}

/* Returns a table with room for one more key, or NULL. */
static struct map_table *with_room(struct map *map)
{
	struct map_table *old = map->table, *t;
	unsigned int bits = old ? old->bits + 1 : MAP_FIRST_BITS;

	if (old && old->used < 1ULL << (old->bits - 1))
		return old;
	t = calloc(1, sizeof(*t) + (sizeof(t->slots[0]) << bits));
	if (!t)
		return NULL;
	t->bits = bits;
	t->older = old;
	for (uint64_t i = 0; old && i < 1ULL << old->bits; i++)
		if (old->slots[i].value)
			set(t, old->slots[i].key, old->slots[i].value);
	__atomic_store_n(&map->table, t, __ATOMIC_RELEASE);
	return t;
}

int pointer_map__put(struct map *map, uint64_t key, uint64_t value)
{
	struct map_table *t;

	pthread_mutex_lock(&map->lock);
	t = with_room(map);
	if (t)
		set(t, key, value);
	pthread_mutex_unlock(&map->lock);
	return t ? 0 : -ENOMEM;
}

uint64_t pointer_map__get(const struct map *map, uint64_t key)
{
	const struct map_table *t = __atomic_load_n(&map->table, __ATOMIC_ACQUIRE);

	const struct map_slot *s;

	if (!t || !key)
		return 0;
	s = find(t, key);
	/* The value of a slot without a key may be another key's, on its way in. */
	return __atomic_load_n(&s->key, __ATOMIC_ACQUIRE) == key
		       ? __atomic_load_n(&s->value, __ATOMIC_ACQUIRE)
		       : 0;
}

void pointer_map__remove(struct map *map, uint64_t key)
{
	struct map_slot *s;

	pthread_mutex_lock(&map->lock);
	s = map->table ? find(map->table, key) : NULL;
	if (s && s->key == key)
		__atomic_store_n(&s->value, 0, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&map->lock);
}
