// SPDX-License-Identifier: MIT
/*
 * The process whose calls are measured, with and without a tracer on it.
 *
 * It says `ready PID` and then, for every line `FUNCTION CALLS` on stdin, makes the calls and
 * prints the nanoseconds that one took. One process serves all measurements, so that they compare.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "roctx/roctx.h"
#include "tests/bench/batches.h"
#include "tests/bench/entries.h"

#define BATCH_CALLS 500

static void call_push(long calls)
{
	for (long i = 0; i < calls; i++)
		hipBenchPush();
}

static void call_nop5(long calls)
{
	for (long i = 0; i < calls; i++)
		hipBenchNop5();
}

static void call_sub(long calls)
{
	for (long i = 0; i < calls; i++)
		hipBenchSub();
}

/* A range is two calls. */
static void call_range(long ranges)
{
	for (long i = 0; i < ranges; i++) {
		roctxRangePushA("step");
		roctxRangePop();
	}
}

static const struct {
	const char *name;
	void (*run)(long calls);
} functions[] = {
	{"push", call_push},
	{"nop5", call_nop5},
	{"sub", call_sub},
	{"range", call_range},
};

static void pause_1ms(void)
{
	usleep(1000);
}

static int measure(const char *name, long calls)
{
	struct batches b = {.pause = pause_1ms, .count = calls / BATCH_CALLS, .calls = BATCH_CALLS};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			b.run = functions[i].run;
	if (!b.run || b.count < 1)
		return -1;
	printf("%.2f\n", batches__measure(&b));
	return fflush(stdout);
}

int main(void)
{
	char line[128], name[32];
	long calls;

	printf("ready %d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%31s %ld", name, &calls) != 2 || measure(name, calls)) {
			fprintf(stderr, "calls: not understood: %s", line);
			return 2;
		}
	}
	return 0;
}
