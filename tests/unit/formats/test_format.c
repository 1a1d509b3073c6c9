// SPDX-License-Identifier: MIT
/*
 * What the sinks share: texts, units, nesting, lanes.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "user/event/event.h"
#include "common/format.h"
#include "user/formats/slice_order.h"
#include "user/formats/track_lanes.h"

static void test_utf8_decode(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		uint32_t code;
	} cases[] = {
		{"a", 1, 'a'},
		{"\xc3\xa9", 2, 0xe9},
		{"\xe2\x86\x90", 3, 0x2190},
		{"\xf0\x9f\x98\x80", 4, 0x1f600},
		{"\x80", 0, 0},
		{"\xc3", 0, 0},
		{"\xc0\x80", 0, 0},
		{"\xe0\x80\x80", 0, 0},
		{"\xed\xa0\x80", 0, 0},
		{"\xf4\x90\x80\x80", 0, 0},
		{"\xff", 0, 0},
		{"\xe2\x86", 0, 0},
		{"\xe2\x86 ", 0, 0},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
		{"\xf0\x80\x80\x80", 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t code = 0;

		assert_int_equal(utf8__decode(cases[i].bytes, strlen(cases[i].bytes), &code),
				 cases[i].len);
		assert_int_equal(code, cases[i].code);
	}
}

static void test_utf8_clean(void **state)
{
	struct utf8_buf buf = {0};
	const char *good = "K\xc3\xa4se";

	assert_ptr_equal(utf8__clean(&buf, good), good);
	assert_string_equal(utf8__clean(&buf, ""), "");
	assert_string_equal(utf8__clean(&buf, "a\xff"
					      "b\xe2\x86"),
			    "a\xef\xbf\xbd"
			    "b\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(utf8__clean(&buf, "\xc3"), "\xef\xbf\xbd");
	utf8__free(&buf);
}

static void test_escape(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"plain text \"quoted\"", "plain text \"quoted\""},
		{"back\\slash", "back\\\\slash"},
		{"\x1b[31mred\n\x7f", "\\x1b[31mred\\x0a\\x7f"},
		{"csi \xc2\x9b", "csi \\xc2\\x9b"},
		{"raw csi \x9b", "raw csi \\x9b"},
		{"arrow \xe2\x86\x90", "arrow \xe2\x86\x90"},
		{"turned \xe2\x80\xae", "turned \\xe2\\x80\\xae"},
		{"cut \xe2\x86", "cut \\xe2\\x86"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		text__escape(out, cases[i][0]);
		fclose(out);
		assert_string_equal(text, cases[i][1]);
		free(text);
	}
}

static void test_units(void **state)
{
	char buf[FORMAT_LEN];

	assert_string_equal(format__ns(buf, 0), "0ns");
	assert_string_equal(format__ns(buf, 999), "999ns");
	assert_string_equal(format__ns(buf, 1000), "1.000us");
	assert_string_equal(format__ns(buf, 20000), "20.00us");
	assert_string_equal(format__ns(buf, 999999), "999.9us");
	assert_string_equal(format__ns(buf, 1234567), "1.234ms");
	assert_string_equal(format__ns(buf, 61000000000), "61.00s");
	assert_string_equal(format__ns(buf, UINT64_MAX), "18446744073s");
	assert_string_equal(format__bytes(buf, 1023), "1023B");
	assert_string_equal(format__bytes(buf, 4 << 20), "4.000MiB");
	assert_string_equal(format__bytes(buf, UINT64_MAX), "16777215TiB");
	assert_string_equal(format__rate(buf, 4000, 1000), "4.00GB/s");
	assert_string_equal(format__rate(buf, 4000, 0), "-");
}

static void test_flags(void **state)
{
	char buf[FORMAT_LEN];

	assert_string_equal(event__flags_text(buf, 0), "");
	assert_string_equal(event__flags_text(buf, EV_F_CUT), "cut");
	assert_string_equal(event__flags_text(buf, ~0u), "unfinished,unwound,uncorrelated,no-times,"
							 "process,launched,cut,entry,doorbell,"
							 "call-times");
	assert_string_equal(event__flags_text(buf, EV_WHY(WHY_TAKEN)), "taken");
	/* The longest text that there is, and a cause of a later release. */
	assert_string_equal(event__flags_text(buf, 0xffff | EV_WHY(WHY_SIGNAL_REUSED)),
			    "unfinished,unwound,uncorrelated,no-times,process,launched,cut,entry,"
			    "doorbell,call-times,signal-reused");
	assert_string_equal(event__flags_text(buf, EV_F_CUT | EV_WHY(WHY_NO_ROOM + 1)), "cut");
}

/* Appends "(name" and ")time" to a text. */
static void note_begin(void *arg, uint64_t time, const void *data, size_t len)
{
	strncat(strcat(arg, "("), data, len);
}

static void note_end(void *arg, uint64_t time)
{
	char *text = arg;

	sprintf(text + strlen(text), ")%" PRIu64, time);
}

static int add(struct nest *nest, const char *name, uint64_t corr, uint64_t parent)
{
	struct event ev = {.kind = EV_SPAN, .corr = corr, .parent = parent, .end = corr};

	return slice_order__add(nest, &ev, name, strlen(name));
}

static void test_nest(void **state)
{
	struct nest nest = {0};
	char text[128] = "";

	/* a contains b (which contains c) and d; all may begin in one nanosecond */
	assert_int_equal(add(&nest, "c", 3, 2), 0);
	assert_int_equal(add(&nest, "b", 2, 1), 0);
	assert_int_equal(add(&nest, "d", 4, 1), 0);
	assert_int_equal(add(&nest, "a", 1, 0), 1);
	slice_order__write(&nest, note_begin, note_end, text);
	assert_string_equal(text, "(a(b(c)3)2(d)4)1");

	/* empty now; a parent that never comes leaves its child where it is */
	*text = '\0';
	assert_int_equal(add(&nest, "f", 6, 5), 0);
	assert_int_equal(add(&nest, "g", 7, 0), 1);
	slice_order__write(&nest, note_begin, note_end, text);
	assert_string_equal(text, "(f)6(g)7");
	slice_order__free(&nest);
}

static void test_nest_is_bounded(void **state)
{
	struct nest nest = {0};

	for (uint32_t i = 1; i < NEST_MAX; i++)
		assert_int_equal(add(&nest, "x", i, UINT64_MAX), 0);
	assert_int_equal(add(&nest, "x", NEST_MAX, UINT64_MAX), 1);
	slice_order__free(&nest);
}

static uint32_t place(struct tracks *tracks, struct track *track, uint64_t begin, uint64_t end)
{
	bool fresh;

	return track_lanes__place(tracks, track, begin, end, &fresh) - track->lanes;
}

static void test_tracks(void **state)
{
	struct track_key key = {.kind = TRACK_QUEUE, .pid = 1, .owner = 2, .unit = 3};
	struct tracks tracks = {0};
	struct track *track, *other;
	bool fresh;

	track = track_lanes__get(&tracks, key, &fresh);
	assert_true(fresh);
	assert_ptr_equal(track_lanes__get(&tracks, key, &fresh), track);
	assert_false(fresh);
	key.unit++;
	other = track_lanes__get(&tracks, key, &fresh);
	assert_true(fresh);
	assert_int_not_equal(other->number, track->number);

	assert_int_equal(place(&tracks, track, 10, 20), 0);
	assert_int_equal(place(&tracks, track, 20, 30), 0);
	assert_int_equal(place(&tracks, track, 29, 31), 1);
	assert_int_equal(place(&tracks, track, 30, 30), 0);
	assert_int_equal(place(&tracks, track, 0, 40), 2);
	assert_int_equal(place(&tracks, track, 35, UINT64_MAX), 0);
	assert_int_equal(place(&tracks, other, 0, 40), 0);
	track_lanes__free(&tracks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf8_decode),	cmocka_unit_test(test_utf8_clean),
		cmocka_unit_test(test_escape),		cmocka_unit_test(test_units),
		cmocka_unit_test(test_flags),		cmocka_unit_test(test_nest),
		cmocka_unit_test(test_nest_is_bounded), cmocka_unit_test(test_tracks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
