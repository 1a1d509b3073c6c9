// SPDX-License-Identifier: MIT
/*
 * Fuzzes the reader of calls that agents capture (user/agent/agent_calls.c, user/api/span_items.c)
 * with records of the right form and the wrong sizes: bytes of the input are fields of threads,
 * chunks, records and items. Each record that is handed out is in the bounds of what its users have
 * room for.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abi/span_ring.h"
#include "user/agent/agent_calls.h"

#define THREADS 4
#define CHUNKS	8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *at;
	size_t left;
};

static char *area;
static size_t handed_out;

static void must(bool condition)
{
	if (!condition)
		abort();
}

static uint64_t take(struct input *in, size_t bytes)
{
	uint64_t value = 0;

	if (bytes > in->left)
		bytes = in->left;
	memcpy(&value, in->at, bytes);
	in->at += bytes;
	in->left -= bytes;
	return value;
}

/* Most inputs are to get past the first check: one in four values is any, others are small. */
static uint64_t some(struct input *in, uint64_t below)
{
	uint64_t value = take(in, 1);

	return value < 192 ? value % below : take(in, 8);
}

static struct rt_span_thread *thread_at(uint64_t i)
{
	return (struct rt_span_thread *)(area + RT_SPANS_THREADS) + i % THREADS;
}

static struct rt_span_chunk *chunk_at(uint64_t i)
{
	return (struct rt_span_chunk *)(area + RT_SPANS_CHUNKS) + i % CHUNKS;
}

/* Appends a record after the last one; its contents may contradict its size. */
static void write_record(struct input *in, struct rt_span_chunk *chunk, uint64_t *end)
{
	struct rt_span_rec r = {
		.func = some(in, 3),
		.flags = take(in, 1),
		.depth = some(in, RT_SPANS_DEPTH),
		.arg_count = some(in, RT_ARGS + 2),
		.begin = some(in, 100),
		.corr = some(in, 100),
		.parent = some(in, 100),
		.root = some(in, 100),
	};
	uint64_t items = some(in, 4) ? 8 * some(in, 16) : RT_DATA_MAX - 64 + 8 * some(in, 16);
	uint64_t size = sizeof(r) + r.arg_count * 8 + items;

	r.end = r.begin + some(in, 100);
	r.size = size;
	if (*end + sizeof(r) > sizeof(chunk->data) || size > sizeof(chunk->data) - *end)
		return;
	memcpy(chunk->data + *end, &r, sizeof(r));
	for (uint64_t at = sizeof(r) + r.arg_count * 8; at + sizeof(struct rt_item) <= size;) {
		struct rt_item item = {some(in, 6), some(in, 8), some(in, 64), take(in, 1)};

		memcpy(chunk->data + *end + at, &item, sizeof(item));
		at += sizeof(item) + (item.len + 7) / 8 * 8;
	}
	*end += size;
}

static void write_chunk(struct input *in)
{
	struct rt_span_chunk *chunk = chunk_at(take(in, 1));
	uint64_t end = 0;

	for (uint64_t n = take(in, 1) % 8; n; n--)
		write_record(in, chunk, &end);
	chunk->used = take(in, 1) % 8 ? end : take(in, 8);
	chunk->closed = take(in, 1) % 2;
}

static void write_thread(struct input *in)
{
	struct rt_span_thread *t = thread_at(take(in, 1));

	t->state = some(in, 4);
	t->tid = some(in, 1000);
	t->busy = take(in, 1) % 2;
	t->depth = some(in, 4);
	t->lost = some(in, 4);
	t->listed += some(in, 4);
	for (int i = 0; i < 8; i++)
		t->list[(t->listed + i) % RT_SPANS_LIST] = some(in, CHUNKS);
	for (int i = 0; i < 3; i++)
		t->open[i] = (struct rt_span_frame){
			.begin = some(in, 100),
			.corr = some(in, 100),
			.func = some(in, 3),
			.first_word = some(in, RT_SPANS_WORDS),
			.word_count = some(in, RT_STACK_WORDS + 1),
			.arg_count = some(in, RT_ARGS + 1),
		};
}

static void check(const struct rt_rec *rec, void *arg)
{
	const struct rt_rec_span *span = (const void *)rec;
	const struct rt_item *item = NULL;

	handed_out++;
	if (rec->kind != RT_REC_SPAN)
		return;
	must(rec->size >= sizeof(*span) && rec->size <= sizeof(union span_record));
	must(span->begin <= rec->ts && span->depth < RT_SPANS_DEPTH);
	while ((item = span_items__next(span, item)))
		for (size_t i = 0; i < item->len; i++)
			(void)((volatile const char *)span_items__data(
				item))[i]; /* it can be read */
}

/* Only what inputs write to is made new. */
static void reset(void)
{
	memset(area, 0, RT_SPANS_OWNED);
	memset(area + RT_SPANS_THREADS, 0, THREADS * sizeof(struct rt_span_thread));
	for (int i = 0; i < CHUNKS; i++)
		memset(chunk_at(i), 0, 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct function functions[] = {
		{.name = "hipA", .domain = DOMAIN_HIP, .shown = true},
		{.name = "hsa_b", .domain = DOMAIN_HSA, .registers = 0x3f},
	};
	struct input in = {data, size};
	struct agent_spans *spans;

	if (!area)
		area = calloc(1, RT_SPANS_SIZE);
	must(area);
	reset();
	spans = agent_calls__new(area, 7 * AGENT_SPANS_CORRS);
	must(spans);
	for (int i = 0; i < 2; i++)
		agent_calls__add(spans, &functions[i],
				 &(struct agent_span_way){RT_SPAN_WAY_JUMP, 0, i + 1, i + 1, 0});
	((struct rt_spans_state *)(area + RT_SPANS_STATE))->threads = THREADS;
	for (int round = 0; round < 3 && in.left; round++) {
		for (uint64_t n = take(&in, 1) % 4; n; n--)
			write_chunk(&in);
		for (uint64_t n = take(&in, 1) % 4; n; n--)
			write_thread(&in);
		agent_calls__drain(spans, check, NULL);
	}
	agent_calls__finish(spans, 1000, check, NULL);
	agent_calls__free(spans);
	return 0;
}
