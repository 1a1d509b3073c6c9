// SPDX-License-Identifier: MIT
/*
 * Slices in the order of their ends to begins and ends in the order of time.
 *
 * The slices inside a slice come directly before it. At the place of the first of them the outer
 * slice begins too: `first` is that place. `opens` of a place lists all slices that begin there,
 * the outermost (which came last) at its head.
 */
#include "user/formats/slice_order.h"

#include <errno.h>
#include <stdlib.h>

#define NONE UINT32_MAX

struct nest_item {
	uint64_t parent, begin, end;
	size_t data, len; /* what is kept of it, in nest.kept */
	uint32_t first;	  /* place of the first slice inside this one; its own place if none */
	uint32_t opens;	  /* the outermost slice that has this place as `first`, NONE */
	uint32_t next;	  /* the next one further in, NONE */
};

static uint64_t slice_id(const struct event *ev)
{
	return ev->kind == EV_RANGE ? ev->range.id : ev->corr;
}

static int grow(struct nest *nest)
{
	uint32_t size = nest->size ? nest->size * 2 : 8;
	struct nest_item *items;

	if (nest->count < nest->size)
		return 0;
	items = realloc(nest->items, size * sizeof(*items));
	if (!items)
		return -ENOMEM;
	nest->items = items;
	nest->size = size;
	return 0;
}

int slice_order__add(struct nest *nest, const struct event *ev, const void *data, size_t len)
{
	uint32_t self = nest->count, first = self;
	size_t at = nest->kept.len;

	byte_buffer__add(&nest->kept, data, len);
	if (nest->kept.failed || grow(nest)) {
		nest->kept.failed = false;
		return -ENOMEM;
	}
	while (first > 0 && nest->items[first - 1].parent == slice_id(ev))
		first = nest->items[first - 1].first;
	nest->items[self] = (struct nest_item){
		.parent = ev->parent,
		.begin = ev->begin,
		.end = ev->end,
		.data = at,
		.len = len,
		.first = first,
		.opens = first == self ? self : NONE,
		.next = first == self ? NONE : nest->items[first].opens,
	};
	nest->items[first].opens = self;
	nest->count++;
	return ev->parent == 0 || nest->count >= NEST_MAX;
}

void slice_order__write(struct nest *nest, nest_begin_fn begin, nest_end_fn end, void *arg)
{
	const struct nest_item *items = nest->items;

	for (uint32_t i = 0; i < nest->count; i++) {
		for (uint32_t k = items[i].opens; k != NONE; k = items[k].next)
			begin(arg, items[k].begin, nest->kept.data + items[k].data, items[k].len);
		end(arg, items[i].end);
	}
	nest->count = 0;
	nest->kept.len = 0;
}

void slice_order__free(struct nest *nest)
{
	byte_buffer__free(&nest->kept);
	free(nest->items);
}
