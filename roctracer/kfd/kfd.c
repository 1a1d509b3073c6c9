// SPDX-License-Identifier: MIT
/*
 * Binds calls of libhsakmt's functions to their wrappers (kfd_api.c), which report here. That is
 * done when something is enabled and when the HSA runtime loads this library as a tool; it stays,
 * as this library does.
 *
 * Any call of HSA may call the thunk. So a tool that calls HSA in a callback of this domain would
 * be called back for ever: of what is called inside of such a callback there are records alone.
 */
#include "roctracer/kfd/kfd.h"

#include <dlfcn.h>
#include <pthread.h>

#include "inprocess/got_patch.h"
#include "inprocess/load_agent.h"
#include "roctracer/kfd/kfd_api.h"
#include "inprocess/loaded_libraries.h"

#define LIBRARY "libhsakmt.so"

TABLE(kfd_calls, ACTIVITY_DOMAIN_KFD_API, KFD_API_ID_NUMBER);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- calls ---- */

static bool is_in_callback(void)
{
	return thread_current && region__is_in(thread_current, &kfd_calls.callbacks[0],
					       &kfd_calls.callbacks[KFD_API_ID_NUMBER]);
}

void roctracer_kfd_enter(uint32_t op, struct kfd_api_trace *trace)
{
	trace->api_data.phase_data = &trace->call.phase_data;
	call__begin(&kfd_calls, op, (struct call_data *)&trace->api_data, &trace->call,
		    !is_in_callback());
}

void roctracer_kfd_exit(uint32_t op, struct kfd_api_trace *trace)
{
	call__end(&kfd_calls, op, (struct call_data *)&trace->api_data, &trace->call);
}

/* ---- putting wrappers in place ---- */

static bool find_originals(void)
{
	static bool found;
	void *lib = found ? NULL : libs__find(LIBRARY);

	for (uint32_t op = 0; lib && op < KFD_API_ID_NUMBER; op++)
		__atomic_store_n(&kfd_api_original[op], dlsym(lib, kfd_api__name(op)),
				 __ATOMIC_RELEASE);
	found |= lib != NULL;
	return found;
}

static bool is_of_thunk(const char *name)
{
	return kfd_api__code(name) != KFD_API_ID_NUMBER;
}

static void *instead(const char *name, void *function)
{
	uint32_t op = kfd_api__code(name);

	return function && function == kfd_api_original[op] ? kfd_api__wrapper(op) : NULL;
}

static const char *const libraries[] = {LIBRARY, NULL};
static void replace(void)
{
	const struct imports imports = {
		.libraries = libraries,
		.wants = is_of_thunk,
		.behind = agent_library__behind(),
		.instead = instead,
	};

	imports__replace(&imports);
}

void kfd__engage(void)
{
	pthread_mutex_lock(&lock);
	if (call__set_wanted(&kfd_calls, kfd_api_enabled) && find_originals())
		replace();
	pthread_mutex_unlock(&lock);
}
