// SPDX-License-Identifier: MIT
/*
 * What a page keeps of many spans, and the HTML sink with awkward events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "user/base/density.h"
#include "user/formats/html/rows.h"
#include "user/formats/html/spans.h"

/* ---- spans ---- */

#define MANY 100000

struct dropped {
	size_t count;
	uint64_t longest;
};

static void note(const struct span *span, void *arg)
{
	struct dropped *d = arg;

	d->count++;
	d->longest = span->ns > d->longest ? span->ns : d->longest;
}

static void add(struct spans *s, uint64_t begin, uint64_t ns)
{
	const struct span span = {.begin = begin, .ns = ns, .corr = begin, .text = strdup("x")};

	assert_int_equal(spans__add(s, &span), 0);
}

/* The 1000 longest are kept: none of them is shorter than one that was dropped. */
static void the_longest_are_kept(void **state)
{
	struct dropped dropped = {};
	struct spans *s = spans__new(1000, note, &dropped);
	struct span *all;
	size_t count;

	srandom(1);
	for (int i = 0; i < MANY; i++)
		add(s, i, random() % 50000);
	all = spans__end(s, &count);
	assert_int_equal(count, 1000);
	assert_int_equal(dropped.count, MANY - 1000);
	assert_true(all[0].ns >= all[999].ns && all[999].ns >= dropped.longest);
	spans__by_row(all, count);
	for (size_t i = 1; i < count; i++)
		assert_true(all[i - 1].begin < all[i].begin);
	spans__free(s);
}

/* Not the first or the last ones: there are some of all the time. */
static void of_equal_length(void **state)
{
	struct dropped dropped = {};
	struct spans *s = spans__new(1000, note, &dropped);
	struct span *all;
	size_t count, early = 0;

	for (int i = 0; i < MANY; i++)
		add(s, i, 20);
	all = spans__end(s, &count);
	assert_int_equal(count, 1000);
	for (size_t i = 0; i < count; i++)
		early += all[i].begin < MANY / 2;
	assert_in_range(early, 400, 600);
	spans__free(s);
}

static void fewer_than_the_limit(void **state)
{
	struct dropped dropped = {};
	struct spans *s = spans__new(1000, note, &dropped);
	size_t count;

	spans__end(s, &count);
	assert_int_equal(count, 0);
	for (int i = 0; i < 1500; i++)
		add(s, i, i < 1000);
	assert_int_equal(dropped.count, 0); /* that is known later */
	spans__end(s, &count);
	assert_int_equal(count, 1000);
	assert_int_equal(dropped.count, 500);
	assert_int_equal(dropped.longest, 0);
	spans__free(s);
}

/* ---- density ---- */

static void sum(const struct density *d, struct density_cell *all)
{
	*all = (struct density_cell){};
	for (int i = 0; d->cells && i < DENSITY_CELLS; i++) {
		all->count += d->cells[i].count;
		all->busy += d->cells[i].busy;
	}
}

/* Wherever they begin, and in any order, none gets lost. */
static void density_counts_all(void **state)
{
	for (int reach = 1; reach < 60; reach++) {
		struct density d = {};
		struct density_cell all;
		uint64_t busy = 0;

		for (int i = 0; i < 200; i++) {
			uint64_t begin = ((uint64_t)random() << 31 ^ (uint64_t)random()) &
					 ((1ULL << reach) - 1);
			uint64_t ns = random() & ((1ULL << (reach / 2)) - 1);

			assert_int_equal(density__add(&d, begin, begin + ns), 0);
			busy += ns;
		}
		sum(&d, &all);
		assert_int_equal(all.count, 200);
		assert_int_equal(all.busy, busy);
		density__free(&d);
	}
}

static void density_at_the_ends_of_time(void **state)
{
	struct density d = {};
	struct density_cell all;

	assert_int_equal(density__add(&d, UINT64_MAX, UINT64_MAX), 0);
	assert_int_equal(density__add(&d, 0, 0), 0);
	assert_int_equal(density__add(&d, 0, UINT64_MAX), 0);
	sum(&d, &all);
	assert_int_equal(all.count, 3);
	assert_int_equal(all.busy, UINT64_MAX);
	density__free(&d);
}

static void density_lies_where_it_was(void **state)
{
	struct density d = {};
	struct bytes out = {};
	struct bytes_in in;

	density__add(&d, 5000, 7000); /* 4.8 .. 6.8 us of cells */
	density__add(&d, 2000, 2048); /* before it */
	assert_int_equal(d.shift, 10);
	assert_int_equal(d.first, 1);
	density__write(&d, &out);
	in = (struct bytes_in){.at = out.data, .end = out.data + out.len};
	assert_int_equal(byte_buffer__number(&in), 0); /* cell 1: 1024 .. 2048 */
	assert_int_equal(byte_buffer__number(&in), 1);
	assert_int_equal(byte_buffer__number(&in), 48);
	assert_int_equal(byte_buffer__number(&in), 3); /* cell 4 */
	density__free(&d);
	byte_buffer__free(&out);
}

/* ---- rows ---- */

static void further_rows_share_one(void **state)
{
	struct rows *rows = calloc(1, sizeof(*rows));

	assert_int_equal(rows__init(rows), 0);
	for (uint32_t i = 0; i < 2 * ROWS_MAX; i++) {
		const struct row_key key = {.kind = ROW_CALLS, .owner = i};
		struct row *row = rows__get(rows, key);

		assert_non_null(row);
		assert_int_equal(row->number, i < ROWS_MAX - 1 ? i + 1 : 0);
		assert_ptr_equal(row, rows__get(rows, key));
	}
	rows__free(rows);
	free(rows);
}

/* ---- the sink ---- */

static const char data_begin[] = "<script type=\"application/json\" id=\"data\">\n";

/* The data that is stored in the page, cut out of it. */
static char *data_of(char *page)
{
	char *data = strstr(page, data_begin), *end;

	assert_non_null(data);
	data += strlen(data_begin);
	end = strstr(data, "</script>");
	assert_non_null(end);
	*end = '\0';
	return data;
}

static void test_sink(void **state)
{
	size_t size;
	char *page, *data;

	write_trace("html", feed);
	page = read_file(&size);
	assert_int_equal(strlen(page), size);
	assert_string_equal(page + size - strlen("</html>\n"), "</html>\n");
	data = data_of(page);
	assert_null(strchr(data, '<'));
	assert_contains(data, "\"losses\":[[7,\"calls (ring full)\"],"
			      "[\"18446744073709551615\",\"other records\"]],\"ended\":true");
	/* Names as the text sink writes them. */
	assert_contains(data, "a\\\\x1b[31m\\\"\\\\\\\\\\\\x0a\\\\xff\\\\xc2\\\\x9b\xe2\x86\x90");
	assert_contains(data, "\"ranges\":{\"shown\":5,\"all\":5}");
	assert_null(strstr(data, "kkkkkkkkkkkkkkkkkkkk\",")); /* 10000 of them are cut */
	free(page);
}

static void feed_script(struct sink *sink)
{
	const struct process_info process = {.pid = 1,
					     .comm = "</script><script>alert(1)</script>",
					     .cmdline = "<!--<script>",
					     .cgroup = "",
					     .libraries = ""};

	sink->ops->process(sink, &process);
	feed(sink);
}

static void test_script(void **state)
{
	size_t size;
	char *page;

	write_trace("html", feed_script);
	page = read_file(&size);
	assert_null(strstr(page, "<script>alert"));
	assert_null(strchr(data_of(page), '<'));
	assert_contains(page, "\\u003c/script>\\u003cscript>alert(1)");
	free(page);
}

static void test_nothing(void **state)
{
	size_t size;
	char *page;

	write_trace("html", NULL);
	page = read_file(&size);
	assert_contains(data_of(page), "\"duration_ns\":0");
	free(page);
}

static void test_memory(void **state)
{
	size_t size;
	char *page;

	write_trace("html", feed_memory);
	page = read_file(&size);
	assert_contains(data_of(page), "\"rows\":[]");
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_are_kept),
		cmocka_unit_test(of_equal_length),
		cmocka_unit_test(fewer_than_the_limit),
		cmocka_unit_test(density_counts_all),
		cmocka_unit_test(density_at_the_ends_of_time),
		cmocka_unit_test(density_lies_where_it_was),
		cmocka_unit_test(further_rows_share_one),
		cmocka_unit_test(test_sink),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
