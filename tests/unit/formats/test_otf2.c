// SPDX-License-Identifier: MIT
/*
 * The OTF2 sink with awkward events, and with more regions and locations than the library would
 * like to keep; otf2-print reads what comes of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "tests/unit/formats/scratch_folder.h"
#include "user/formats/otf2/otf2regions.h"

static struct sink *open_otf2(void)
{
	struct trace_origin origin;
	char base[128];
	struct sink *sink;

	trace_origin__here(&origin);
	snprintf(base, sizeof(base), "%s/t", scratch_folder__path());
	sink = sink_otf2.open(&(struct sink_target){.path = base}, &origin);
	assert_non_null(sink);
	return sink;
}

/* What otf2-print makes of the archive, and the command of that. */
static void prints(const char *options, const char *command, const char *want)
{
	char line[1024], got[4096] = "";
	FILE *pipe;

	snprintf(line, sizeof(line), "otf2-print -Werror %s %s/t/traces.otf2 2>&1 | %s", options,
		 scratch_folder__path(), command);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	got[fread(got, 1, sizeof(got) - 1, pipe)] = '\0';
	pclose(pipe);
	assert_string_equal(got, want);
}

static void test_awkward(void **state)
{
	struct sink *sink = open_otf2();

	require("otf2-print");
	feed(sink);
	feed_memory(sink);
	assert_int_equal(sink_otf2.close(sink, &stats), 0);
	prints("--silent", "grep -iE 'warn|error'", "");
	prints("", "grep -cE '^ENTER'", "17\n");
	prints("-G", "grep '^CLOCK' | grep -o 'Offset: 100, Length: 18446744073709551515'",
	       "Offset: 100, Length: 18446744073709551515\n");
	/* A call that begins with its parent comes after it; ends likewise. */
	prints("-L 2", "grep -E ' (3000|3500|4000) .*(hip|hsa)' | awk '{ print $1, $3, $5 }'",
	       "LEAVE 3000 \"hipMalloc\"\nENTER 3000 \"hipMemcpy\"\nENTER 3000 \"hsaInner\"\n"
	       "LEAVE 3500 \"hsaInner\"\nLEAVE 4000 \"hipMemcpy\"\n");
	prints("-G", "grep -c 'Name: \"kkkkk'", "1\n");
}

static void tell_range(struct sink *sink, uint32_t tid, const char *name, uint64_t id)
{
	const struct event ev = {
		.kind = EV_RANGE,
		.domain = DOMAIN_ROCTX,
		.pid = 1,
		.tid = tid,
		.name = name,
		.begin = 1000 + id,
		.end = 1001 + id,
		.range.id = id,
	};

	sink->ops->event(sink, &ev);
}

static void test_many_regions(void **state)
{
	struct sink *sink = open_otf2();
	char name[400];

	require("otf2-print");
	memset(name, 'n', sizeof(name));
	for (uint64_t i = 1; i <= OTF2REGIONS_MAX + 1000; i++) {
		snprintf(name + 100, sizeof(name) - 100, " %u", (unsigned int)i);
		tell_range(sink, 1, name, i);
	}
	assert_int_equal(sink_otf2.close(sink, &stats), 0);
	prints("--silent", "grep -iE 'warn|error'", "");
	prints("", "grep -c '^ENTER .*\"nnn'", "65536\n");
	prints("", "grep -c '^LEAVE .*\"(others)\"'", "1000\n");
}

#ifdef __SANITIZE_ADDRESS__
#define THREADS 150 /* each has buffers in OTF2, which it makes expensive */
#else
#define THREADS 1500
#endif

static void test_many_locations(void **state)
{
	struct sink *sink = open_otf2();
	struct rusage usage;

	require("otf2-print");
	for (uint64_t i = 1; i <= 300000; i++)
		tell_range(sink, i % THREADS, "range", i);
	assert_int_equal(sink_otf2.close(sink, &stats), 0);
	prints("", "grep -c '^ENTER '", "300000\n");
	getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
	assert_true(usage.ru_maxrss < 100000); /* KiB */
#endif
}

static void test_empty_and_discarded(void **state)
{
	struct sink *sink = open_otf2();

	require("otf2-print");
	assert_int_equal(sink_otf2.close(sink, &stats), 0);
	prints("--silent", "grep -iE 'warn|error'", "");
	prints("", "grep -c '^ENTER '", "0\n");
	sink = open_otf2();
	feed(sink);
	sink_otf2.discard(sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_awkward),
		cmocka_unit_test(test_many_regions),
		cmocka_unit_test(test_many_locations),
		cmocka_unit_test(test_empty_and_discarded),
	};

	return cmocka_run_group_tests(tests, scratch_folder__make, scratch_folder__remove);
}
