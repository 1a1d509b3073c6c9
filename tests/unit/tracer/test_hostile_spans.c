// SPDX-License-Identifier: MIT
/*
 * Tests what the tracer makes of spans (user/agent/agent_calls.c) that a hostile process has
 * written: each record is handed out whole, in bounds, or counted as bad.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/span_ring.h"
#include "user/agent/agent_calls.h"

static char *memory;
static struct agent_spans *reader;
static const struct function fn = {.name = "hipX", .domain = DOMAIN_HIP, .shown = true};

static size_t handed_out, bytes;

static void take(const struct rt_rec *rec, void *arg)
{
	if (rec->kind != RT_REC_SPAN)
		return;
	handed_out++;
	bytes = rec->size;
	assert_in_range(rec->size, sizeof(struct rt_rec_span), sizeof(union span_record));
	for (size_t i = sizeof(struct rt_rec_span); i < rec->size; i++)
		assert_int_equal(((const char *)rec)[i], 'A');
}

static struct rt_span_chunk *chunk(void)
{
	return (void *)(memory + RT_SPANS_CHUNKS);
}

static int set_up(void **state)
{
	const struct agent_span_way way = {RT_SPAN_WAY_JUMP, 0, 1, 1, 0};
	struct rt_span_thread *thread;

	/* As the agent's is: mapped. What is read past it ends the test. */
	memory = mmap(NULL, RT_SPANS_SIZE + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || mprotect(memory, RT_SPANS_SIZE, PROT_READ | PROT_WRITE))
		return -1;
	reader = agent_calls__new(memory, 0);
	if (!reader || agent_calls__add(reader, &fn, &way))
		return -1;
	thread = (void *)(memory + RT_SPANS_THREADS);
	thread->tid = 1;
	thread->listed = 1;
	thread->state = RT_SPAN_THREAD_TAKEN;
	((struct rt_spans_state *)(memory + RT_SPANS_STATE))->threads = 1;
	handed_out = bytes = 0;
	return 0;
}

static int tear_down(void **state)
{
	agent_calls__free(reader);
	munmap(memory, RT_SPANS_SIZE + 4096);
	return 0;
}

/* Appends a record with this size and number of arguments in its header. */
static void write_record(uint32_t size, uint8_t arg_count)
{
	struct rt_span_rec r = {
		.size = size, .arg_count = arg_count, .begin = 1, .end = 2, .corr = 1, .root = 1};
	char *to = chunk()->data + chunk()->used;

	memset(to, 'A', size > sizeof(r) ? size : sizeof(r));
	memcpy(to, &r, sizeof(r));
	chunk()->used += size;
}

static void drain(void)
{
	agent_calls__drain(reader, take, NULL);
}

/* Whatever a record says of its size and its arguments, what is handed out is what its reader has
 * room for. */
static void every_size_with_every_number_of_arguments(void **state)
{
	for (uint32_t args = 0; args <= RT_ARGS + 1; args++)
		for (uint32_t size = sizeof(struct rt_span_rec); size <= RT_SPAN_REC_MAX + 64;
		     size += 8) {
			uint32_t head = sizeof(struct rt_span_rec) + args * 8;
			bool fits = args <= RT_ARGS && size >= head && size - head <= RT_DATA_MAX;

			tear_down(state);
			assert_int_equal(set_up(state), 0);
			write_record(size, args);
			drain();
			assert_int_equal(handed_out, fits);
			assert_int_equal(agent_calls__bad(reader), !fits);
			if (fits)
				assert_int_equal(bytes, sizeof(struct rt_rec_span) + size - head);
		}
}

/* The size that a record says is not one: what follows it in its chunk is left, and counted once.
 */
static void sizes_that_are_none(void **state)
{
	static const uint32_t sizes[] = {
		0, 1, 8, sizeof(struct rt_span_rec) - 8, sizeof(struct rt_span_rec) + 4, 65535};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct rt_span_rec *first;

		tear_down(state);
		assert_int_equal(set_up(state), 0);
		write_record(sizeof(struct rt_span_rec), 0);
		write_record(sizeof(struct rt_span_rec), 0);
		first = (void *)chunk()->data;
		first->size = sizes[i];
		drain();
		assert_int_equal(handed_out, 0);
		assert_int_equal(agent_calls__bad(reader), 1);
	}
}

/* A chunk that says it holds more than a chunk can. */
static void more_in_a_chunk_than_it_holds(void **state)
{
	write_record(sizeof(struct rt_span_rec), 0);
	chunk()->used = UINT64_MAX;
	drain();
	assert_int_equal(handed_out, 1);
	assert_int_equal(agent_calls__bad(reader), 1);
}

/* Indices of functions, threads' lists and depths are bounded. */
static void indices_that_lead_outside(void **state)
{
	struct rt_span_thread *thread = (void *)(memory + RT_SPANS_THREADS);
	struct rt_span_rec *r = (void *)chunk()->data;

	write_record(sizeof(struct rt_span_rec), 0);
	r->func = UINT16_MAX;
	write_record(sizeof(struct rt_span_rec), 0);
	r[1].depth = UINT8_MAX;
	drain();
	assert_int_equal(handed_out, 0);
	assert_int_equal(agent_calls__bad(reader), 2);
	thread->list[1] = UINT16_MAX;
	thread->listed = UINT64_MAX;
	((struct rt_spans_state *)(memory + RT_SPANS_STATE))->threads = UINT32_MAX;
	thread->depth = UINT64_MAX;
	chunk()->closed = 1;
	drain();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_size_with_every_number_of_arguments),
		TEST(sizes_that_are_none),
		TEST(more_in_a_chunk_than_it_holds),
		TEST(indices_that_lead_outside),
	};

	return cmocka_run_group_tests_name("hostile_spans", tests, NULL, NULL);
}
