// SPDX-License-Identifier: MIT
/*
 * Walks the items that follow a span record.
 */
#include "user/api/span_items.h"

#include <string.h>

#include "user/base/procfs.h"

static size_t padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

const struct rt_item *span_items__next(const struct rt_rec_span *rec, const struct rt_item *prev)
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

const struct rt_item *span_items__read(const struct rt_rec_span *rec, const struct rt_plan *plan,
				       enum rt_read_kind kind, uint8_t word)
{
	const struct rt_item *item = NULL;

	while ((item = span_items__next(rec, item)))
		if (item->kind == RT_ITEM_READ && item->index < plan->reads &&
		    plan->read[item->index].kind == kind && plan->read[item->index].word == word)
			return item;
	return NULL;
}

/* The address of a string that was not resident, in *address. */
static bool is_faulted_string(const struct rt_item *item, uint64_t *address)
{
	if (item->kind != RT_ITEM_READ || !(item->flags & RT_ITEM_FAULT) ||
	    item->len != sizeof(*address))
		return false;
	memcpy(address, span_items__data(item), sizeof(*address));
	return true;
}

bool span_items__has_fault(const struct rt_rec_span *rec)
{
	const struct rt_item *item = NULL;
	uint64_t address;

	while ((item = span_items__next(rec, item)))
		if (is_faulted_string(item, &address))
			return true;
	return false;
}

/* Reads the string into the item. What cannot be read stays a fault. */
static void read_string(struct rt_item *item, pid_t pid, uint64_t address, size_t max)
{
	char text[RT_READ_MAX + 1];
	ssize_t n;

	n = procfs__read_memory(pid, address, text, max + 1);
	if (n <= 0)
		return;
	item->len = strnlen(text, n);
	item->flags = item->len > max ? RT_ITEM_CUT : 0;
	if (item->len > max)
		item->len = max;
	memcpy(item + 1, text, item->len);
}

static size_t max_len(const struct rt_item *item, const struct rt_plan *plan)
{
	size_t max = item->index < plan->reads ? plan->read[item->index].len : 0;

	return max < RT_READ_MAX ? max : RT_READ_MAX;
}

void span_items__read_faulted(union span_record *to, const struct rt_rec_span *rec,
			      const struct rt_plan *plan)
{
	const struct rt_item *item = NULL;
	size_t at = sizeof(*rec);
	uint64_t address;

	memset(to, 0, sizeof(*to));
	to->span = *rec;
	while ((item = span_items__next(rec, item))) {
		bool read = is_faulted_string(item, &address);
		size_t most = read ? RT_READ_MAX : item->len;
		struct rt_item *copy = (void *)((char *)to + at);

		if (at + sizeof(*item) + padded(most) > sizeof(*to))
			break;
		memcpy(copy, item, sizeof(*item) + item->len);
		if (read)
			read_string(copy, rec->h.pid, address, max_len(item, plan));
		at += sizeof(*copy) + padded(copy->len);
	}
	to->span.h.size = at;
}
