// SPDX-License-Identifier: MIT
/*
 * Walks the items behind a span record.
 */
#include "user/items.h"

#include <string.h>

#include "user/procfs.h"

static size_t padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

const struct rt_item *items__next(const struct rt_rec_span *rec, const struct rt_item *prev)
{
	size_t at = sizeof(*rec);
	const struct rt_item *item;

	if (prev)
		at = (const char *)prev - (const char *)rec + sizeof(*prev) + padded(prev->len);
	if (at + sizeof(*item) > rec->h.size)
		return NULL;
	item = (const void *)((const char *)rec + at);
	return at + sizeof(*item) + item->len <= rec->h.size ? item : NULL;
}

const struct rt_item *items__read(const struct rt_rec_span *rec, const struct rt_plan *plan,
				  enum rt_read_kind kind, uint8_t word)
{
	const struct rt_item *item = NULL;

	while ((item = items__next(rec, item)))
		if (item->kind == RT_ITEM_READ && item->index < plan->reads &&
		    plan->read[item->index].kind == kind && plan->read[item->index].word == word)
			return item;
	return NULL;
}

static const struct rt_read *faulted_string(const struct rt_item *item, const struct rt_plan *plan)
{
	const struct rt_read *read;

	if (item->kind != RT_ITEM_READ || !(item->flags & RT_ITEM_FAULT) ||
	    item->index >= plan->reads)
		return NULL;
	read = &plan->read[item->index];
	return read->kind == RT_READ_STRING && read->word < RT_ARGS ? read : NULL;
}

bool items__has_fault(const struct rt_rec_span *rec, const struct rt_plan *plan)
{
	const struct rt_item *item = NULL;

	while ((item = items__next(rec, item)))
		if (faulted_string(item, plan))
			return true;
	return false;
}

/* Reads the string into the item. What cannot be read stays a fault. */
static void read_string(struct rt_item *item, const struct rt_rec_span *rec,
			const struct rt_read *read)
{
	size_t max = read->len < RT_READ_MAX ? read->len : RT_READ_MAX;
	char text[RT_READ_MAX + 1];
	ssize_t n;

	n = procfs__read_memory(rec->h.pid, rec->args[read->word], text, max + 1);
	if (n <= 0)
		return;
	item->len = strnlen(text, n);
	item->flags = item->len > max ? RT_ITEM_CUT : 0;
	if (item->len > max)
		item->len = max;
	memcpy(item + 1, text, item->len);
}

void items__read_faulted(union span_record *to, const struct rt_rec_span *rec,
			 const struct rt_plan *plan)
{
	const struct rt_item *item = NULL;
	size_t at = sizeof(*rec);

	memset(to, 0, sizeof(*to));
	to->span = *rec;
	while ((item = items__next(rec, item))) {
		const struct rt_read *read = faulted_string(item, plan);
		size_t most = read ? RT_READ_MAX : item->len;
		struct rt_item *copy = (void *)((char *)to + at);

		if (at + sizeof(*item) + padded(most) > sizeof(*to))
			break;
		memcpy(copy, item, sizeof(*item) + item->len);
		if (read)
			read_string(copy, rec, read);
		at += sizeof(*copy) + padded(copy->len);
	}
	to->span.h.size = at;
}
