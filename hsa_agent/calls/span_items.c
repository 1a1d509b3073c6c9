/* SPDX-License-Identifier: MIT */
/*
 * Reads what a plan asks for (abi/bpf_records.h), as bpf/capture_memory.h does from the kernel.
 */
#include "hsa_agent/calls/span_items.h"

#include <stdbool.h>
#include <string.h>

#include "inprocess/peek.h"

#define LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)

struct reader {
	struct rt_span_rec *rec;
	const struct rt_span_frame *frame;
	const __u64 *words; /* of the frame */
	uint32_t left;	    /* bytes that may still be appended */
};

static uint64_t word_of(const struct reader *r, uint32_t word)
{
	if (word < RT_ARGS)
		return r->frame->args[word];
	if (word == RT_WORD_RET)
		return r->rec->ret;
	return word - RT_ARGS < r->frame->word_count ? r->words[word - RT_ARGS] : 0;
}

static void read_string(struct rt_item *item, const char *from, uint32_t max)
{
	long length = peek__string((char *)(item + 1), from, max);

	if (length < 0) {
		item->flags = RT_ITEM_FAULT;
		item->len = sizeof(from);
		memcpy(item + 1, &from, sizeof(from));
		return;
	}
	item->len = length;
	if (item->len > max) {
		item->len = max;
		item->flags = RT_ITEM_CUT;
	}
}

static void read_bytes(struct rt_item *item, const void *from, uint32_t len)
{
	if (peek__all(item + 1, from, len))
		item->len = len;
	else
		item->flags = RT_ITEM_FAULT;
}

/* A null pointer leads to nothing: no item. */
static bool read_item(const struct reader *r, struct rt_item *item, const struct rt_read *read)
{
	uint64_t from = read->kind ? word_of(r, read->word) : 0;

	if (read->kind == RT_READ_STRING_AT && from)
		from = (uint64_t)peek__pointer((void *const *)from, NULL);
	if (!from)
		return false;
	if (read->kind == RT_READ_BYTES)
		read_bytes(item, (const void *)from, read->len);
	else
		read_string(item, (const char *)from, read->len);
	return true;
}

static struct rt_item *next_item(const struct reader *r, uint8_t kind, uint8_t index)
{
	struct rt_item *item = (struct rt_item *)((char *)r->rec + r->rec->size);

	*item = (struct rt_item){.kind = kind, .index = index};
	return item;
}

static void add(struct reader *r, const struct rt_item *item)
{
	uint32_t size = (sizeof(*item) + item->len + 7) & ~7u;

	r->rec->size += size;
	r->left -= size;
}

static void append_stack(struct reader *r)
{
	struct rt_item *item;

	if (!r->frame->word_count)
		return;
	item = next_item(r, RT_ITEM_STACK, 0);
	item->len = r->frame->word_count * sizeof(*r->words);
	memcpy(item + 1, r->words, item->len);
	add(r, item);
}

static struct rt_read nth_read(const struct span_plan *plan, uint32_t i)
{
	const typeof(plan->read[i]) copy = {.word = LOAD(plan->read[i].word)};

	return copy.read;
}

void span_items__append(struct rt_span_rec *rec, const struct rt_span_frame *f, const __u64 *words,
			const struct span_plan *plan)
{
	struct reader r = {rec, f, words + f->first_word, RT_DATA_MAX};

	append_stack(&r);
	if (!plan)
		return;
	for (uint32_t i = 0, n = LOAD(plan->reads); i < n; i++) {
		const struct rt_read read = nth_read(plan, i);
		struct rt_item *item = next_item(&r, RT_ITEM_READ, i);

		/* The byte that marks a cut string, and padding. */
		if (sizeof(*item) + read.len + 8 > r.left)
			break;
		if (read_item(&r, item, &read))
			add(&r, item);
	}
}
