// SPDX-License-Identifier: MIT
/*
 * A stack, and a table by library and handle.
 */
#define HASH_NONFATAL_OOM 1
#include "user/merge/open_ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

int range_stack__push(struct range_stack *s, const struct open_range *range, const char *message)
{
	if (s->count == s->capacity) {
		size_t capacity = s->capacity ? s->capacity * 2 : 8;
		struct open_range *open = realloc(s->open, capacity * sizeof(*open));

		if (!open)
			return -ENOMEM;
		s->open = open;
		s->capacity = capacity;
	}
	s->open[s->count] = *range;
	s->open[s->count++].message = strdup(message);
	return 0;
}

struct open_range range_stack__take(struct range_stack *s, size_t n)
{
	struct open_range r = s->open[n];

	memmove(&s->open[n], &s->open[n + 1], (--s->count - n) * sizeof(*s->open));
	return r;
}

void range_stack__free(struct range_stack *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->open[i].message);
	free(s->open);
}

/* ---- of a process ---- */

struct handle_key {
	uint64_t library, handle;
};

struct started_range {
	struct handle_key key;
	struct open_range range;
	struct started_range *older; /* of the same key; that one is in no table */
	UT_hash_handle hh;
};

/* In the table in its place, or instead of it. -ENOMEM: it is not. */
static int put(struct started_range **all, struct started_range *s)
{
	HASH_ADD(hh, *all, key, sizeof(s->key), s);
	return s->hh.tbl ? 0 : -ENOMEM;
}

int started_ranges__add(struct started_range **all, uint64_t handle, const struct open_range *range,
			const char *message)
{
	struct started_range *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->key = (struct handle_key){range->library, handle};
	s->range = *range;
	HASH_FIND(hh, *all, &s->key, sizeof(s->key), s->older);
	if (s->older)
		HASH_DEL(*all, s->older);
	if (put(all, s)) {
		if (s->older)
			put(all, s->older);
		free(s);
		return -ENOMEM;
	}
	s->range.message = strdup(message);
	return 0;
}

static struct open_range take(struct started_range **all, struct started_range *s)
{
	struct open_range range = s->range;

	HASH_DEL(*all, s);
	if (s->older)
		put(all, s->older);
	free(s);
	return range;
}

bool started_ranges__take(struct started_range **all, uint32_t library, uint64_t handle,
			  struct open_range *range)
{
	const struct handle_key key = {library, handle};
	struct started_range *s;

	HASH_FIND(hh, *all, &key, sizeof(key), s);
	if (s)
		*range = take(all, s);
	return s;
}

bool started_ranges__take_any(struct started_range **all, struct open_range *range)
{
	struct started_range *s = *all;

	if (s)
		*range = take(all, s);
	return s;
}

void started_ranges__free(struct started_range **all)
{
	struct open_range range;

	while (started_ranges__take_any(all, &range))
		free(range.message);
}
