// SPDX-License-Identifier: MIT
/*
 * A replacement for each function that HIP's header declares (scripts/gen-hip-results). While no
 * service wants the function it jumps to the original. What compilers call is replaced on the way.
 */
#include "rocprofiler/sources/results.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "rocprofiler/sources/hip_tables.h"
#include "rocprofiler/service/service.h"
#include "rocprofiler/support/tables.h"
#include "inprocess/got_patch.h"
#include "inprocess/load_agent.h"
#include "inprocess/loaded_libraries.h"

#include <hip/hip_runtime_api.h>

#define LIBRARY	 "libamdhip64.so"
#define REGISTER "librocprofiler-register.so"
#define UNKNOWN	 UINT32_MAX

enum {
#define HIP_FUNCTION(name, params, args) N_##name,
#include "rocprofiler/hip_functions.inc"
#undef HIP_FUNCTION
	FUNCTIONS
};

static const char *const names[] = {
#define HIP_FUNCTION(name, params, args) #name,
#include "rocprofiler/hip_functions.inc"
#undef HIP_FUNCTION
};

static void *library; /* NULL: none, or it hands in tables */
static void *originals[FUNCTIONS];
static uint32_t numbers[FUNCTIONS];
static uint8_t wanted[FUNCTIONS];
static __thread struct pending *innermost;

/* ---- calls ---- */

/* Also where something is thrown through it. */
static void leave(struct pending *p)
{
	innermost = p->outer;
}

/* Parameters have all kinds of names. */
#define HIP_FUNCTION(name, params, args)                                                       \
	static hipError_t wrap_##name params                                                   \
	{                                                                                      \
		struct pending pending_ __attribute__((cleanup(leave)));                       \
		hipError_t result_;                                                            \
                                                                                               \
		pending_ = (struct pending){innermost, numbers[N_##name], NULL};               \
		innermost = &pending_;                                                         \
		result_ = ((hipError_t(*) params)originals[N_##name])args;                     \
		if (pending_.call)                                                             \
			calls__returned(pending_.call, result_);                               \
		return result_;                                                                \
	}                                                                                      \
                                                                                               \
	static hipError_t jump_##name params                                                   \
	{                                                                                      \
		if (__builtin_expect(__atomic_load_n(&wanted[N_##name], __ATOMIC_RELAXED), 0)) \
			return wrap_##name args;                                               \
		return ((hipError_t(*) params)originals[N_##name])args;                        \
	}
#include "rocprofiler/hip_functions.inc"
#undef HIP_FUNCTION

static void *const replacements[] = {
#define HIP_FUNCTION(name, params, args) jump_##name,
#include "rocprofiler/hip_functions.inc"
#undef HIP_FUNCTION
};

/* One below us on the stack was left by longjmp(). */
static bool is_gone(const struct pending *p)
{
	return (uintptr_t)p < (uintptr_t)__builtin_frame_address(0);
}

struct pending *results__take(uint32_t number)
{
	while (innermost && is_gone(innermost))
		innermost = innermost->outer;
	return innermost && innermost->number == number && !innermost->call ? innermost : NULL;
}

/* ---- putting them in place ---- */

static uint32_t number_of(const char *name)
{
	const struct sdk_kind *kind =
		tables__callback_kind(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API);

	for (uint32_t i = 0; i < kind->count; i++)
		if (!strcmp(kind->operations[i].name, calls__name(name)))
			return i;
	return UNKNOWN;
}

static bool find_originals(void)
{
	static bool found;
	void *lib = found ? NULL : libs__find(LIBRARY);

	if (lib && !libs__needs(lib, REGISTER))
		library = lib;
	for (uint32_t i = 0; lib && i < FUNCTIONS; i++) {
		originals[i] = dlsym(lib, names[i]);
		numbers[i] = number_of(names[i]);
	}
	found |= lib != NULL;
	return found;
}

/* What compilers call, of a HIP that has no table to hand in. */
static void *compiler_function(const char *name, void *function)
{
	if (!library || strncmp(name, "__hip", 5) || dlsym(library, name) != function)
		return NULL;
	return hip_tables__wrap_export(name, function);
}

static bool is_of_hip(const char *name)
{
	return !strncmp(name, "hip", 3) || !strncmp(name, "__hip", 5);
}

static void *instead(const char *name, void *function)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		if (originals[i] == function && !strcmp(names[i], name))
			return numbers[i] == UNKNOWN ? NULL : replacements[i];
	return compiler_function(name, function);
}

static const char *const libraries[] = {LIBRARY, NULL};
static void replace(void)
{
	const struct imports imports = {
		.libraries = libraries,
		.wants = is_of_hip,
		.behind = agent_library__behind(),
		.instead = instead,
	};

	imports__replace(&imports);
}

/* Since this was asked last, by one thread. */
static bool was_loaded(void)
{
	static uint64_t before;
	uint64_t count = imports__loaded();

	return __atomic_exchange_n(&before, count, __ATOMIC_RELAXED) != count;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void results__look_again(void)
{
	if (!was_loaded())
		return;
	pthread_mutex_lock(&lock);
	if (find_originals())
		replace();
	pthread_mutex_unlock(&lock);
}

/* The wrappers in HIP's table have results of their own. */
static bool is_wanted(uint32_t number)
{
	return !hip_tables__have(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API) &&
	       service__wanted(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
			       ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, number);
}

void results__engage(bool all)
{
	bool some = false;

	if (!find_originals())
		return;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		bool want = all || is_wanted(numbers[i]);

		__atomic_store_n(&wanted[i], want, __ATOMIC_RELAXED);
		some |= want;
	}
	if (some)
		results__look_again();
}
