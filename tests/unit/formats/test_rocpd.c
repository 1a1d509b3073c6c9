// SPDX-License-Identifier: MIT
/*
 * The rocpd sink with awkward events, read back by sqlite3; and JSON in its columns.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "tests/unit/formats/scratch_folder.h"
#include "user/base/json_text.h"

/* ---- JSON ---- */

static void test_json_text(void **state)
{
	struct json_text j = {};

	json_text__open(&j, '{');
	assert_string_equal(json_text__close(&j), "{}");
	json_text__open(&j, '{');
	json_text__string(&j, "a", NASTY);
	json_text__uint(&j, "b", UINT64_MAX);
	assert_string_equal(json_text__close(&j),
			    "{\"a\":\"a\\u001b[31m\\u0022\\u005c\\u000a\xef\xbf\xbd\xc2\x9b\xe2\x86"
			    "\x90\",\"b\":18446744073709551615}");
	json_text__open(&j, '[');
	json_text__string(&j, NULL, "x");
	json_text__string(&j, NULL, "");
	assert_string_equal(json_text__close(&j), "[\"x\",\"\"]");
	json_text__free(&j);
}

/* ---- the sink ---- */

static struct sink *open_rocpd(void)
{
	static const struct trace_origin origin = {.uuid = {1, 2, 3}};
	char base[128];
	struct sink *sink;

	snprintf(base, sizeof(base), "%s/t.db", scratch_folder__path());
	sink = sink_rocpd.open(&(struct sink_target){.path = base}, &origin);
	assert_non_null(sink);
	return sink;
}

static void says(const char *query, const char *want)
{
	char command[1024];

	snprintf(command, sizeof(command), "sqlite3 t.db \"%s\"", query);
	scratch_folder__prints(command, want);
}

static void test_sink(void **state)
{
	struct sink *sink;

	require("sqlite3");
	sink = open_rocpd();
	feed(sink);
	sink_rocpd.flush(sink, &(struct trace_stats){});
	feed(sink);
	assert_int_equal(sink_rocpd.close(sink, &stats), 0);
	scratch_folder__prints("ls", "t.db\n");
	says("PRAGMA integrity_check", "ok\n");
	says("PRAGMA foreign_key_check", "");
	says("SELECT value FROM rocpd_metadata WHERE tag IN ('guid', 'rtrace.lost_spans')",
	     "01020300-0000-0000-0000-000000000000\n7\n");
	says("SELECT name, start, \\\"end\\\", stack_id FROM regions WHERE name LIKE 'hipL%'",
	     "hipLong|10000|9223372036854775807|9223372036854775807\n"
	     "hipLong|10000|9223372036854775807|9223372036854775807\n");
	says("SELECT name, duration, agent_abs_index, grid_x FROM kernels WHERE name = 'vadd'",
	     "vadd|3000|1|1024\nvadd|0|1|1024\nvadd|3000|1|1024\nvadd|0|1|1024\n");
	says("SELECT COUNT(*), MAX(length(display_name)) FROM kernel_symbols", "3|10000\n");
	says("SELECT src_agent_type, dst_agent_type, size FROM memory_copies LIMIT 1",
	     "CPU|GPU|4096\n");
	says("SELECT COUNT(*) FROM samples WHERE extdata = '{\\\"message\\\":\\\"a mark\\\"}'",
	     "2\n");
	says("SELECT extdata FROM rocpd_event WHERE extdata LIKE '%unfinished%' LIMIT 1",
	     "{\"flags\":\"unfinished\"}\n");
	says("SELECT COUNT(*) FROM rocpd_event WHERE NOT json_valid(extdata)", "0\n");
	scratch_folder__prints("rm t.db", "");
}

static void test_sink_memory(void **state)
{
	struct sink *sink;

	require("sqlite3");
	sink = open_rocpd();
	feed_memory(sink);
	assert_int_equal(sink_rocpd.close(sink, &stats), 0);
	says("SELECT type, level, duration, address, size, agent_abs_index, queue_id FROM "
	     "memory_allocations",
	     "ALLOC|REAL|2000|32512|4096|1|\nFREE|REAL|2000|32512|0||\n"
	     "ALLOC|VIRTUAL|2000|32512|4096|1|\nFREE|VIRTUAL|2000|32512|0||\n"
	     "ALLOC|SCRATCH|2000|0|4096|1|2\nFREE|SCRATCH|2000|0|0|1|2\n"
	     "RECLAIM|SCRATCH|2000|0|0|1|2\n");
	says("SELECT operation, alloc_flags, category FROM scratch_memory",
	     "ALLOC|0|SCRATCH_MEMORY\nFREE|0|SCRATCH_MEMORY\nRECLAIM|0|SCRATCH_MEMORY\n");
	says("PRAGMA foreign_key_check", "");
	scratch_folder__prints("rm t.db", "");
}

static void test_sink_discarded(void **state)
{
	struct sink *sink = open_rocpd();

	feed(sink);
	sink_rocpd.discard(sink);
	scratch_folder__prints("ls", "");
}

static void test_sink_cannot_be_opened(void **state)
{
	static const struct trace_origin origin;

	assert_null(sink_rocpd.open(&(struct sink_target){.path = "/nonexistent/t.db"}, &origin));
	assert_int_equal(errno, ENOENT);
	assert_null(sink_rocpd.open(&(struct sink_target){.path = "/proc/version/t.db"}, &origin));
	assert_int_equal(errno, ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_text),
		cmocka_unit_test(test_sink),
		cmocka_unit_test(test_sink_memory),
		cmocka_unit_test(test_sink_discarded),
		cmocka_unit_test(test_sink_cannot_be_opened),
	};

	return cmocka_run_group_tests(tests, scratch_folder__make, scratch_folder__remove_empty);
}
