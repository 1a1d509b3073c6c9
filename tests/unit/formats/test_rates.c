// SPDX-License-Identifier: MIT
/*
 * Counts by stretches of time, computed by hand; and messages inside of messages, with lengths of
 * one byte or more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "user/formats/perfetto/protobuf_writer.h"
#include "user/formats/rate_curves.h"

#define W RATES_FIRST

static void copy(struct rates *r, uint64_t submit, uint64_t begin, uint64_t end, uint64_t bytes)
{
	const struct event ev = {.kind = EV_COPY,
				 .begin = begin,
				 .end = end,
				 .gpu = {.submit = submit, .bytes = bytes}};

	assert_int_equal(rate_curves__add(r, &ev), 0);
}

static void bytes_are_spread_over_the_time_of_a_copy(void **state)
{
	struct rates r = {.from = 5 * W};

	/* half of a stretch, two whole ones, and half of the next */
	copy(&r, 5 * W, 5 * W + W / 2, 8 * W + W / 2, 300);
	assert_int_equal(r.count, 4);
	for (int i = 0; i < 4; i++)
		assert_float_equal(r.all[i].bytes, (i % 3 ? 100 : 50), 1e-9);
	assert_int_equal(r.all[0].submitted, 1);
	assert_int_equal(r.all[3].ended, 1);
	/* within one, and one of no time; begun before the trace */
	copy(&r, 0, 1, 5 * W + 1, 7);
	copy(&r, 6 * W, 6 * W, 6 * W, 9);
	assert_float_equal(r.all[0].bytes, 57, 1e-9);
	assert_float_equal(r.all[1].bytes, 109, 1e-9);
	rate_curves__free(&r);
}

static void stretches_widen_as_a_trace_gets_longer(void **state)
{
	struct rates r = {.from = 0};
	uint64_t kernels = 0, ended = 0;

	for (uint64_t i = 0; i < 3 * RATES_MAX; i++) {
		const struct event ev = {.kind = EV_DISPATCH,
					 .begin = i * W,
					 .end = i * W + 1,
					 .gpu = {.submit = i * W}};

		assert_int_equal(rate_curves__add(&r, &ev), 0);
	}
	assert_int_equal(r.width, 4 * (uint64_t)W);
	assert_int_equal(r.count, 3 * RATES_MAX / 4);
	for (size_t i = 0; i < r.count; i++) {
		assert_int_equal(r.all[i].kernels, 4);
		kernels += r.all[i].kernels;
		ended += r.all[i].ended;
	}
	assert_int_equal(kernels, 3 * RATES_MAX);
	assert_int_equal(ended, 3 * RATES_MAX);
	assert_int_equal(rate_curves__at(&r, 2), 8 * (uint64_t)W);
	rate_curves__free(&r);
}

/* Reads back a message that holds a message that holds `len` bytes. */
static void nested(size_t len)
{
	struct bytes b = {};
	size_t outer = protobuf_writer__begin(&b, 1), inner = protobuf_writer__begin(&b, 2), n;
	struct bytes_in in;
	uint64_t said;

	for (size_t i = 0; i < len; i++)
		byte_buffer__put_number(&b, 7);
	protobuf_writer__end(&b, inner);
	protobuf_writer__end(&b, outer);
	in = (struct bytes_in){b.data, b.data + b.len, false};
	assert_int_equal(byte_buffer__number(&in), 1 << 3 | 2);
	said = byte_buffer__number(&in);
	assert_int_equal(said, in.end - in.at);
	assert_int_equal(byte_buffer__number(&in), 2 << 3 | 2);
	byte_buffer__take(&in, &n);
	assert_int_equal(n, len);
	assert_false(in.bad);
	assert_ptr_equal(in.at, in.end);
	byte_buffer__free(&b);
}

static void lengths_of_messages(void **state)
{
	const size_t lens[] = {0, 1, 123, 124, 125, 126, 127, 128, 16380, 16383, 16384, 3000000};

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		nested(lens[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_spread_over_the_time_of_a_copy),
		cmocka_unit_test(stretches_widen_as_a_trace_gets_longer),
		cmocka_unit_test(lengths_of_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
