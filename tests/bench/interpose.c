// SPDX-License-Identifier: MIT
/*
 * A tracer as it is written in an hour: preloaded, with a function of its own for each that is
 * measured by captured.c. It takes both times and keeps the last records of each thread.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <time.h>

#define SHOW	__attribute__((visibility("default")))
#define RECORDS 1024

struct record {
	uint64_t begin, end, id, function, args[3], ret;
};

static __thread struct record records[RECORDS];
static __thread uint64_t count;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* A function of up to three arguments. */
#define INTERPOSE(name, number)                                                           \
	SHOW uint64_t name(uint64_t a, uint64_t b, uint64_t c);                           \
	SHOW uint64_t name(uint64_t a, uint64_t b, uint64_t c)                            \
	{                                                                                 \
		static uint64_t (*original)(uint64_t, uint64_t, uint64_t);                \
		struct record r = {.id = ++count, .function = number, .args = {a, b, c}}; \
                                                                                          \
		if (!original)                                                            \
			*(void **)&original = dlsym(RTLD_NEXT, #name);                    \
		r.begin = now();                                                          \
		r.ret = original(a, b, c);                                                \
		r.end = now();                                                            \
		records[count % RECORDS] = r;                                             \
		return r.ret;                                                             \
	}

INTERPOSE(hipGetDevice, 1)
INTERPOSE(hsa_agent_get_info, 2)
INTERPOSE(roctxRangePushA, 3)
INTERPOSE(roctxRangePop, 4)
