// SPDX-License-Identifier: MIT
/*
 * Every API function is called with known values (scripts/gen-api-tests) through a trampoline that
 * keeps registers and stack. From these and memory a record is made as the kernel makes it, and its
 * decoded text must be what the caller says, which knows from the C compiler what it passed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/api/expect.h"
#include "common/api_tables.h"
#include "user/api/call_arguments.h"

#define STUBS "libapistubs.so"

uint64_t recorded_regs[RT_ARGS];
uint64_t recorded_sse[8];
uint64_t recorded_stack[RT_STACK_WORDS];
void **stubs; /* by the number of the call */

static const struct api_function *fn;
static union {
	struct rt_rec_span span;
	unsigned char bytes[sizeof(struct rt_rec_span) + 2 * RT_DATA_MAX];
} record;
static bool with_sse;
static size_t wrong, calls;

bool expect_has_sse(void)
{
	return with_sse;
}

void begin_call(const char *symbol)
{
	fn = api__find(symbol);
	memset(&record, 0, sizeof(record));
}

static void add_item(uint8_t kind, uint8_t index, uint32_t flags, const void *data, size_t len)
{
	struct rt_item item = {.kind = kind, .index = index, .len = (uint16_t)len, .flags = flags};
	size_t at = record.span.h.size;

	assert_true(at + sizeof(item) + len + 8 <= sizeof(record));
	memcpy(record.bytes + at, &item, sizeof(item));
	memcpy(record.bytes + at + sizeof(item), data, len);
	record.span.h.size = (uint16_t)(at + ((sizeof(item) + len + 7) & ~7ul));
}

static uint64_t word(uint8_t number)
{
	if (number == RT_WORD_RET)
		return record.span.ret;
	return number < RT_ARGS ? recorded_regs[number] : recorded_stack[number - RT_ARGS];
}

/* Reads this process's memory, and fails where there is none. */
static bool read_memory(uint64_t from, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)from, len};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static void read_string(uint8_t index, uint64_t from, size_t max)
{
	char text[RT_READ_MAX + 1];
	size_t len = 0;

	while (len < max && read_memory(from + len, text + len, 1) && text[len])
		len++;
	assert_true(read_memory(from + len, text + len, 1));
	add_item(RT_ITEM_READ, index, text[len] ? RT_ITEM_CUT : 0, text, len);
}

static void read_planned(const struct rt_read *r, uint8_t index)
{
	uint64_t from = word(r->word);
	char data[RT_READ_MAX];

	assert_true(r->len <= RT_READ_MAX);
	if (r->kind == RT_READ_STRING_AT && !read_memory(from, &from, sizeof(from)))
		return;
	if (r->kind != RT_READ_BYTES)
		read_string(index, from, r->len);
	else if (read_memory(from, data, r->len))
		add_item(RT_ITEM_READ, index, 0, data, r->len);
	else
		add_item(RT_ITEM_READ, index, RT_ITEM_FAULT, data, 0);
}

void end_call(uint64_t ret)
{
	struct rt_plan plan;

	record.span.h.kind = RT_REC_SPAN;
	record.span.h.size = sizeof(record.span);
	record.span.ret = ret;
	memcpy(record.span.args, recorded_regs, sizeof(recorded_regs));
	if (!fn)
		return;
	api__plan(fn, &plan);
	assert_true(plan.stack_words <= RT_STACK_WORDS && plan.reads <= RT_READS);
	if (plan.stack_words)
		add_item(RT_ITEM_STACK, 0, 0, recorded_stack, 8 * (size_t)plan.stack_words);
	for (uint8_t i = 0; i < plan.reads; i++)
		read_planned(&plan.read[i], i);
	assert_true(record.span.h.size <= sizeof(record.span) + RT_DATA_MAX);
	if (with_sse)
		add_item(RT_ITEM_SSE, 0, 0, recorded_sse, sizeof(recorded_sse));
}

void expect_done(void)
{
	struct call_values values;
	struct textbuf t = {0};

	calls++;
	assert_int_equal(call_values__from_record(&values, &record, record.span.h.size), 0);
	if (fn) {
		text_buffer__str(&t, fn->name);
		text_buffer__char(&t, '(');
		call_arguments__put(&t, fn, &values);
		text_buffer__char(&t, ')');
		call_arguments__put_return(&t, fn, &values);
	}
	if (strcmp(text_buffer__string(&t), expect_text())) {
		if (++wrong <= 10)
			print_error("is:        %s\nshould be: %s\n", text_buffer__string(&t),
				    expect_text());
	}
	text_buffer__free(&t);
	expect_reset();
}

static void call_all(void)
{
	wrong = calls = 0;
	for (size_t i = 0; i < api_call_count; i++)
		api_calls[i].call();
	assert_int_equal(calls, api_call_count);
	assert_int_equal(wrong, 0);
}

static void test_every_function(void **state)
{
	with_sse = false;
	call_all();
}

static void test_every_function_with_floats(void **state)
{
	with_sse = true;
	call_all();
}

static void test_as_many_as_in_the_tables(void **state)
{
	assert_int_equal(api_call_count, api_function_count);
}

static int load_stubs(void **state)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - sizeof(STUBS) - 1);
	char *end;
	void *lib;

	if (len < 0)
		return -1;
	path[len] = '\0';
	end = strrchr(path, '/');
	strcpy(end + 1, STUBS);
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	stubs = calloc(api_call_count, sizeof(*stubs));
	if (!lib || !stubs)
		return -1;
	for (size_t i = 0; i < api_call_count; i++) {
		stubs[i] = dlsym(lib, api_calls[i].symbol);
		if (!stubs[i])
			return -1;
	}
	return 0;
}

static int free_stubs(void **state)
{
	free(stubs);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_many_as_in_the_tables),
		cmocka_unit_test(test_every_function),
		cmocka_unit_test(test_every_function_with_floats),
	};

	return cmocka_run_group_tests(tests, load_stubs, free_stubs);
}
