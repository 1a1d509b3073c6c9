/* SPDX-License-Identifier: MIT */
/*
 * Counts the API calls that a workload makes, where it makes them, and says at the end how many.
 *
 * A test runs a workload under the tracer and holds the trace against these counts, so every call
 * of a HIP, HSA or roctx function in a workload goes through one of these macros:
 *
 *   CALL(fn, (args))            counts; the call must succeed (return 0), or the workload fails
 *   TRY(fn, (args))             counts; its value is what the call returned
 *   EXPECT(code, fn, (args))    counts; the call must return `code`, and a line
 *                               `returns FUNCTION CODE` says that it did
 *   COUNT(fn, n)                counts n calls that are made out of sight
 *   UNWOUND(fn)                 says that a counted call was left by a long jump
 *   KERNEL(name, n)             says that the GPU runs this kernel n times
 *   COPIED(direction, bytes)    says that an API call copies this number of bytes: H2D, D2H, D2D
 *                               or P2P
 *   CHECK(condition, format, ...)
 *                               the workload has failed unless the condition holds
 *
 * and, in HIP C++, the calls that the compiler makes of the launch syntax and of kernels as such:
 *
 *   LAUNCH(kernel, grid, block, shared, stream, args...)
 *                               launches with <<<>>> and counts __hipPushCallConfiguration,
 *                               __hipPopCallConfiguration, hipLaunchKernel, and the kernel
 *   CAPTURE(...)                the same during stream capture: the GPU does not run the kernel now
 *   COUNT_REGISTRATION(kernels) counts what the start-up code has called for a program with this
 *                               number of kernels, and the one call that is made at exit
 *
 * What a workload prints at its end, on stdout, in the order of words and names:
 *
 *   bytes DIRECTION BYTES       sum over the copies
 *   calls FUNCTION COUNT        for each function that it called
 *   copies DIRECTION COUNT
 *   kernels NAME COUNT          NAME as in the source
 *   unwound FUNCTION COUNT      those of these calls that never returned
 *   result PASSED               or `result FAILED: why`, with exit status 1
 *
 * Results are verified unless WORKLOAD_VERIFY=0 is in the environment (for a simulated GPU without
 * host functions for the kernels).
 */
#ifndef WORKLOADS_COUNT_H
#define WORKLOADS_COUNT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One place in the source that counts; places that count the same are added up for printing. */
struct count {
	const char *what; /* the first word of the line, "calls" for one */
	const char *name;
	unsigned long n;
	int listed;
	struct count *next;
};

static struct count *count__sites;

static inline void count__add(struct count *site, unsigned long n)
{
	__atomic_fetch_add(&site->n, n, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&site->listed, 1, __ATOMIC_RELAXED))
		return;
	site->next = __atomic_load_n(&count__sites, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&count__sites, &site->next, site, 0, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

/* Forgets what was counted so far. No other thread may be counting. */
static inline void count__reset(void)
{
	struct count *site;

	for (site = count__sites; site; site = site->next)
		site->n = 0;
}

static inline int count__compare(const void *a, const void *b)
{
	const struct count *x = *(const struct count *const *)a;
	const struct count *y = *(const struct count *const *)b;
	int order = strcmp(x->what, y->what);

	return order ? order : strcmp(x->name, y->name);
}

#define COUNT__SITES 512

/* Prints all counts; the other threads should be done. */
static inline void count__print(void)
{
	struct count *sites[COUNT__SITES], *site;
	unsigned long sum = 0;
	size_t n = 0, i;

	for (site = __atomic_load_n(&count__sites, __ATOMIC_ACQUIRE); site; site = site->next) {
		if (n < COUNT__SITES)
			sites[n++] = site;
	}
	qsort(sites, n, sizeof(sites[0]), count__compare);
	for (i = 0; i < n; i++) {
		sum += sites[i]->n;
		if (i + 1 < n && !count__compare(&sites[i], &sites[i + 1]))
			continue;
		if (sum)
			printf("%s %s %lu\n", sites[i]->what, sites[i]->name, sum);
		sum = 0;
	}
}

/*
 * Ends the process from any thread, without the exit handlers of a runtime in an unknown state.
 * When several threads fail, the first one speaks.
 */
__attribute__((format(printf, 1, 2), noreturn)) static inline void count__fail(const char *format,
									       ...)
{
	static int failed;
	va_list args;

	while (__atomic_exchange_n(&failed, 1, __ATOMIC_RELAXED))
		pause();
	count__print();
	printf("result FAILED: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

/* The last thing that main() does. */
static inline int count__pass(void)
{
	count__print();
	printf("result PASSED\n");
	fflush(stdout);
	return 0;
}

static inline void count__check(long status, long expected, const char *function, int line)
{
	if (status != expected)
		count__fail("line %d: %s returned %ld instead of %ld", line, function, status,
			    expected);
}

static inline void count__expect(long status, long expected, const char *function, int line)
{
	count__check(status, expected, function, line);
	printf("returns %s %ld\n", function, expected);
}

static inline int count__verifying(void)
{
	const char *value = getenv("WORKLOAD_VERIFY");

	return !value || strcmp(value, "0");
}

#define COUNT__ADD(what, name, n)                                      \
	do {                                                           \
		static struct count site_ = {what, #name, 0, 0, NULL}; \
		count__add(&site_, n);                                 \
	} while (0)

#define COUNT(fn, n)	COUNT__ADD("calls", fn, n)
#define UNWOUND(fn)	COUNT__ADD("unwound", fn, 1)
#define KERNEL(name, n) COUNT__ADD("kernels", name, n)

#define COPIED(direction, size)                       \
	do {                                          \
		COUNT__ADD("copies", direction, 1);   \
		COUNT__ADD("bytes", direction, size); \
	} while (0)

#define TRY(fn, args)         \
	({                    \
		COUNT(fn, 1); \
		fn args;      \
	})

#define CALL(fn, args)		   count__check((long)TRY(fn, args), 0, #fn, __LINE__)
#define EXPECT(expected, fn, args) count__expect((long)TRY(fn, args), expected, #fn, __LINE__)

#define CAPTURE(kernel, grid, block, shared, stream, ...)             \
	do {                                                          \
		COUNT(__hipPushCallConfiguration, 1);                 \
		COUNT(__hipPopCallConfiguration, 1);                  \
		COUNT(hipLaunchKernel, 1);                            \
		kernel<<<grid, block, shared, stream>>>(__VA_ARGS__); \
	} while (0)

#define LAUNCH(kernel, ...)                   \
	do {                                  \
		KERNEL(kernel, 1);            \
		CAPTURE(kernel, __VA_ARGS__); \
	} while (0)

#define COUNT_REGISTRATION(kernels)                    \
	do {                                           \
		COUNT(__hipRegisterFatBinary, 1);      \
		COUNT(__hipRegisterFunction, kernels); \
		COUNT(__hipUnregisterFatBinary, 1);    \
	} while (0)

#define CHECK(condition, ...)                     \
	do {                                      \
		if (!(condition))                 \
			count__fail(__VA_ARGS__); \
	} while (0)

#endif
