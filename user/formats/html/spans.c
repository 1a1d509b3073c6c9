// SPDX-License-Identifier: MIT
/*
 * Keeps up to twice as many spans as are wanted, and drops the shorter half when it is full. What
 * is shorter than all that were left then needs not be looked at any more.
 */
#include "user/formats/html/spans.h"

#include <errno.h>
#include <stdlib.h>

struct spans {
	size_t limit, count, room;
	struct span *all;
	struct span least; /* the shortest that was left; ns 0: nothing was dropped */
	bool full;	   /* there is a least one */
	span_dropped_fn dropped;
	void *arg;
};

struct spans *spans__new(size_t limit, span_dropped_fn dropped, void *arg)
{
	struct spans *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct spans){.limit = limit, .dropped = dropped, .arg = arg};
	return s;
}

void spans__free(struct spans *s)
{
	for (size_t i = 0; s && i < s->count; i++)
		free(s->all[i].text);
	if (s)
		free(s->all);
	free(s);
}

/* Among those of equal length: by no order that they come in. */
static uint64_t lot(const struct span *s)
{
	uint64_t x = s->begin * 0x9e3779b97f4a7c15 ^ s->corr;

	x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9;
	return x ^ x >> 29;
}

static int by_length(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	uint64_t i, k;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	i = lot(x);
	k = lot(y);
	return (i < k) - (i > k);
}

static int by_row(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->corr > y->corr) - (x->corr < y->corr);
}

bool spans__wants(const struct spans *s, const struct span *span)
{
	return !s->full || by_length(span, &s->least) < 0;
}

static void sort(struct spans *s)
{
	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), by_length);
}

static void thin(struct spans *s)
{
	if (s->count <= s->limit)
		return;
	sort(s);
	for (size_t i = s->limit; i < s->count; i++) {
		s->dropped(&s->all[i], s->arg);
		free(s->all[i].text);
	}
	s->count = s->limit;
	s->least = s->all[s->limit - 1];
	s->full = true;
}

static bool has_room(struct spans *s)
{
	size_t room = s->room ? 2 * s->room : 256;
	struct span *all;

	if (s->count < s->room)
		return true;
	room = room < 2 * s->limit ? room : 2 * s->limit;
	all = realloc(s->all, room * sizeof(*all));
	if (!all)
		return false;
	s->all = all;
	s->room = room;
	return true;
}

int spans__add(struct spans *s, const struct span *span)
{
	bool wanted;

	if (s->count == 2 * s->limit)
		thin(s);
	wanted = spans__wants(s, span);
	if (wanted && has_room(s)) {
		s->all[s->count++] = *span;
		return 0;
	}
	if (!wanted)
		s->dropped(span, s->arg);
	free(span->text);
	return wanted ? -ENOMEM : 0;
}

struct span *spans__end(struct spans *s, size_t *count)
{
	thin(s);
	sort(s);
	*count = s->count;
	return s->all;
}

void spans__by_row(struct span *all, size_t count)
{
	if (count)
		qsort(all, count, sizeof(*all), by_row);
}
