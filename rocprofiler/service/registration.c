// SPDX-License-Identifier: MIT
/*
 * Tools are configured and initialised, and finalised: all at exit, or one when it asks for that.
 *
 * What a tool's function throws here goes nowhere: the tool is taken to have failed.
 */
#include "rocprofiler/service/registration.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <rocprofiler-sdk/version.h>

#include "inprocess/kernel_clock.h"
#include "rocprofiler/service/buffer.h"
#include "rocprofiler/support/catch.h"
#include "rocprofiler/service/context.h"
#include "rocprofiler/service/internal_threads.h"
#include "rocprofiler/service/runtimes.h"
#include "rocprofiler/support/say.h"
#include "rocprofiler/service/thread.h"

#define PATIENCE_NS 10000000000ULL /* for another thread that initialises */

static struct tool *tools;
static struct tool *current;
static int initialized;
static uint32_t finalizing; /* tools, and all of them together, at the moment */
static bool finalizing_all, finalized;
static uint32_t initializer; /* the thread */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;

int registration__initialized(void)
{
	return __atomic_load_n(&initialized, __ATOMIC_ACQUIRE);
}

int registration__finalized(void)
{
	if (__atomic_load_n(&finalized, __ATOMIC_ACQUIRE))
		return 1;
	return __atomic_load_n(&finalizing, __ATOMIC_ACQUIRE) ? -1 : 0;
}

struct tool *registration__tool(void)
{
	return registration__initialized() == -1 ? __atomic_load_n(&current, __ATOMIC_ACQUIRE)
						 : NULL;
}

static void set_current(struct tool *tool)
{
	__atomic_store_n(&current, tool, __ATOMIC_RELEASE);
}

static const char *name_of(const struct tool *tool)
{
	return tool->id && tool->id->name ? tool->id->name : tool->place;
}

/* ---- the end ---- */

static void call_finalize(void *arg)
{
	struct tool *tool = arg;

	tool->result.finalize(tool->result.tool_data);
}

/* All that it made is as if it were not. */
static void ignore(struct tool *tool)
{
	__atomic_store_n(&tool->finalized, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&tool->out, 1, __ATOMIC_RELEASE);
	contexts__ignore(tool);
	buffers__ignore(tool);
}

/* The tool's function may flush its buffers: those are passed on to the end. */
static void finalize_tool(struct tool *tool)
{
	if (__atomic_exchange_n(&tool->finalized, 1, __ATOMIC_ACQ_REL))
		return;
	__atomic_add_fetch(&finalizing, 1, __ATOMIC_ACQ_REL);
	contexts__stop(tool);
	runtimes__wait();
	__atomic_store_n(&tool->out, 1, __ATOMIC_SEQ_CST);
	thread__wait_for_others();
	if (tool->wanted && tool->result.finalize && catch__call(call_finalize, tool))
		say("%s: its finalize function has thrown an exception", name_of(tool));
	__atomic_sub_fetch(&finalizing, 1, __ATOMIC_ACQ_REL);
}

static void finalize(void)
{
	if (__atomic_exchange_n(&finalizing_all, true, __ATOMIC_ACQ_REL))
		return;
	__atomic_add_fetch(&finalizing, 1, __ATOMIC_ACQ_REL);
	runtimes__end();
	for (struct tool *t = tools; t; t = t->next)
		finalize_tool(t);
	runtimes__finalize();
	threads__end();
	__atomic_store_n(&finalized, true, __ATOMIC_RELEASE);
}

/* Of several tools. */
static void finalize_one(rocprofiler_client_id_t id)
{
	for (struct tool *t = tools; t; t = t->next)
		if (t->handle == id.handle)
			finalize_tool(t);
}

static void finalize_only(rocprofiler_client_id_t id)
{
	finalize();
}

/* ---- the begin ---- */

static void call_configure(void *arg)
{
	struct tool *tool = arg;
	rocprofiler_tool_configure_result_t *result = tool->configure(
		ROCPROFILER_SDK_VERSION, ROCPROFILER_SDK_VERSION_STRING, tool->priority, tool->id);

	if (!result)
		return;
	tool->result = *result;
	tool->wanted = true;
}

static void call_initialize(void *arg)
{
	struct tool *tool = arg;
	rocprofiler_client_finalize_t end = tools->next ? finalize_one : finalize_only;

	if (tool->result.initialize(end, tool->result.tool_data))
		ignore(tool);
}

static void configure_tool(struct tool *tool)
{
	bool threw;

	set_current(tool);
	threw = catch__call(call_configure, tool);
	set_current(NULL);
	if (threw)
		say("%s: its rocprofiler_configure() has thrown an exception", name_of(tool));
	if (!tool->wanted)
		ignore(tool);
}

static void initialize_tool(struct tool *tool)
{
	bool threw;

	if (!tool->wanted || !tool->result.initialize)
		return;
	set_current(tool);
	threw = catch__call(call_initialize, tool);
	set_current(NULL);
	if (threw) {
		say("%s: its initialize function has thrown an exception", name_of(tool));
		ignore(tool);
	}
}

/*
 * What runs at exit runs in reverse order: so the tools' functions are called while what they have
 * made so far is still there.
 */
static void initialize(rocprofiler_configure_func_t forced)
{
	tools = tools__find(forced);
	for (struct tool *t = tools; t; t = t->next)
		configure_tool(t);
	for (struct tool *t = tools; t; t = t->next)
		initialize_tool(t);
	if (tools)
		atexit(finalize);
	runtimes__initialize();
	pthread_mutex_lock(&lock);
	__atomic_store_n(&initialized, 1, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
}

static bool begin(void)
{
	int expected = 0;

	if (!__atomic_compare_exchange_n(&initialized, &expected, -1, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return false;
	__atomic_store_n(&initializer, thread__tid(), __ATOMIC_RELEASE);
	return true;
}

/* A tool may wait in its function for a thread that is here: not for ever. */
static void wait_initialized(void)
{
	struct timespec until = kernel_clock__in(PATIENCE_NS);
	int error = 0;

	pthread_mutex_lock(&lock);
	while (registration__initialized() != 1 && !error)
		error = pthread_cond_timedwait(&done, &lock, &until);
	pthread_mutex_unlock(&lock);
}

void registration__initialize(void)
{
	if (registration__initialized() == 1)
		return;
	if (begin())
		initialize(NULL);
	else if (__atomic_load_n(&initializer, __ATOMIC_ACQUIRE) != thread__tid())
		wait_initialized();
}

/* What runs at exit runs in reverse order, and once is enough for finalize(). */
void registration__end_before(void)
{
	static bool done;

	if (tools && !__atomic_exchange_n(&done, true, __ATOMIC_ACQ_REL))
		atexit(finalize);
}

/* ---- the interface ---- */

rocprofiler_status_t rocprofiler_is_initialized(int *status)
{
	*status = registration__initialized();
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_is_finalized(int *status)
{
	*status = registration__finalized();
	return ROCPROFILER_STATUS_SUCCESS;
}

/* The variable has runtimes of AMD's builds load this library though no tool's symbol is seen. */
rocprofiler_status_t rocprofiler_force_configure(rocprofiler_configure_func_t configure_func)
{
	if (!begin())
		return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
	setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
	initialize(configure_func);
	return ROCPROFILER_STATUS_SUCCESS;
}

ROCPROFILER_PUBLIC_API int rocprofiler_set_api_table(const char *name, uint64_t lib_version,
						     uint64_t lib_instance, void **tables,
						     uint64_t num_tables);

/* What rocprofiler-register calls with the tables of each runtime. 0, or an error. */
int rocprofiler_set_api_table(const char *name, uint64_t lib_version, uint64_t lib_instance,
			      void **tables, uint64_t num_tables)
{
	if (!name || !tables || !num_tables)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	runtimes__expect_tables(name);
	registration__initialize();
	return runtimes__set_tables(name, lib_version, lib_instance, tables, num_tables);
}
