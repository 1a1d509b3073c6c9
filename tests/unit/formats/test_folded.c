// SPDX-License-Identifier: MIT
/*
 * Folded stacks: calls that are reported before their callers, and operations before and after
 * their calls, all to the nanosecond; names and sizes that a hostile process could choose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "user/formats/folded/calltree.h"

#define PROCESS "appa?[31m\"\\?\xef\xbf\xbd?\xe2\x86\x90 (100)"

/* ---- the sink ---- */

static void test_awkward(void **state)
{
	write_trace("folded", feed);
	assert_output("grep -v kkkk | LC_ALL=C sort",
		      "gpu;" PROCESS ";hipMemcpy;gpu: copy HtoD 500\n"
		      "gpu;" PROCESS ";hipMemcpy;gpu: vadd 3000\n"
		      "host;" PROCESS ";a?[31m\"\\?\xef\xbf\xbd?\xe2\x86\x90 4300\n"
		      "host;" PROCESS ";a?[31m\"\\?\xef\xbf\xbd?\xe2\x86\x90;inner 100\n"
		      "host;" PROCESS ";hipLong 18446744073709541615\n"
		      "host;" PROCESS ";hipMalloc 2000\n"
		      "host;" PROCESS ";hipMemcpy 500\n"
		      "host;" PROCESS ";hipMemcpy;hsaInner 500\n"
		      "host;" PROCESS ";hipOpen 999\n");
	assert_output("grep -c 'gpu: kkkk.* 3000$'", "1\n");
}

static void test_empty(void **state)
{
	write_trace("folded", NULL);
	assert_output("cat", "");
}

static void tell_call(struct sink *sink, const char *name, uint64_t corr, uint64_t parent,
		      uint64_t range, uint64_t ns)
{
	static const char *const callers[] = {"inner+0x1c (app)", "main+0x12 (app)",
					      "0x7f00 (lib)"};
	const struct event ev = {
		.kind = EV_SPAN,
		.domain = DOMAIN_HIP,
		.flags = EV_F_LAUNCHED,
		.pid = 1,
		.tid = 1,
		.name = name,
		.corr = corr,
		.parent = parent,
		.in_range = range,
		.begin = 1000,
		.end = 1000 + ns,
		.stack = callers,
		.stack_depth = 3,
	};

	sink->ops->event(sink, &ev);
}

static void tell_range(struct sink *sink, const char *name, uint64_t id, uint64_t parent,
		       uint64_t ns)
{
	const struct event ev = {
		.kind = EV_RANGE,
		.domain = DOMAIN_ROCTX,
		.pid = 1,
		.tid = 1,
		.name = name,
		.parent = parent,
		.begin = 1000,
		.end = 1000 + ns,
		.range.id = id,
	};

	sink->ops->event(sink, &ev);
}

static void tell_kernel(struct sink *sink, const char *name, uint64_t corr, uint64_t ns)
{
	const struct event ev = {
		.kind = EV_DISPATCH,
		.domain = DOMAIN_GPU,
		.pid = 1,
		.tid = 1,
		.name = name,
		.corr = corr,
		.begin = 1000,
		.end = 1000 + ns,
	};

	sink->ops->event(sink, &ev);
}

/* Twice the same, with the kernel of a call before it, between it and its range, and after both. */
static void feed_orders(struct sink *sink)
{
	for (uint64_t i = 1; i < 100; i += 50) {
		tell_kernel(sink, "early", i + 1, 7);
		tell_call(sink, "hsaInner", i + 1, i, 5 + i, 10);
		tell_call(sink, "hipOuter", i, 0, 5 + i, 30);
		tell_kernel(sink, "between", i, 70);
		tell_range(sink, "a;b\nc", 5 + i, 0, 100);
		tell_kernel(sink, "late", i + 1, 700);
	}
	tell_kernel(sink, "nobody's", 0, 1);
	tell_kernel(sink, "lost", 77777, 2);
	tell_call(sink, "orphan", 1000, 999, 0, 3);
}

static void test_orders(void **state)
{
#define OUTER "? (1);a,b?c;0x7f00 (lib);main (app);inner (app);hipOuter"
	write_trace("folded", feed_orders);
	assert_output("LC_ALL=C sort", "gpu;? (1);(no call);gpu: nobody's 1\n"
				       "gpu;? (1);(unknown);gpu: lost 2\n"
				       "gpu;" OUTER ";gpu: between 140\n"
				       "gpu;" OUTER ";hsaInner;gpu: early 14\n"
				       "gpu;" OUTER ";hsaInner;gpu: late 1400\n"
				       "host;? (1);(unknown);orphan 3\n"
				       "host;? (1);a,b?c 140\n"
				       "host;" OUTER " 40\n"
				       "host;" OUTER ";hsaInner 20\n");
}

static void tell_process(struct sink *sink, const char *comm)
{
	const struct process_info info = {
		.pid = 1, .comm = comm, .cmdline = "", .cgroup = "", .libraries = ""};

	sink->ops->process(sink, &info);
}

/* Until it ends a process has one frame; another process of its number has its own. */
static void feed_names(struct sink *sink)
{
	tell_process(sink, "first");
	tell_call(sink, "hipOuter", 1, 0, 0, 10);
	tell_process(sink, "second");
	tell_call(sink, "hipOuter", 2, 0, 0, 20);
	tell_process(sink, "second");
	tell_kernel(sink, "k", 1, 5);
	sink->ops->ended(sink, 1);
	tell_process(sink, "third");
	tell_call(sink, "hipOuter", 3, 0, 0, 300);
	tell_process(sink, "first");
	sink->ops->ended(sink, 1);
	tell_process(sink, "second");
	tell_call(sink, "hipOuter", 4, 0, 0, 4000);
}

static void test_names(void **state)
{
#define CALL ";0x7f00 (lib);main (app);inner (app);hipOuter"
	write_trace("folded", feed_names);
	assert_output("LC_ALL=C sort", "gpu;second (1)" CALL ";gpu: k 5\n"
				       "host;first (1)" CALL " 300\n"
				       "host;second (1)" CALL " 4030\n");
}

/* ---- sizes ---- */

#define SUMS "awk '{ n++; sum += $NF } END { printf \"%d %.0f\\n\", n, sum }'"

static void feed_many(struct sink *sink)
{
	char name[32];

	for (uint64_t i = 1; i <= 2 * CALLTREE_FRAMES; i++) {
		snprintf(name, sizeof(name), "range %u", (unsigned int)i);
		tell_range(sink, name, i, 0, 5);
	}
	tell_call(sink, "late", 1, 0, 0, 4);
}

static void test_many(void **state)
{
	char want[64];

	write_trace("folded", feed_many);
	/* all but the process, and the others */
	snprintf(want, sizeof(want), "%d %d\n", CALLTREE_FRAMES, 2 * CALLTREE_FRAMES * 5 + 4);
	assert_output(SUMS, want);
	assert_output("grep -c '^host;(others) '", "1\n");
}

static void feed_long_names(struct sink *sink)
{
	static char name[1 << 20];

	memset(name, 'n', sizeof(name) - 1);
	for (uint64_t i = 1; i <= 32; i++) {
		name[0] = 'A' + i;
		tell_range(sink, name, i, 0, 1);
	}
}

static void test_long_names(void **state)
{
	write_trace("folded", feed_long_names);
	assert_output("sed 's/nn*/n/' | tail -n 1 | cut -c 1-13", "host;(others)\n");
	assert_output(SUMS, "17 32\n");
}

#define DEEP 60000

/* Ranges in ranges, the innermost first; then once more, which makes all of them one. */
static void feed_deep(struct sink *sink)
{
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = DEEP; i > 0; i--)
			tell_range(sink, "deep", round * DEEP + i, i > 1 ? round * DEEP + i - 1 : 0,
				   DEEP - i + 1);
}

static void test_deep(void **state)
{
	write_trace("folded", feed_deep);
	assert_output("awk '{ sum += $NF } END { print sum }'", "120000\n");
	assert_output("awk -F ';' '{ if (NF > n) n = NF } END { print n }'", "513\n");
}

/* None of the callers is ever reported. */
static void feed_callers_without_end(struct sink *sink)
{
	for (uint64_t i = 1; i <= 2 * CALLTREE_OPEN; i++)
		tell_kernel(sink, "k", i, 1);
}

static void test_unknown(void **state)
{
	write_trace("folded", feed_callers_without_end);
	/* a frame for each of them, one for its caller, and the process */
	assert_output("cat", "gpu;? (1);(unknown);gpu: k 65535\ngpu;(others) 65537\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_awkward),	   cmocka_unit_test(test_empty),
		cmocka_unit_test(test_orders),	   cmocka_unit_test(test_many),
		cmocka_unit_test(test_long_names), cmocka_unit_test(test_deep),
		cmocka_unit_test(test_unknown),	   cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
