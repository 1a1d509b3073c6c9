// SPDX-License-Identifier: MIT
/*
 * Calls of any function.
 */
#include "tests/unit/inprocess/any_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#define RETURNED 0x8877665544332211

static uint64_t got[ANY_WORDS];
static int calls;

uint64_t any_original(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		      uint64_t g, uint64_t h, uint64_t i, uint64_t j, uint64_t k, uint64_t l)
{
	const uint64_t words[ANY_WORDS] = {a, b, c, d, e, f, g, h, i, j, k, l};

	memcpy(got, words, sizeof(got));
	calls++;
	return RETURNED;
}

static uint64_t low_bytes(uint64_t value, size_t size)
{
	return size < 8 ? value & ((1ULL << 8 * size) - 1) : value;
}

static bool is_of(const struct any_value *value, const struct api_param *p)
{
	return value && !strcmp(value->param, p->name);
}

void any_choose(const struct api_function *fn, const struct any_value *value,
		uint64_t words[ANY_WORDS])
{
	for (size_t i = 0; i < ANY_WORDS; i++)
		words[i] = 0xf0f0f0f0f0f0f0f0; /* what is no parameter */
	for (size_t i = 0; i < fn->param_count; i++) {
		const struct api_param *p = &fn->params[i];
		uint64_t word = 0x9e3779b97f4a7c15 * (i + 1);

		assert_true(p->place[0] < ANY_WORDS && p->place[1] == API_NOWHERE);
		assert_true(p->type->size && p->type->size <= 8);
		if (p->type->kind == API_BOOL)
			word = i % 2;
		if (is_of(value, p))
			word = (uintptr_t)value->bytes;
		words[p->place[0]] = low_bytes(word, p->type->size);
	}
}

void any_is_told(const struct api_function *fn, const struct any_value *value,
		 const uint64_t words[ANY_WORDS], const void *args)
{
	const char *bytes = args;
	size_t at = 0;

	for (size_t i = 0; i < fn->param_count; i++) {
		const struct api_param *p = &fn->params[i];
		size_t size = p->type->size;
		uint64_t word = 0;

		at = (at + size - 1) / size * size;
		memcpy(&word, bytes + at, size);
		assert_true(word == words[p->place[0]]);
		at += size;
		if (!is_of(value, p))
			continue;
		assert_memory_equal(bytes + at, value->bytes, value->size);
		at += value->size;
	}
}

void any_returned(const struct api_function *fn, const void *result)
{
	uint64_t value = 0;

	memcpy(&value, result, fn->ret->size);
	assert_true(value == low_bytes(fn->ret->size ? RETURNED : 0, fn->ret->size));
}

static void original_got(const struct api_function *fn, const uint64_t words[ANY_WORDS])
{
	for (size_t i = 0; i < fn->param_count; i++) {
		uint8_t place = fn->params[i].place[0];

		assert_true(low_bytes(got[place], fn->params[i].type->size) == words[place]);
	}
}

void any_call(const void *wrapper, const struct api_function *fn, const uint64_t words[ANY_WORDS])
{
	__typeof__(&any_original) call = (__typeof__(&any_original))wrapper;
	uint64_t ret;

	assert_ptr_not_equal(call, any_original);
	memset(got, 0, sizeof(got));
	calls = 0;
	ret = call(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
		   words[8], words[9], words[10], words[11]);
	assert_int_equal(calls, 1);
	original_got(fn, words);
	if (fn->ret->kind != API_VOID)
		assert_true(low_bytes(ret, fn->ret->size) == low_bytes(RETURNED, fn->ret->size));
}
