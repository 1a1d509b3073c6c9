// SPDX-License-Identifier: MIT
/*
 * Tests what a report counts besides the time of GPUs (test_idle.c), and that what it writes can do
 * a terminal no harm.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "user/api/call_arguments.h"
#include "common/format.h"
#include "user/base/log.h"
#include "user/report/report_options.h"

#define PID 100

/* ---- feeding ---- */

static struct analysis *new_analysis(bool rename)
{
	struct analysis *a = analysis__new("a.rtrace", rename);

	assert_non_null(a);
	return a;
}

static void tell_kernel(struct analysis *a, const char *name, uint64_t range, uint64_t ns)
{
	const struct event ev = {.kind = EV_DISPATCH,
				 .domain = DOMAIN_GPU,
				 .pid = PID,
				 .tid = PID,
				 .name = name,
				 .begin = 1000,
				 .end = 1000 + ns,
				 .in_range = range,
				 .gpu.submit = 900};

	analysis__event(a, &ev);
}

static void tell_range(struct analysis *a, const char *message, uint64_t id, uint64_t ns)
{
	const struct event ev = {.kind = EV_RANGE,
				 .domain = DOMAIN_ROCTX,
				 .pid = PID,
				 .tid = PID,
				 .name = message,
				 .begin = 500,
				 .end = 500 + ns,
				 .range.id = id};

	analysis__event(a, &ev);
}

static void tell_call(struct analysis *a, const char *name, uint64_t corr, uint32_t depth,
		      uint64_t ret)
{
	struct call_values values = {.returned = true, .ret = ret};
	const struct event ev = {.kind = EV_SPAN,
				 .domain = DOMAIN_HIP,
				 .pid = PID,
				 .tid = PID,
				 .name = name,
				 .begin = 100 * corr,
				 .end = 100 * corr + 50,
				 .corr = corr,
				 .root = corr,
				 .depth = depth,
				 .ret = ret,
				 .api = api__find(name),
				 .values = &values};

	analysis__event(a, &ev);
}

static void tell_memory(struct analysis *a, enum resource_what what, uint64_t address,
			uint64_t bytes, uint64_t root)
{
	const struct event ev = {
		.kind = EV_MEMORY,
		.domain = DOMAIN_GPU,
		.pid = PID,
		.tid = PID,
		.name = event__resource_name(what),
		.begin = 1000,
		.end = 1000,
		.corr = root,
		.root = root,
		.gpu.resource = {.what = what, .address = address, .bytes = bytes}};

	analysis__event(a, &ev);
}

static const struct tally_row *row(const struct analysis *a, enum tally_domain domain,
				   const char *name)
{
	size_t count;
	struct tally_row **rows = totals__sorted(a->tally, TALLY_BIT(domain), &count);
	const struct tally_row *found = NULL;

	assert_non_null(rows);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name_table__text(a->names, rows[i]->name), name))
			found = rows[i];
	free(rows);
	return found;
}

/* ---- numbers ---- */

static void spreads(void **state)
{
	struct spread all = {}, parts[2] = {};

	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t ns = (i * 7919) % 1009;

		spread__add(&all, ns);
		spread__add(&parts[i > 300], ns);
	}
	spread__merge(&parts[0], &parts[1]);
	assert_int_equal(parts[0].calls, 1000);
	assert_int_equal(parts[0].total, all.total);
	assert_int_equal(parts[0].min, all.min);
	assert_int_equal(parts[0].max, all.max);
	assert_true(spread__deviation(&all) > 280 && spread__deviation(&all) < 300);
	assert_true(spread__deviation(&parts[0]) / spread__deviation(&all) < 1.000001);
	assert_true(spread__deviation(&parts[0]) / spread__deviation(&all) > 0.999999);
}

static void few_in_a_spread(void **state)
{
	struct spread s = {}, other = {};

	assert_true(spread__deviation(&s) == 0);
	assert_int_equal(spread__mean(&s), 0);
	spread__merge(&s, &other);
	spread__add(&s, 5);
	assert_true(spread__deviation(&s) == 0);
	spread__add(&s, UINT64_MAX);
	assert_int_equal(s.total, UINT64_MAX); /* not less than before */
	spread__merge(&s, &other);
	assert_int_equal(s.min, 5);
	assert_int_equal(s.calls, 2);
}

static void percentiles(void **state)
{
	struct latency *l = latency__new();

	assert_int_equal(latency__percentile(l, 50), 0);
	for (uint64_t i = 1; i <= 100000; i++)
		latency__add(l, i * i);
	for (int percent = 1; percent <= 99; percent++) {
		uint64_t exact = (uint64_t)percent * percent * 1000000;
		uint64_t got = latency__percentile(l, percent);

		assert_true(got >= exact && (double)got <= 1.01 * (double)exact);
	}
	assert_int_equal(latency__max(l), 10000000000);
	assert_int_equal(latency__percentile(l, 100), 10000000000);
	latency__add(l, UINT64_MAX);
	assert_int_equal(latency__percentile(l, 100), UINT64_MAX);
	latency__free(l);
}

static void small_percentiles_are_exact(void **state)
{
	struct latency *l = latency__new();

	for (uint64_t i = 0; i < 100; i++)
		latency__add(l, i);
	assert_int_equal(latency__percentile(l, 50), 49);
	assert_int_equal(latency__percentile(l, 99), 98);
	latency__free(l);
}

static void too_many_names(void **state)
{
	struct names *n = name_table__new();
	char text[32];
	uint32_t first = name_table__id(n, "first");

	assert_string_equal(name_table__text(n, 0), NAMES_OTHERS);
	for (int i = 0; i < 70000; i++) {
		snprintf(text, sizeof(text), "name %d", i);
		name_table__id(n, text);
	}
	assert_int_equal(name_table__id(n, "one more"), 0);
	assert_int_equal(name_table__id(n, "first"), first);
	assert_int_equal(name_table__count(n), 65536);
	name_table__free(n);
}

/* A message a step, say: functions and kernels are not to become others for that. */
static void too_many_messages(void **state)
{
	struct analysis *a = new_analysis(false);
	char text[32];

	for (int i = 0; i < 70000; i++) {
		snprintf(text, sizeof(text), "step %d", i);
		tell_range(a, text, i + 1, 10);
		tell_kernel(a, i < 69000 ? "one" : "two", i + 1, 5);
	}
	analysis__end(a);
	assert_int_equal(row(a, TALLY_KERNELS, "one")->spread.calls, 69000);
	assert_int_equal(row(a, TALLY_KERNELS, "two")->spread.calls, 1000);
	assert_non_null(row(a, TALLY_RANGES, "step 0"));
	assert_true(row(a, TALLY_RANGES, NAMES_OTHERS)->spread.calls > 30000);
	analysis__free(a);
}

/* ---- ranges ---- */

static const struct phase *phase(const struct analysis *a, const char *message)
{
	size_t count;
	const struct phase **all = range_phases__sorted(a->phases, &count), *found = NULL;

	assert_non_null(all);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name_table__text(a->names, all[i]->name), message))
			found = all[i];
	free(all);
	return found;
}

static void tell_ranges(struct analysis *a)
{
	tell_kernel(a, "add", 11, 10); /* before its range has ended */
	tell_call(a, "hipMalloc", 1, 0, 0);
	tell_range(a, "inner", 11, 100);
	tell_kernel(a, "xor", 11, 30); /* and after */
	tell_kernel(a, "add", 10, 5);
	tell_range(a, "outer", 10, 200);
	tell_range(a, "inner", 12, 50); /* another of that message */
	tell_kernel(a, "add", 12, 2);
	tell_kernel(a, "add", 0, 1);
	tell_kernel(a, "add", 99, 7); /* of a range that is never reported */
	analysis__end(a);
}

static void by_range(void **state)
{
	struct analysis *a = new_analysis(false);

	tell_ranges(a);
	assert_int_equal(phase(a, "inner")->ranges.calls, 2);
	assert_int_equal(phase(a, "inner")->ranges.total, 150);
	assert_int_equal(phase(a, "inner")->kernels.calls, 3);
	assert_int_equal(phase(a, "inner")->kernels.total, 42);
	assert_int_equal(phase(a, "outer")->kernels.total, 5);
	assert_int_equal(range_phases__outside(a->phases)->kernels.total, 1);
	assert_int_equal(range_phases__outside(a->phases)->calls.calls, 1);
	assert_int_equal(range_phases__unknown(a->phases)->kernels.total, 7);
	assert_int_equal(row(a, TALLY_KERNELS, "add")->spread.total, 25);
	assert_int_equal(row(a, TALLY_RANGES, "inner")->spread.total, 150);
	analysis__free(a);
}

static void renamed(void **state)
{
	struct analysis *a = new_analysis(true);

	tell_ranges(a);
	assert_int_equal(row(a, TALLY_KERNELS, "inner")->spread.total, 42);
	assert_int_equal(row(a, TALLY_KERNELS, "inner")->spread.min, 2);
	assert_int_equal(row(a, TALLY_KERNELS, "inner")->spread.max, 30);
	assert_int_equal(row(a, TALLY_KERNELS, "outer")->spread.calls, 1);
	assert_int_equal(row(a, TALLY_KERNELS, "add")->spread.total, 1);
	assert_int_equal(row(a, TALLY_KERNELS, "(unknown range)")->spread.total, 7);
	assert_null(row(a, TALLY_KERNELS, "xor"));
	analysis__free(a);
}

/* The texts of events need not live longer than these. */
static void texts_are_copied(void **state)
{
	struct analysis *a = new_analysis(false);
	char text[16] = "one";

	tell_range(a, text, 1, 10);
	strcpy(text, "two");
	tell_range(a, text, 2, 10);
	tell_kernel(a, text, 1, 3);
	memset(text, 'x', sizeof(text) - 1);
	analysis__end(a);
	assert_int_equal(phase(a, "one")->kernels.total, 3);
	assert_non_null(phase(a, "two"));
	assert_non_null(row(a, TALLY_KERNELS, "two"));
	analysis__free(a);
}

/* ---- memory ---- */

static void not_freed(void **state)
{
	struct analysis *a = new_analysis(false);
	const struct allocation **all;
	size_t count;

	tell_memory(a, RESOURCE_ALLOC, 0x1000, 16, 5);
	tell_memory(a, RESOURCE_ALLOC, 0x2000, 32, 5);
	tell_memory(a, RESOURCE_VMEM_CREATE, 0x1000, 64, 6); /* a handle, not that address */
	tell_call(a, "hsaInner", 7, 1, 0);
	tell_call(a, "hipMalloc", 5, 0, 0);
	tell_memory(a, RESOURCE_FREE, 0x1000, 16, 8);
	tell_memory(a, RESOURCE_FREE, 0x3000, 1, 8); /* from before the trace */
	tell_memory(a, RESOURCE_ALLOC, 0x4000, 8, 9);
	tell_memory(a, RESOURCE_ALLOC, 0x4000, 4, 10); /* a free was missed */
	tell_call(a, "hipMallocAsync", 9, 0, 0);
	analysis__end(a);
	all = unfreed__sorted(a->unfreed, &count);
	assert_int_equal(count, 3);
	assert_int_equal(all[0]->bytes, 64);
	assert_false(all[0]->known);
	assert_int_equal(all[1]->address, 0x2000);
	assert_true(all[1]->known);
	assert_string_equal(name_table__text(a->names, all[1]->call), "hipMalloc");
	assert_int_equal(all[2]->bytes, 4);
	assert_false(all[2]->known);
	free(all);
	analysis__free(a);
}

/* ---- failures ---- */

static void failed(void **state)
{
	struct analysis *a = new_analysis(false);
	const struct failure **all;
	size_t count;

	for (uint64_t i = 1; i <= 5; i++)
		tell_call(a, "hipMalloc", i, 0, 2);
	tell_call(a, "hipMalloc", 6, 0, 1);
	tell_call(a, "hipMalloc", 7, 0, 0);
	tell_call(a, "hipEventQuery", 8, 0, 600); /* not ready is no failure */
	tell_call(a, "noSuchFunction", 9, 0, 1);  /* its result type is unknown */
	analysis__end(a);
	all = failures__sorted(a->failures, &count);
	assert_int_equal(count, 2);
	assert_int_equal(all[0]->calls, 5);
	assert_int_equal(all[0]->example_count, FAILURE_EXAMPLES);
	assert_string_equal(name_table__text(a->names, all[0]->result), "hipErrorOutOfMemory");
	assert_string_equal(all[0]->examples[0].text,
			    "hipMalloc(ptr=NULL, size=0) = hipErrorOutOfMemory");
	assert_int_equal(all[0]->examples[2].at, 300);
	assert_int_equal(all[1]->calls, 1);
	free(all);
	analysis__free(a);
}

static void waits(void **state)
{
	assert_true(analysis__is_wait("hipDeviceSynchronize"));
	assert_true(analysis__is_wait("hipEventSynchronize"));
	assert_true(analysis__is_wait("hipMemcpyDtoH"));
	assert_true(analysis__is_wait("hsa_signal_wait_scacquire"));
	assert_false(analysis__is_wait("hipMemcpyDtoHAsync"));
	assert_false(analysis__is_wait("hipLaunchKernel"));
	assert_false(analysis__is_wait("hsa_signal_load_relaxed"));
}

static void losses(void **state)
{
	struct trace_stats s = {.spans = 5};
	uint64_t value;

	assert_null(losses__nth(&s, 0, &value));
	s.lost_gpu = 3;
	s.lost_spans = 7;
	assert_string_equal(losses__nth(&s, 0, &value), "calls (ring full)");
	assert_int_equal(value, 7);
	assert_string_equal(losses__nth(&s, 1, &value), "GPU records");
	assert_int_equal(value, 3);
	assert_null(losses__nth(&s, 2, &value));
}

/* ---- what is written ---- */

static char *written(struct analysis *a, const struct report_options *o,
		     int (*write)(FILE *, const struct analysis *, const struct report_options *))
{
	FILE *out = tmpfile();
	char *text;
	long size;

	assert_non_null(out);
	assert_int_equal(write(out, a, o), 0);
	size = ftell(out);
	rewind(out);
	text = calloc(1, size + 1);
	assert_int_equal(fread(text, 1, size, out), size);
	fclose(out);
	return text;
}

static void assert_harmless(const char *text)
{
	size_t len = strlen(text), n;
	uint32_t code;

	for (; len; text += n, len -= n) {
		n = utf8__decode(text, len, &code);
		if (!n || (code != '\n' && text__is_unsafe(code)))
			fail_msg("byte %02x at: %.40s", (unsigned char)*text, text);
	}
}

static struct analysis *read_trace(void)
{
	struct recording *r = recording_reader__open(trace_path());
	struct analysis *a = new_analysis(false);

	assert_non_null(r);
	assert_int_equal(analysis__read(a, r), 0);
	recording_reader__close(r);
	a->path = NASTY;
	return a;
}

static int write_diff(FILE *out, const struct analysis *a, const struct report_options *o)
{
	return report_diff__write(out, a, a, o);
}

static void harmless(void **state)
{
	const struct report_options o = {.by_roctx = true, .per_domain = true};
	struct analysis *a;
	char *text;

	write_trace("rtrace", feed);
	a = read_trace();
	/* Turns the direction of writing. */
	tell_range(a,
		   "a\xe2\x80\xae"
		   "b",
		   77, 10);
	text = written(a, &o, report_text__write);
	assert_harmless(text);
	assert_contains(text, "Phases by roctx range");
	assert_contains(text, "7 calls (ring full)");
	free(text);
	text = written(a, &o, write_diff);
	assert_harmless(text);
	free(text);
	analysis__free(a);
}

static void json_is_json(void **state)
{
	const struct report_options o = {.by_roctx = true, .per_domain = true};
	struct analysis *a;
	FILE *jq;
	char *text;

	require("jq");
	write_trace("rtrace", feed);
	a = read_trace();
	text = written(a, &o, report_json__write);
	jq = popen("jq -e '.lossy and (.recording | length > 5)' >/dev/null", "w");
	assert_non_null(jq);
	fputs(text, jq);
	assert_int_equal(pclose(jq), 0);
	free(text);
	analysis__free(a);
}

static void empty(void **state)
{
	const struct report_options o = {.by_roctx = true, .per_domain = true};
	struct analysis *a;
	char *text;

	write_trace("rtrace", NULL);
	a = read_trace();
	text = written(a, &o, report_text__write);
	assert_contains(text, "(in no range)");
	free(text);
	text = written(a, &o, report_json__write);
	assert_contains(text, "\"gpus\": [");
	free(text);
	analysis__free(a);
}

/* ---- whatever comes ---- */

static uint64_t random_state;

/* Numbers of all lengths, small ones often. */
static uint64_t any(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 13) >> (random_state % 64);
}

static void tell_anything(struct analysis *a)
{
	static const char *const names[] = {"hipMalloc", "hipMemcpy", "kernel", NASTY, NULL};
	struct call_values values = {.returned = any() % 2, .ret = any() % 3};
	struct event ev = {.kind = any() % (EV_RUNTIME + 1),
			   .domain = any() % DOMAIN_COUNT,
			   .flags = any() % 0x400,
			   .pid = any() % 3,
			   .tid = any() % 5,
			   .begin = any(),
			   .corr = any() % 1000,
			   .root = any() % 1000,
			   .in_range = any() % 100};

	ev.name = names[any() % (ev.kind == EV_SPAN ? 4 : 5)];
	ev.end = ev.begin + any();
	if (ev.end < ev.begin)
		ev.end = ev.begin;
	if (ev.kind == EV_SPAN) {
		ev.depth = any() % 2;
		ev.api = api__find(ev.name);
		ev.values = &values;
	} else if (ev.kind == EV_RANGE) {
		ev.range.id = any() % 100;
	} else if (ev.kind != EV_MARK && ev.kind != EV_GAP) {
		ev.gpu.device = (int32_t)(any() % 5) - 2;
		ev.gpu.submit = any();
		if (ev.kind == EV_COPY) {
			ev.gpu.bytes = any();
			ev.gpu.src_device = (int32_t)(any() % 5) - 2;
			ev.gpu.dst_device = (int32_t)(any() % 5) - 2;
		} else if (ev_is_resource(ev.kind)) {
			ev.gpu.resource.what = any() % RESOURCE_COUNT;
			ev.gpu.resource.address = any() % 100;
			ev.gpu.resource.bytes = any();
		}
	}
	analysis__event(a, &ev);
}

static void anything(void **state)
{
	const struct report_options o = {.by_roctx = true, .per_domain = true};

	for (unsigned int seed = 0; seed < 20; seed++) {
		struct analysis *a = new_analysis(seed % 2);
		char *text;

		random_state = seed;
		for (int i = 0; i < 3000; i++)
			tell_anything(a);
		analysis__end(a);
		assert_int_equal(a->error, 0);
		text = written(a, &o, report_text__write);
		assert_harmless(text);
		free(text);
		free(written(a, &o, report_json__write));
		free(written(a, &o, write_diff));
		analysis__free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spreads),	    cmocka_unit_test(few_in_a_spread),
		cmocka_unit_test(percentiles),	    cmocka_unit_test(small_percentiles_are_exact),
		cmocka_unit_test(too_many_names),   cmocka_unit_test(too_many_messages),
		cmocka_unit_test(by_range),	    cmocka_unit_test(renamed),
		cmocka_unit_test(texts_are_copied), cmocka_unit_test(not_freed),
		cmocka_unit_test(failed),	    cmocka_unit_test(waits),
		cmocka_unit_test(losses),	    cmocka_unit_test(harmless),
		cmocka_unit_test(json_is_json),	    cmocka_unit_test(empty),
		cmocka_unit_test(anything),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
