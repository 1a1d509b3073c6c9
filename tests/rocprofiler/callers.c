// SPDX-License-Identifier: MIT
/*
 * Threads that call HIP, HSA and ROC-TX, each as often as its number says, and some of it in
 * ranges.
 *
 * Prints `did TID RANGE FUNCTION RESULT ARGUMENTS` for each call, thread by thread in their order;
 * RANGE is the number that the range's message is, 0 outside of it. Then the counts
 * (tests/workloads/count.h) and the result. With --go FILE the threads start once FILE exists, and
 * `ready` is printed before.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define THREADS	       6
#define ROUNDS	       8 /* of the first thread; of the second 16, and so on */
#define BYTES	       4096
#define LINE_MAX_BYTES 160

struct caller {
	pthread_t thread;
	unsigned int number;
	unsigned int range;
	char *lines, *end;
	char host[BYTES];
};

__attribute__((format(printf, 4, 5))) static void note(struct caller *c, const char *function,
						       long result, const char *format, ...)
{
	va_list args;

	c->end += sprintf(c->end, "did %d %u %s %ld ", gettid(), c->range, function, result);
	va_start(args, format);
	c->end += vsprintf(c->end, format, args);
	va_end(args);
	c->end += sprintf(c->end, "\n");
}

/* The call must return that; what follows are its arguments as they are printed. */
#define MAKE(code, function, args, ...)                                             \
	do {                                                                        \
		count__check((long)TRY(function, args), code, #function, __LINE__); \
		note(c, #function, code, __VA_ARGS__);                              \
	} while (0)

static void use_hip(struct caller *c)
{
	void *memory;
	int device;

	MAKE(hipSuccess, hipGetDevice, (&device), "-");
	MAKE(hipSuccess, hipMalloc, (&memory, BYTES), "%p,%d", (void *)&memory, BYTES);
	MAKE(hipErrorInvalidValue, hipMalloc, (NULL, BYTES), "(nil),%d", BYTES);
	MAKE(hipSuccess, hipMemcpy, (memory, c->host, BYTES, hipMemcpyHostToDevice), "%p,%p,%d,%d",
	     memory, (void *)c->host, BYTES, hipMemcpyHostToDevice);
	MAKE(hipErrorInvalidValue, hipMemcpy, (NULL, c->host, 1, hipMemcpyHostToDevice),
	     "(nil),%p,1,%d", (void *)c->host, hipMemcpyHostToDevice);
	MAKE(hipErrorInvalidDevice, hipSetDevice, (1000 + c->number), "%d", 1000 + c->number);
	MAKE(hipSuccess, hipFree, (memory), "%p", memory);
}

static void use_hsa(struct caller *c)
{
	uint64_t now;

	MAKE(HSA_STATUS_SUCCESS, hsa_system_get_info, (HSA_SYSTEM_INFO_TIMESTAMP, &now), "%d,%p",
	     HSA_SYSTEM_INFO_TIMESTAMP, (void *)&now);
	MAKE(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_system_get_info, (12345, &now), "%d,%p", 12345,
	     (void *)&now);
}

static void use_all(struct caller *c)
{
	use_hip(c);
	use_hsa(c);
	TRY(roctxMarkA, ("a mark"));
	note(c, "roctxMarkA", 0, "a_mark");
}

static void use_all_in_range(struct caller *c, unsigned int round)
{
	char message[16];

	c->range = c->number * 1000 + round;
	snprintf(message, sizeof(message), "%u", c->range);
	MAKE(0, roctxRangePushA, (message), "%s", message);
	use_all(c);
	MAKE(0, roctxRangePop, (), "-");
	c->range = 0;
}

static void *call(void *arg)
{
	struct caller *c = arg;

	for (unsigned int i = 0; i < c->number * ROUNDS; i++) {
		if (i % 2)
			use_all_in_range(c, i);
		else
			use_all(c);
	}
	return NULL;
}

static void start(struct caller *c, unsigned int number)
{
	c->number = number;
	c->lines = c->end = malloc(number * ROUNDS * 16 * LINE_MAX_BYTES);
	CHECK(c->lines, "no memory");
	*c->lines = '\0';
	CHECK(!pthread_create(&c->thread, NULL, call, c), "no thread");
}

static void wait_for_file(const char *path)
{
	printf("ready %d\n", getpid());
	fflush(stdout);
	while (access(path, F_OK))
		workload__sleep_us(10000);
}

int main(int argc, char **argv)
{
	static struct caller callers[THREADS];

	/* What initialises is nobody's. */
	CHECK(hipInit(0) == hipSuccess, "hipInit");
	if (argc > 2 && !strcmp(argv[1], "--go"))
		wait_for_file(argv[2]);
	for (unsigned int i = 0; i < THREADS; i++)
		start(&callers[i], i + 1);
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(callers[i].thread, NULL);
		fputs(callers[i].lines, stdout);
		free(callers[i].lines);
	}
	return count__pass();
}
