// SPDX-License-Identifier: MIT
/*
 * libhip_records.so: preloaded, takes HIP's own records of operations, as roctracer does, and
 * prints them at the end: `elapsed record KIND BEGIN END` each (ns), and `records 0 COUNT` of
 * dispatches. How many records HIP makes of copies differs from run to run.
 *
 * Up to 5.2 HIP is asked as hip_runtime_prof.h says, then by hipRegisterTracerCallback, which asks
 * back for each operation, with no record, whether it is wanted (0). A record is laid out as
 * roctracer has it. Its times are only filled in for queues that take times.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define RECORDS 100000
#define KINDS	3 /* dispatch, copy, barrier */
#define HIP_OPS 2 /* the domain of operations */

struct record {
	uint32_t domain, kind, op;
	uint64_t correlation_id;
	uint64_t begin, end;
};

struct seen {
	uint32_t op;
	uint64_t begin, end;
};

static struct seen seen[RECORDS];
static unsigned long count;

static void on_id(uint64_t id)
{
}

static void on_record(uint32_t op, const struct record *record, void *arg)
{
	unsigned long i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);

	if (i < RECORDS)
		seen[i] = (struct seen){op, record->begin, record->end};
}

static int on_trace(uint32_t domain, uint32_t op, void *record)
{
	if (domain == HIP_OPS && record)
		on_record(op, record, NULL);
	return domain != HIP_OPS;
}

static void print(void)
{
	unsigned long dispatches = 0;

	for (unsigned long i = 0; i < count && i < RECORDS; i++) {
		printf("elapsed record %u %lu %lu\n", seen[i].op, seen[i].begin, seen[i].end);
		dispatches += !seen[i].op;
	}
	printf("records 0 %lu\n", dispatches);
}

static void start_old(void)
{
	void (*init)(void *, void *, void *) = dlsym(RTLD_DEFAULT, "hipInitActivityCallback");
	bool (*enable)(unsigned int, bool) = dlsym(RTLD_DEFAULT, "hipEnableActivityCallback");

	if (!init || !enable)
		abort();
	init(on_id, on_record, NULL);
	for (int i = 0; i < KINDS; i++)
		enable(i, true);
}

static __attribute__((constructor)) void start(void)
{
	void (*set)(int (*)(uint32_t, uint32_t, void *)) =
		dlsym(RTLD_DEFAULT, "hipRegisterTracerCallback");

	if (set)
		set(on_trace);
	else
		start_old();
	atexit(print);
}
