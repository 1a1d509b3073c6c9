// SPDX-License-Identifier: MIT
/*
 * The process that makes the measured calls of empty functions (entries.c) and of roctx, with and
 * without a tracer on it. See served.h.
 */
#include <sys/syscall.h>

#include "roctracer/roctx.h"
#include "tests/bench/entries.h"
#include "tests/bench/served.h"

#define CALLER(name, call)                       \
	static void name(long calls)             \
	{                                        \
		for (long i = 0; i < calls; i++) \
			call;                    \
	}

static char memory[64];

CALLER(call_push, hipBenchPush())
CALLER(call_nop5, hipBenchNop5())
CALLER(call_sub, hipBenchSub())
CALLER(call_placed, hipBenchPlaced())
CALLER(call_args0, hipDeviceSynchronize())
CALLER(call_args1, hipSetDevice(0))
CALLER(call_args2, hipEventRecord(memory, NULL))
CALLER(call_args3, hipMemset(memory, 0, sizeof(memory)))
CALLER(call_args4, hipMemsetAsync(memory, 0, sizeof(memory), NULL))
CALLER(call_args5, hipMemset2D(memory, 8, 0, 8, 8))
CALLER(call_args6, hipMemset2DAsync(memory, 8, 0, 8, 8, NULL))

/* A range is two calls. */
static void call_range(long ranges)
{
	for (long i = 0; i < ranges; i++) {
		roctxRangePushA("step");
		roctxRangePop();
	}
}

static void call_system(long calls)
{
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
}

static void *do_nothing(void *arg)
{
	return arg;
}

static void call_thread(long threads)
{
	pthread_t thread;

	for (long i = 0; i < threads; i++)
		if (!pthread_create(&thread, NULL, do_nothing, NULL))
			pthread_join(thread, NULL);
}

int main(void)
{
	static const struct served functions[] = {
		{"push", call_push},	 {"nop5", call_nop5},	{"sub", call_sub},
		{"placed", call_placed}, {"range", call_range}, {"system", call_system},
		{"thread", call_thread}, {"args0", call_args0}, {"args1", call_args1},
		{"args2", call_args2},	 {"args3", call_args3}, {"args4", call_args4},
		{"args5", call_args5},	 {"args6", call_args6}, {},
	};

	return served__all("calls", functions);
}
