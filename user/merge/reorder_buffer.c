// SPDX-License-Identifier: MIT
/*
 * The reorder buffer: copies in an arena, sorted by time when a part of them is released. They come
 * as a few runs that are in order, a source after the other, and runs are what is merged.
 *
 * A burst, as after a tracer was stopped, is all held at once; its memory is given back gradually.
 */
#include "user/merge/reorder_buffer.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MIN 1024
#define ARENA_MIN (1 << 18)
#define QUIET	  1000 /* releases for which a quarter must have done before half is given back */

struct item {
	uint64_t ts;
	size_t at; /* in the arena */
	size_t size;
};

struct order {
	struct item *items, *merged; /* both have room for as many */
	size_t count, capacity;
	char *arena;
	size_t used, arena_size;
	char *other; /* arena, for what stays when it is tidied up */
	size_t other_size;
	size_t most_items, most_used; /* that was needed since the last look: give_back's */
	unsigned int releases;
};

struct order *reorder_buffer__new(void)
{
	return calloc(1, sizeof(struct order));
}

void reorder_buffer__free(struct order *o)
{
	if (!o)
		return;
	free(o->items);
	free(o->merged);
	free(o->arena);
	free(o->other);
	free(o);
}

static int grow_items(struct order *o)
{
	size_t capacity = o->capacity ? o->capacity * 2 : ITEMS_MIN;
	struct item *items = realloc(o->items, capacity * sizeof(*items)), *merged;

	if (!items)
		return -ENOMEM;
	o->items = items;
	merged = realloc(o->merged, capacity * sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	o->merged = merged;
	o->capacity = capacity;
	return 0;
}

static int grow(struct order *o, size_t size)
{
	if (o->count == o->capacity && grow_items(o))
		return -ENOMEM;
	if (o->arena_size - o->used < size) {
		size_t arena_size = o->arena_size ? o->arena_size * 2 : ARENA_MIN;
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

int reorder_buffer__push(struct order *o, uint64_t ts, const void *rec, size_t size)
{
	size_t room = (size + 7) & ~7UL;
	int err = grow(o, room);

	if (err)
		return err;
	memcpy(o->arena + o->used, rec, size);
	o->items[o->count++] = (struct item){.ts = ts, .at = o->used, .size = size};
	o->used += room;
	return 0;
}

/* Where the run that begins there ends. */
static size_t run_end(const struct order *o, size_t from)
{
	size_t i = from + 1;

	while (i < o->count && o->items[i - 1].ts <= o->items[i].ts)
		i++;
	return i < o->count ? i : o->count;
}

/* Of what has one time, that of the first run comes first. */
static void merge_two(const struct order *o, size_t from, size_t middle, size_t end)
{
	size_t a = from, b = middle;

	for (size_t i = from; i < end; i++) {
		bool second = a == middle || (b < end && o->items[b].ts < o->items[a].ts);

		o->merged[i] = o->items[second ? b++ : a++];
	}
}

static void sort(struct order *o)
{
	while (run_end(o, 0) < o->count) {
		struct item *merged = o->merged;
		size_t from, middle, end;

		for (from = 0; from < o->count; from = end) {
			middle = run_end(o, from);
			end = middle < o->count ? run_end(o, middle) : middle;
			merge_two(o, from, middle, end);
		}
		o->merged = o->items;
		o->items = merged;
	}
}

static bool make_room(struct order *o)
{
	if (o->other_size >= o->arena_size)
		return true;
	free(o->other);
	o->other = malloc(o->arena_size);
	o->other_size = o->other ? o->arena_size : 0;
	return o->other;
}

/* Moves what stays to the front of both arrays; items are in the order of time, the arena is not.
 */
static void keep_rest(struct order *o, size_t from)
{
	size_t rest = o->count - from, used = 0, size = o->arena_size;
	char *arena = o->arena;

	memmove(o->items, o->items + from, rest * sizeof(*o->items));
	o->count = rest;
	if (!rest) {
		o->used = 0;
		return;
	}
	if (!make_room(o))
		return; /* nothing is lost: the arena just does not shrink this time */
	for (size_t i = 0; i < rest; i++) {
		memcpy(o->other + used, arena + o->items[i].at, o->items[i].size);
		o->items[i].at = used;
		used += (o->items[i].size + 7) & ~7UL;
	}
	o->arena = o->other;
	o->arena_size = o->other_size;
	o->other = arena;
	o->other_size = size;
	o->used = used;
}

static void halve_items(struct order *o)
{
	size_t capacity = o->capacity / 2;
	struct item *items = realloc(o->items, capacity * sizeof(*items));
	struct item *merged = realloc(o->merged, capacity * sizeof(*merged));

	o->items = items ? items : o->items;
	o->merged = merged ? merged : o->merged;
	o->capacity = capacity;
}

static void halve_arena(struct order *o)
{
	char *arena = realloc(o->arena, o->arena_size / 2);

	o->arena = arena ? arena : o->arena;
	o->arena_size /= 2;
	free(o->other);
	o->other = NULL;
	o->other_size = 0;
}

/* All that is still held has room in half of it: it was counted before it was released. */
static void give_back(struct order *o)
{
	bool items = o->capacity > ITEMS_MIN && o->most_items < o->capacity / 4;
	bool arena = o->arena_size > ARENA_MIN && o->most_used < o->arena_size / 4;

	o->releases = 0;
	o->most_items = o->most_used = 0;
	if (items)
		halve_items(o);
	if (arena)
		halve_arena(o);
	if (items || arena)
		malloc_trim(0);
}

static void note_need(struct order *o)
{
	if (o->count > o->most_items)
		o->most_items = o->count;
	if (o->used > o->most_used)
		o->most_used = o->used;
	if (++o->releases == QUIET)
		give_back(o);
}

void reorder_buffer__release(struct order *o, uint64_t bound,
			     void (*fn)(const void *rec, size_t size, void *arg), void *arg)
{
	size_t n;

	note_need(o);
	if (!o->count)
		return;
	sort(o);
	for (n = 0; n < o->count && o->items[n].ts <= bound; n++)
		fn(o->arena + o->items[n].at, o->items[n].size, arg);
	keep_rest(o, n);
}
