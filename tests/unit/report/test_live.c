// SPDX-License-Identifier: MIT
/*
 * Counters of processes, containers and GPUs, and how they are shown: all numbers are counted by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/live/live_counters.h"
#include "user/live/table_view.h"

static struct live *live;

static int make(void **state)
{
	live = live_counters__new();
	return !live;
}

static int drop(void **state)
{
	live_counters__free(live);
	return 0;
}

static void process(uint32_t pid, const char *comm, const char *cgroup)
{
	const struct process_info info = {
		.pid = pid, .comm = comm, .cmdline = "", .cgroup = cgroup, .libraries = ""};

	assert_int_equal(live_counters__process(live, &info), 0);
}

static void device(uint32_t pid, int32_t number, const char *details)
{
	const struct device_info info = {
		.pid = pid, .device = number, .name = "gfx906 MI50", .details = details};

	assert_int_equal(live_counters__device(live, &info), 0);
}

static void call(uint32_t pid, enum ev_domain domain, int times)
{
	const struct event ev = {.kind = EV_SPAN, .domain = domain, .pid = pid, .name = "f"};

	for (int i = 0; i < times; i++)
		assert_int_equal(live_counters__event(live, &ev), 0);
}

static void kernel(uint32_t pid, int32_t number, uint64_t begin, uint64_t end)
{
	const struct event ev = {.kind = EV_DISPATCH,
				 .domain = DOMAIN_GPU,
				 .pid = pid,
				 .begin = begin,
				 .end = end,
				 .gpu = {.device = number}};

	assert_int_equal(live_counters__event(live, &ev), 0);
}

static void copy(uint32_t pid, int32_t number, uint64_t begin, uint64_t end, uint64_t bytes)
{
	const struct event ev = {.kind = EV_COPY,
				 .domain = DOMAIN_GPU,
				 .pid = pid,
				 .begin = begin,
				 .end = end,
				 .gpu = {.device = number, .bytes = bytes}};

	assert_int_equal(live_counters__event(live, &ev), 0);
}

struct wanted {
	const char *name;
	struct live_row found;
	int times;
};

static void match(const struct live_row *row, void *arg)
{
	struct wanted *w = arg;

	if (strcmp(row->name, w->name))
		return;
	w->found = *row;
	w->times++;
}

static struct live_row row_of(enum live_kind kind, const char *name)
{
	struct wanted w = {.name = name};

	live_counters__each(live, kind, match, &w);
	assert_int_equal(w.times, 1);
	return w.found;
}

static void count_row(const struct live_row *row, void *arg)
{
	++*(int *)arg;
}

static int rows(enum live_kind kind)
{
	int n = 0;

	live_counters__each(live, kind, count_row, &n);
	return n;
}

static void test_counts(void **state)
{
	struct live_row ann, box, gpu;

	process(10, "ann", "/box");
	process(11, "bob", "/box");
	device(10, 0, "60 CUs, PCI 0000:03:00.0, uuid");
	device(11, 3, "60 CUs, PCI 0000:03:00.0, uuid");
	call(10, DOMAIN_HIP, 5);
	call(11, DOMAIN_HSA, 2);
	kernel(10, 0, 1000, 2000);
	kernel(11, 3, 1500, 2500); /* on the same GPU at the same time */
	copy(10, 0, 1900, 2100, 4096);
	live_counters__turn(live);
	ann = row_of(LIVE_PROCESS, "ann");
	assert_int_equal(ann.pid, 10);
	assert_string_equal(ann.container, "/box");
	assert_int_equal(live_counts__calls(&ann.recent), 5);
	assert_int_equal(ann.recent.launches, 1);
	assert_int_equal(ann.recent.busy_ns, 1100);
	assert_int_equal(ann.recent.copy_bytes, 4096);
	box = row_of(LIVE_CONTAINER, "/box");
	assert_int_equal(box.processes, 2);
	assert_int_equal(box.recent.calls[DOMAIN_HIP], 5);
	assert_int_equal(box.recent.calls[DOMAIN_HSA], 2);
	assert_int_equal(box.recent.launches, 2);
	assert_int_equal(box.recent.busy_ns, 2100);
	gpu = row_of(LIVE_GPU, "0000:03:00.0");
	assert_int_equal(gpu.processes, 2);
	assert_int_equal(gpu.recent.busy_ns, 1500);
	assert_string_equal(gpu.model, "gfx906 MI50");
	assert_int_equal(rows(LIVE_GPU), 1);
	/* The next interval. */
	call(10, DOMAIN_HIP, 1);
	live_counters__turn(live);
	ann = row_of(LIVE_PROCESS, "ann");
	assert_int_equal(live_counts__calls(&ann.recent), 1);
	assert_int_equal(live_counts__calls(&ann.total), 6);
	assert_int_equal(row_of(LIVE_GPU, "0000:03:00.0").recent.busy_ns, 0);
}

/* A GPU that nobody describes is its process's own. */
static void test_unknown_gpus(void **state)
{
	process(10, "ann", "");
	process(11, "bob", "");
	kernel(10, 0, 10, 20);
	kernel(11, 0, 10, 20);
	kernel(11, -2, 10, 20);
	live_counters__turn(live);
	assert_int_equal(row_of(LIVE_GPU, "gpu 0 of process 10").recent.launches, 1);
	assert_int_equal(row_of(LIVE_GPU, "gpu 0 of process 11").recent.launches, 1);
	assert_int_equal(row_of(LIVE_PROCESS, "bob").recent.launches, 2);
	assert_int_equal(row_of(LIVE_PROCESS, "bob").recent.busy_ns, 10);
}

static uint32_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

static void test_ends(void **state)
{
	uint32_t gone = ended_process();

	process(getpid(), "here", "/a");
	process(gone, "gone", "/a");
	kernel(gone, 0, 10, 20);
	live_counters__turn(live);
	assert_int_equal(rows(LIVE_PROCESS), 2); /* it did something in this interval */
	live_counters__turn(live);
	assert_int_equal(rows(LIVE_PROCESS), 1);
	assert_int_equal(row_of(LIVE_CONTAINER, "/a").processes, 1);
	assert_int_equal(row_of(LIVE_CONTAINER, "/a").total.launches, 1);
	/* Another with its number, elsewhere. */
	process(gone, "next", "/b");
	call(gone, DOMAIN_HIP, 1);
	live_counters__turn(live);
	assert_int_equal(row_of(LIVE_CONTAINER, "/a").total.launches, 1);
	assert_int_equal(row_of(LIVE_CONTAINER, "/b").processes, 1);
	/* It moves. */
	process(gone, "next", "/c");
	assert_int_equal(row_of(LIVE_CONTAINER, "/b").processes, 0);
	assert_int_equal(row_of(LIVE_CONTAINER, "/c").processes, 1);
}

static void test_many(void **state)
{
	for (uint32_t pid = 1; pid <= 5000; pid++) {
		char name[16];

		snprintf(name, sizeof(name), "/box%u", pid);
		process(pid, name + 1, name);
		call(pid, DOMAIN_HIP, 1);
		kernel(pid, (int32_t)pid, 1, 2);
	}
	live_counters__turn(live);
	assert_int_equal(rows(LIVE_PROCESS), 4097);
	assert_int_equal(rows(LIVE_CONTAINER), 4097);
	assert_int_equal(row_of(LIVE_CONTAINER, "/box7").total.calls[DOMAIN_HIP], 1);
	assert_int_equal(row_of(LIVE_GPU, "(others)").total.launches, 5000 - 4096);
}

static void test_view(void **state)
{
	struct view v = {.by = LIVE_PROCESS, .sort = COL_CALLS};
	struct view_rows shown;

	process(10, "ann", "/x");
	process(11, "b\x1b[31mb\xe2\x80\xae", "/y");
	process(getpid(), "idle", "/z");
	call(10, DOMAIN_HIP, 3);
	call(11, DOMAIN_HIP, 30);
	kernel(10, 0, 0, 1000000000);
	live_counters__turn(live);
	assert_int_equal(table_view__take(&v, live, 2, &shown), 0);
	assert_int_equal(shown.count, 3);
	assert_string_equal(shown.rows[0].cells[COL_NAME], "b\\x1b[31mb\\xe2\\x80\\xae");
	assert_string_equal(shown.rows[0].cells[COL_CALLS], "15");
	/* Nothing is known of its GPUs, nor of those of its container. */
	assert_string_equal(shown.rows[0].cells[COL_LAUNCHES], "-");
	assert_string_equal(shown.rows[0].cells[COL_BUSY], "-");
	assert_string_equal(shown.rows[0].cells[COL_COPIED], "-");
	assert_string_equal(shown.rows[1].cells[COL_PID], "10");
	assert_string_equal(shown.rows[1].cells[COL_BUSY], "50.0%");
	assert_string_equal(shown.rows[2].cells[COL_CALLS], "0");
	view_rows__free(&shown);
	/* By lost records, of the process and of its container. */
	assert_int_equal(live_counters__lost(live, 10, 50), 0);
	live_counters__turn(live);
	v.sort = COL_LOST;
	assert_int_equal(table_view__take(&v, live, 2, &shown), 0);
	assert_string_equal(shown.rows[0].cells[COL_PID], "10");
	assert_string_equal(shown.rows[0].cells[COL_LOST], "25");
	assert_string_equal(shown.rows[1].cells[COL_LOST], "0");
	view_rows__free(&shown);
	v.by = LIVE_CONTAINER;
	assert_int_equal(table_view__take(&v, live, 2, &shown), 0);
	assert_string_equal(shown.rows[0].cells[COL_NAME], "/x");
	assert_string_equal(shown.rows[0].cells[COL_LOST], "25");
	assert_string_equal(shown.rows[0].cells[COL_LAUNCHES], "0");
	assert_string_equal(shown.rows[1].cells[COL_LAUNCHES], "-");
	view_rows__free(&shown);
	v.by = LIVE_PROCESS;
	v.sort = COL_NAME;
	strcpy(v.filter, "/z");
	assert_int_equal(table_view__take(&v, live, 2, &shown), 0);
	assert_int_equal(shown.count, 1);
	assert_string_equal(shown.rows[0].cells[COL_ABOUT], "/z");
	view_rows__free(&shown);
	v = (struct view){.by = LIVE_GPU, .sort = COL_BUSY};
	table_view__sort_by_next(&v);
	assert_int_equal(v.sort, COL_COPIED);
	table_view__sort_by_next(&v);
	table_view__sort_by_next(&v);
	assert_int_equal(v.sort, COL_PROCS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, make, drop),
		cmocka_unit_test_setup_teardown(test_unknown_gpus, make, drop),
		cmocka_unit_test_setup_teardown(test_ends, make, drop),
		cmocka_unit_test_setup_teardown(test_many, make, drop),
		cmocka_unit_test_setup_teardown(test_view, make, drop),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
