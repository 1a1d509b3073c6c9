// SPDX-License-Identifier: MIT
/*
 * Fields and statistics of CSV, and the CSV sink with awkward events.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "tests/unit/formats/scratch_folder.h"
#include "user/base/csv_writer.h"
#include "user/formats/csv_statistics.h"

/* ---- rows ---- */

static void field_is(const char *text, const char *want)
{
	struct textbuf row = {};

	csv_writer__text(&row, text);
	assert_string_equal(text_buffer__string(&row), want);
	text_buffer__free(&row);
}

static void test_fields(void **state)
{
	field_is("", "\"\"");
	field_is("a, b", "\"a, b\"");
	field_is("\"", "\"\"\"\"");
	field_is("a\r\n\tb", "\"a\r\n\tb\"");
	field_is("=1+1", "\"=1+1\"");
	field_is("\x1b[1m\x7f", "\"?[1m?\"");
	field_is(NASTY, "\"a?[31m\"\"\\\n\xef\xbf\xbd?\xe2\x86\x90\"");
}

static void test_rows(void **state)
{
	struct textbuf row = {};
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(csv_writer__header(&row, out, "One Two_2"), 0);
	csv_writer__uint(&row, UINT64_MAX);
	csv_writer__text(&row, "x");
	assert_int_equal(csv_writer__end(&row, out), 0);
	fclose(out);
	assert_string_equal(text, "\"One\",\"Two_2\"\n18446744073709551615,\"x\"\n");
	text_buffer__free(&row);
	free(text);
}

/* ---- statistics ---- */

static char *written(struct csv_stats *s)
{
	struct textbuf row = {};
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(csv_statistics__write(s, &row, out), 0);
	fclose(out);
	text_buffer__free(&row);
	csv_statistics__free(s);
	return text;
}

static void test_stats(void **state)
{
	struct csv_stats s = {};
	char *text;

	csv_statistics__add(&s, "once", 1);
	csv_statistics__add(&s, "twice", 10);
	csv_statistics__add(&s, "twice", 20);
	csv_statistics__add(&s, "nothing", 0);
	csv_statistics__add(&s, "most", 100000);
	text = written(&s);
	/* 7.07...: the root of 50 */
	assert_string_equal(text,
			    "\"most\",1,100000,100000.000000,99.97,100000,100000,0.00000000e+00\n"
			    "\"twice\",2,30,15.000000,0.0300,10,20,7.071068\n"
			    "\"once\",1,1,1.000000,9.997e-04,1,1,0.00000000e+00\n"
			    "\"nothing\",1,0,0.00000000e+00,0.000e+00,0,0,0.00000000e+00\n");
	free(text);
}

static void test_stats_are_bounded(void **state)
{
	struct csv_stats s = {};
	char name[32], *text;

	for (int i = 0; i < CSV_STATS_NAMES + 1000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		assert_int_equal(csv_statistics__add(&s, name, 1), 0);
	}
	csv_statistics__add(&s, "name 1", UINT64_MAX);
	assert_int_equal(s.all.total, UINT64_MAX);
	text = written(&s);
	assert_contains(text, "\"name 1\",2,18446744073709551615,");
	assert_contains(text, "\n\"(others)\",1000,1000,");
	free(text);
}

/* ---- the sink ---- */

static struct sink *open_csv(void)
{
	static const struct trace_origin origin;
	char base[128];
	struct sink *sink;

	snprintf(base, sizeof(base), "%s/t", scratch_folder__path());
	sink = sink_csv.open(&(struct sink_target){.path = base}, &origin);
	assert_non_null(sink);
	return sink;
}

static void test_sink(void **state)
{
	struct sink *sink = open_csv();

	feed(sink);
	sink_csv.flush(sink, &(struct trace_stats){});
	assert_int_equal(sink_csv.close(sink, &stats), 0);
	scratch_folder__prints(
		"ls", "t_agent_info.csv\nt_domain_stats.csv\nt_hip_api_stats.csv\n"
		      "t_hip_api_trace.csv\nt_kernel_stats.csv\nt_kernel_trace.csv\n"
		      "t_marker_api_stats.csv\nt_marker_api_trace.csv\nt_memory_copy_stats.csv\n"
		      "t_memory_copy_trace.csv\n");
	scratch_folder__prints(
		"tail -n 2 t_hip_api_trace.csv",
		"\"HIP_RUNTIME_API_EXT\",\"hipOpen\",100,101,30,9000,9999\n"
		"\"HIP_RUNTIME_API_EXT\",\"hipLong\",100,101,18446744073709551615,10000,"
		"18446744073709551615\n");
	scratch_folder__prints("sed -n 2p t_kernel_trace.csv",
			       "\"KERNEL_DISPATCH\",\"Agent "
			       "1\",1,0,101,0,0,\"vadd\",2,5000,8000,0,0,0,0,0,256,1,1,"
			       "1024,1,1\n");
	scratch_folder__prints(
		"cat t_memory_copy_trace.csv | tail -n 1",
		"\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",0,\"Agent 0\",\"Agent 1\",2,7000,"
		"7500\n");
	scratch_folder__prints("python3 -c 'import csv; print([len(r) for r in "
			       "csv.reader(open(\"t_marker_api_trace.csv\", newline=\"\"))])'",
			       "[7, 7, 7, 7, 7, 7]\n");
	scratch_folder__prints("rm *", "");
}

static void test_sink_memory(void **state)
{
	struct sink *sink = open_csv();

	feed_memory(sink);
	assert_int_equal(sink_csv.close(sink, &stats), 0);
	scratch_folder__prints(
		"tail -n +2 t_memory_allocation_trace.csv",
		"\"MEMORY_ALLOCATION\",\"MEMORY_ALLOCATION_ALLOCATE\",\"Agent 1\",4096,"
		"\"0x0000000000007f00\",5,1000,3000\n"
		"\"MEMORY_ALLOCATION\",\"MEMORY_ALLOCATION_FREE\",\"\",0,"
		"\"0x0000000000007f00\",5,1000,3000\n"
		"\"MEMORY_ALLOCATION\",\"MEMORY_ALLOCATION_VMEM_ALLOCATE\",\"Agent 1\",4096,"
		"\"0x0000000000007f00\",5,1000,3000\n"
		"\"MEMORY_ALLOCATION\",\"MEMORY_ALLOCATION_VMEM_FREE\",\"\",0,"
		"\"0x0000000000007f00\",5,1000,3000\n");
	scratch_folder__prints(
		"tail -n +2 t_scratch_memory_trace.csv",
		"\"SCRATCH_MEMORY\",\"SCRATCH_MEMORY_ALLOC\",\"Agent 1\",2,101,0,1000,3000,4096\n"
		"\"SCRATCH_MEMORY\",\"SCRATCH_MEMORY_FREE\",\"Agent 1\",2,101,0,1000,3000,0\n"
		"\"SCRATCH_MEMORY\",\"SCRATCH_MEMORY_ASYNC_RECLAIM\",\"Agent 1\",2,101,0,1000,3000,"
		"0\n");
	scratch_folder__prints("rm *", "");
}

static void test_sink_discarded(void **state)
{
	struct sink *sink = open_csv();

	feed(sink);
	sink_csv.discard(sink);
	scratch_folder__prints("ls", "");
	assert_int_equal(sink_csv.close(open_csv(), &stats), 0);
	scratch_folder__prints("ls", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	    cmocka_unit_test(test_rows),
		cmocka_unit_test(test_stats),	    cmocka_unit_test(test_stats_are_bounded),
		cmocka_unit_test(test_sink),	    cmocka_unit_test(test_sink_discarded),
		cmocka_unit_test(test_sink_memory),
	};

	return cmocka_run_group_tests(tests, scratch_folder__make, scratch_folder__remove);
}
