// SPDX-License-Identifier: MIT
/*
 * The reorder buffer: copies in an arena, sorted by time when a part of them is released.
 */
#include "user/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct item {
	uint64_t ts;
	uint64_t seq;
	size_t at; /* in the arena */
	size_t size;
};

struct order {
	struct item *items;
	size_t count, capacity;
	char *arena;
	size_t used, arena_size;
	uint64_t seq;
};

struct order *order__new(void)
{
	return calloc(1, sizeof(struct order));
}

void order__free(struct order *o)
{
	if (!o)
		return;
	free(o->items);
	free(o->arena);
	free(o);
}

static int grow(struct order *o, size_t size)
{
	if (o->count == o->capacity) {
		size_t capacity = o->capacity ? o->capacity * 2 : 1024;
		struct item *items = realloc(o->items, capacity * sizeof(*items));

		if (!items)
			return -ENOMEM;
		o->items = items;
		o->capacity = capacity;
	}
	if (o->arena_size - o->used < size) {
		size_t arena_size = o->arena_size ? o->arena_size * 2 : 1 << 18;
		char *arena;

		while (arena_size - o->used < size)
			arena_size *= 2;
		arena = realloc(o->arena, arena_size);
		if (!arena)
			return -ENOMEM;
		o->arena = arena;
		o->arena_size = arena_size;
	}
	return 0;
}

int order__push(struct order *o, uint64_t ts, const void *rec, size_t size)
{
	size_t room = (size + 7) & ~7UL;
	int err = grow(o, room);

	if (err)
		return err;
	memcpy(o->arena + o->used, rec, size);
	o->items[o->count++] =
		(struct item){.ts = ts, .seq = o->seq++, .at = o->used, .size = size};
	o->used += room;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Moves what stays to the front of both arrays; items are in the order of time, the arena is not.
 */
static void keep_rest(struct order *o, size_t from)
{
	size_t rest = o->count - from, used = 0;
	char *arena;

	memmove(o->items, o->items + from, rest * sizeof(*o->items));
	o->count = rest;
	if (!rest) {
		o->used = 0;
		return;
	}
	arena = malloc(o->arena_size);
	if (!arena)
		return; /* nothing is lost: the arena just does not shrink this time */
	for (size_t i = 0; i < rest; i++) {
		memcpy(arena + used, o->arena + o->items[i].at, o->items[i].size);
		o->items[i].at = used;
		used += (o->items[i].size + 7) & ~7UL;
	}
	free(o->arena);
	o->arena = arena;
	o->used = used;
}

void order__release(struct order *o, uint64_t bound,
		    void (*fn)(const void *rec, size_t size, void *arg), void *arg)
{
	size_t n;

	if (!o->count)
		return;
	qsort(o->items, o->count, sizeof(*o->items), by_time);
	for (n = 0; n < o->count && o->items[n].ts <= bound; n++)
		fn(o->arena + o->items[n].at, o->items[n].size, arg);
	keep_rest(o, n);
}
