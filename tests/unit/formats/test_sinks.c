// SPDX-License-Identifier: MIT
/*
 * The sinks but Perfetto's, fed with awkward events: JSON read back by jq, text and tables as they
 * are.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"

/* ---- JSON ---- */

static void test_json_content(void **state)
{
	size_t size;
	char *text;

	require("jq");
	write_trace("json", feed);
	assert_output("jq -c '[.traceEvents[]|select(.cat==\"hip\")|.name]'",
		      "[\"hipMalloc\",\"hsaInner\",\"hipMemcpy\",\"hipOpen\",\"hipLong\"]\n");
	/* the bytes that are no characters are replaced, all others arrive */
	assert_output("jq '.traceEvents[]|select(.args.range==10)|.name'",
		      "\"a\\u001b[31m\\\"\\\\\\n\xef\xbf\xbd\xc2\x9b\xe2\x86\x90\"\n");
	assert_output("jq '[.traceEvents[]|select(.cat==\"gpu\")|.name|length]|max'", "10000\n");
	/* + 0: jq 1.7 prints numbers as they are written, 1.6 in its own way */
	assert_output(
		"jq -c "
		"'.traceEvents[]|select(.name==\"hipMemcpy\")|[.ts+0,.dur+0,.pid,.tid,.args]'",
		"[3,1,100,101,{\"corr\":2,\"parent\":0,\"args\":[\"0x7f0010\",\"0x0\","
		"\"0x400000\",\"0x1\",\"0x0\",\"0xffffffffffffffff\"],\"ret\":\"0x0\","
		"\"flags\":\"launched\"}]\n");
	assert_output(
		"jq -c '.traceEvents[]|select(.name==\"HtoD\")|[.ts+0,.dur+0,(.args|.submit+=0)]'",
		"[7,0.5,{\"corr\":2,\"root\":2,\"device\":0,\"op\":0,\"submit\":3.7,\"stream\":0,"
		"\"ordinal\":0,"
		"\"bytes\":4096}]\n");
	assert_output("jq -c '.otherData|[.spans,.lost_spans,.lost_other]'",
		      "[5,7,\"18446744073709551615\"]\n");
	text = read_file(&size);
	assert_contains(text, "\"dur\":18446744073709541.615"); /* exact, where a double is not */
	assert_contains(text, "\"corr\":\"18446744073709551615\"");
	free(text);
}

static void test_json_structure(void **state)
{
	require("jq");
	write_trace("json", feed);
	assert_output("jq empty", "");
	assert_output("iconv -f UTF-8 -t UTF-8 >/dev/null", "");
	/* flows and start..stop ranges come in pairs */
	assert_output("jq -c '[.traceEvents[]|select(.ph==\"s\" or .ph==\"f\")]|group_by(.id)"
		      "|map(map(.ph)|join(\"\"))'",
		      "[\"sf\",\"sf\",\"sf\",\"sf\"]\n");
	assert_output("jq -c '[.traceEvents[]|select(.ph==\"b\" or .ph==\"e\")]|group_by(.id)"
		      "|map(map(.ph)|join(\"\"))'",
		      "[\"be\",\"be\"]\n");
	/* on each track, slices nest or are apart */
	assert_output(
		"jq '[.traceEvents[]|select(.ph==\"X\")]|group_by([.pid,.tid])"
		"|map(. as $s|[range(length) as $i|range(length) as $j|$s[$i] as $a|$s[$j] as $b"
		"|select($a.ts<$b.ts and $b.ts<$a.ts+$a.dur and $a.ts+$a.dur<$b.ts+$b.dur)])"
		"|flatten|length'",
		"0\n");
	/* every track has a name */
	assert_output("jq -c '([.traceEvents[]|select(.name==\"thread_name\")|[.pid,.tid]]|unique)"
		      " as $named|[.traceEvents[]|select(.ph==\"X\" or .ph==\"i\")|[.pid,.tid]]"
		      "|unique|.-$named'",
		      "[]\n");
	assert_output("jq -c '[.traceEvents[]|select(.name==\"thread_name\")|.args.name]'",
		      "[\"worker\",\"roctx of thread 101\",\"queue 1\",\"copy HtoD\","
		      "\"queue 1 (2)\"]\n");
}

static void test_json_empty(void **state)
{
	require("jq");
	write_trace("json", NULL);
	assert_output("jq -c '[.traceEvents,.displayTimeUnit]'", "[[],\"ns\"]\n");
}

/* ---- text and summary ---- */

static void test_text(void **state)
{
	size_t size;
	char *text;

	write_trace("text", feed);
	text = read_file(&size);
	for (size_t i = 0; i < size; i++)
		assert_true(text[i] == '\n' || (unsigned char)text[i] >= 0x20);
	assert_contains(
		text, "--- process 100 appa\\x1b[31m\"\\\\\\x0a\\xff\\xc2\\x9b\u2190: ./app -x\n");
	assert_contains(text,
			"    0.000000 100/101         hipMalloc(0x7f0010, 0x0, 0x400000, 0x1, 0x0, "
			"0xffffffffffffffff) = 0x0 <2.000us>\n");
	assert_contains(text, "    0.000002 100/101           hsaInner(");
	assert_contains(text, "    0.000000 100/101         range inner <100ns>\n");
	assert_contains(text, "mark a mark\n");
	assert_contains(text,
			"gpu 0 queue 1 vadd grid 1024x1x1 block 256x1x1 <3.000us> \u2190 corr 2\n");
	assert_contains(text, "gpu 0 copy HtoD 4.000KiB 8.19GB/s <500ns> \u2190 corr 2\n");
	assert_contains(text, "never grid 1024x1x1 block 256x1x1 <?> \u2190 ?\n");
	assert_contains(text, "range first <2.000us> (process)\n");
	assert_contains(text, "hipOpen(0x7f0010, 0x0, 0x400000, 0x1, 0x0, 0xffffffffffffffff) = ? "
			      "<999ns> (unfinished)\n");
	free(text);
}

static void test_summary(void **state)
{
	size_t size;
	char *text;

	write_trace("summary", feed);
	text = read_file(&size);
	assert_contains(text, "API calls\n SHARE        TOTAL CALLS");
	assert_contains(text, "1.000us hip    hipMemcpy\n");
	assert_contains(text, "Kernels\nSHARE   TOTAL CALLS    MEAN     MIN     MAX KERNEL\n");
	assert_contains(text, "\n50.0% 3.000us     2 1.500us     0ns 3.000us vadd\n");
	assert_contains(text, long_name);
	assert_contains(text, "\n100.0% 500ns     1 500ns 500ns 500ns 4.000KiB 8.19GB/s HtoD\n");
	assert_contains(text, " a\\x1b[31m\"\\\\\\x0a\\xff\\xc2\\x9b\\xe2\\x86\\x90\n");
	assert_null(strstr(text, "never"));
	free(text);
}

static void test_summary_empty(void **state)
{
	size_t size;
	char *text;

	write_trace("summary", NULL);
	text = read_file(&size);
	assert_int_equal(size, 0);
	free(text);
}

/* ---- what happens to resources ---- */

static struct event resource(enum ev_kind kind, enum resource_what what, int32_t device,
			     struct resource_info info)
{
	info.what = what;
	return (struct event){
		.kind = kind,
		.domain = DOMAIN_GPU,
		.pid = 100,
		.tid = 101,
		.name = event__resource_name(what),
		.corr = 5,
		.root = 5,
		.begin = 1000,
		.end = 3000,
		.gpu = {.device = device, .submit = 3000, .resource = info},
	};
}

static void feed_resources(struct sink *sink)
{
	const struct device_info device = {100, 0, "gfx906", "60 CUs, \x1b[31m", false};
	const struct resource_info alloc = {.bytes_known = true,
					    .bytes = 4096,
					    .address = 0x7f00,
					    .in_use_known = true,
					    .in_use = 8192};
	const struct event events[] = {
		resource(EV_MEMORY, RESOURCE_ALLOC, 0, alloc),
		resource(EV_MEMORY, RESOURCE_ALLOC, DEVICE_CPU, alloc),
		resource(EV_MEMORY, RESOURCE_FREE, DEVICE_UNKNOWN,
			 (struct resource_info){.address = 0x7f01}),
		resource(EV_MEMORY, RESOURCE_ALLOC, 1,
			 (struct resource_info){.bytes_known = true,
						.bytes = UINT64_MAX,
						.in_use_known = true,
						.in_use = UINT64_MAX}),
		resource(EV_SCRATCH, RESOURCE_SCRATCH_ALLOC, 0,
			 (struct resource_info){
				 .bytes_known = true, .bytes = 64, .id = 2, .count = 16}),
		resource(EV_QUEUE, RESOURCE_QUEUE_CREATE, 0,
			 (struct resource_info){.id = 3, .count = 128, .address = 0x10}),
		resource(EV_CODE, RESOURCE_CODE_LOAD, 0,
			 (struct resource_info){.id = 4,
						.bytes_known = true,
						.bytes = 100,
						.count = 7,
						.text = "file:///\x1b]0;x"}),
		resource(EV_RUNTIME, RESOURCE_RUNTIME_INIT, DEVICE_UNKNOWN,
			 (struct resource_info){.text = "HSA 1.1"}),
	};

	sink->ops->device(sink, &device);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		sink->ops->event(sink, &events[i]);
}

static void test_text_resources(void **state)
{
	size_t size;
	char *text;

	write_trace("text", feed_resources);
	text = read_file(&size);
	assert_contains(text, "--- process 100 gpu 0: gfx906, 60 CUs, \\x1b[31m\n");
	assert_contains(text,
			" gpu 0 alloc 4096 bytes at 0x7f00, 8192 in use <2.000us> \u2190 corr 5\n");
	assert_contains(text, " cpu alloc 4096 bytes at 0x7f00, 8192 in use ");
	assert_contains(text, " gpu ? free ? bytes at 0x7f01 <");
	assert_contains(text, " gpu 0 alloc scratch for queue 2, 64 bytes, 16 waves <");
	assert_contains(text, " gpu 0 create queue 3 at 0x10, 128 packets <");
	assert_contains(text,
			" gpu 0 load code object 4, 100 bytes, 7 kernels, file:///\\x1b]0;x <");
	assert_contains(text, " start runtime, HSA 1.1 <");
	free(text);
}

static void test_json_resources(void **state)
{
	require("jq");
	write_trace("json", feed_resources);
	assert_output("jq -c '[.traceEvents[]|select(.cat==\"gpu\")|.ph]|group_by(.)|map(length)'",
		      "[2,8]\n"); /* two counters: of GPU 0 and GPU 1 */
	assert_output("jq -c '[.traceEvents[]|select(.ph==\"C\")|.args.bytes]'",
		      "[8192,\"18446744073709551615\"]\n");
	assert_output("jq -c '.traceEvents[]|select(.name==\"load code object\")|[.ts+0,.args.uri,"
		      ".args.code,.args.kernels]'",
		      "[3,\"file:///\\u001b]0;x\",4,7]\n");
	assert_output("jq -c '.traceEvents[]|select(.args.labels)|.args.labels'",
		      "\"60 CUs, \\u001b[31m\"\n");
	/* events of no GPU are in the process's track */
	assert_output("jq -c '[.traceEvents[]|select(.ph==\"i\" and .pid==100)|.name]'",
		      "[\"alloc\",\"free\",\"start runtime\"]\n");
}

static void test_summary_resources(void **state)
{
	size_t size;
	char *text;

	write_trace("summary", feed_resources);
	text = read_file(&size);
	assert_contains(text, "Memory\n");
	assert_contains(text, " free\n");
	assert_null(strstr(text, "queue"));
	assert_null(strstr(text, "API calls"));
	free(text);
}

/* ---- stats ---- */

static void call(struct sink *sink, const char *name, uint64_t begin, uint64_t ns)
{
	const struct event ev = {.kind = EV_SPAN, .begin = begin, .end = begin + ns, .name = name};

	sink->ops->event(sink, &ev);
}

/* The calls of ROCm's documentation, "Tracing Control", and things that are no calls. */
static void feed_example(struct sink *sink)
{
	const struct event range = {.kind = EV_RANGE, .end = 1000000, .name = "range"};
	const struct event kernel = {.kind = EV_DISPATCH, .end = 1000000, .name = "kernel"};

	for (int i = 0; i < 10; i++) {
		call(sink, "__hipPopCallConfiguration", 1000, 242);
		call(sink, "__hipPushCallConfiguration", 2000, 288);
		call(sink, "hipLaunchKernel", 3000, i ? 39389 : 39391);
		sink->ops->event(sink, &range);
		sink->ops->event(sink, &kernel);
	}
}

/* What rocprof printed of them there. */
static void test_stats(void **state)
{
	write_trace("stats", feed_example);
	assert_output("cat", "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"
			     "\"hipLaunchKernel\",10,393892,39389,98.6723180825267\n"
			     "\"__hipPushCallConfiguration\",10,2880,288,0.7214573438345457\n"
			     "\"__hipPopCallConfiguration\",10,2420,242,0.6062245736387503\n");
}

static void feed_odd(struct sink *sink)
{
	call(sink, "same", 5, 0);
	call(sink, "a \"name\", quoted", 5, 0);
	call(sink, "same", 7, 0);
}

static void test_stats_odd(void **state)
{
	write_trace("stats", feed_odd);
	assert_output("tail -n +2", "\"a \"\"name\"\", quoted\",1,0,0,0\n\"same\",2,0,0,0\n");
	write_trace("stats", NULL);
	assert_output("cat",
		      "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n");
}

/* ---- all ---- */

static void test_table(void **state)
{
	assert_ptr_equal(sink__find("json"), &sink_json);
	assert_null(sink__find("nothing"));
	for (const struct sink_ops *const *ops = sink__all(); *ops; ops++)
		assert_ptr_equal(sink__find((*ops)->name), *ops);
}

static const struct trace_origin origin;

static struct sink *open_sink(const struct sink_ops *ops, FILE *out)
{
	return ops->open(&(struct sink_target){.out = out}, &origin);
}

static void test_full_disk(void **state)
{
	for (const struct sink_ops *const *ops = sink__all(); *ops; ops++) {
		FILE *full = fopen("/dev/full", "w");
		struct sink *sink = (*ops)->own_files ? NULL : open_sink(*ops, full);

		if (!sink) {
			fclose(full);
			continue;
		}

		feed(sink);
		assert_int_equal((*ops)->close(sink, &stats), -ENOSPC);
		fclose(full);
	}
}

/* The error is met long before the end, when a buffer of the stream is full. */
static void test_full_disk_early(void **state)
{
	for (const struct sink_ops *const *ops = sink__all(); *ops; ops++) {
		FILE *full = fopen("/dev/full", "w");
		struct sink *sink = (*ops)->own_files ? NULL : open_sink(*ops, full);

		if (!sink) {
			fclose(full);
			continue;
		}

		for (int i = 0; i < 1000; i++)
			feed(sink);
		errno = 0;
		assert_int_equal((*ops)->close(sink, &stats), -ENOSPC);
		fclose(full);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_content),	cmocka_unit_test(test_json_structure),
		cmocka_unit_test(test_json_empty),	cmocka_unit_test(test_text),
		cmocka_unit_test(test_summary),		cmocka_unit_test(test_summary_empty),
		cmocka_unit_test(test_stats),		cmocka_unit_test(test_stats_odd),
		cmocka_unit_test(test_table),		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_full_disk_early), cmocka_unit_test(test_text_resources),
		cmocka_unit_test(test_json_resources),	cmocka_unit_test(test_summary_resources),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
