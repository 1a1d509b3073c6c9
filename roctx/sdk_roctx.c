// SPDX-License-Identifier: MIT
/*
 * librocprofiler-sdk-roctx: every function goes through a table that a tool may have changed.
 *
 * The functions sdk__* are hidden. The public names are in sdk_entry.S, which gives each one an
 * entry that is cheap to probe and then jumps here.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "roctx/levels.h"
#include "roctx/resident.h"
#include "rocprofiler-sdk-roctx/api_trace.h"
#include "rocprofiler-sdk-roctx/version.h"

/* The targets of sdk_entry.S. */
void sdk__mark(const char *message);
int sdk__range_push(const char *message);
int sdk__range_pop(void);
roctx_range_id_t sdk__range_start(const char *message);
void sdk__range_stop(roctx_range_id_t id);
int sdk__get_thread_id(roctx_thread_id_t *tid);
int sdk__profiler_pause(roctx_thread_id_t tid);
int sdk__profiler_resume(roctx_thread_id_t tid);
int sdk__name_os_thread(const char *name);
int sdk__name_hsa_agent(const char *name, const struct hsa_agent_s *agent);
int sdk__name_hip_device(const char *name, int device_id);
int sdk__name_hip_stream(const char *name, const struct ihipStream_t *stream);
uint32_t sdk__version(void);

/* Those of them that are handed a text, as code. */
extern const volatile unsigned char sdk__mark_entry[], sdk__range_push_entry[],
	sdk__range_start_entry[], sdk__name_os_thread_entry[], sdk__name_hsa_agent_entry[],
	sdk__name_hip_device_entry[], sdk__name_hip_stream_entry[];

/* ---- what they do without a tool ---- */

static void mark(const char *message)
{
}

static int range_push(const char *message)
{
	return levels__push();
}

static int range_pop(void)
{
	return levels__pop();
}

static roctx_range_id_t range_start(const char *message)
{
	return levels__new_id();
}

static void range_stop(roctx_range_id_t id)
{
}

static int get_thread_id(roctx_thread_id_t *tid)
{
	if (!tid)
		return EINVAL;
	*tid = (roctx_thread_id_t)gettid();
	return 0;
}

static int control(roctx_thread_id_t tid)
{
	return 0;
}

static int name_os_thread(const char *name)
{
	return 0;
}

static int name_hsa_agent(const char *name, const struct hsa_agent_s *agent)
{
	return 0;
}

static int name_hip_device(const char *name, int device_id)
{
	return 0;
}

static int name_hip_stream(const char *name, const struct ihipStream_t *stream)
{
	return 0;
}

/* ---- the tables, and the tools that may change them ---- */

static roctxCoreApiTable_t core = {
	sizeof(core), mark, range_push, range_pop, range_start, range_stop, get_thread_id,
};

static roctxControlApiTable_t controls = {sizeof(controls), control, control};

static roctxNameApiTable_t names = {
	sizeof(names), name_os_thread, name_hsa_agent, name_hip_device, name_hip_stream,
};

/* Of librocprofiler-register, as its header has it; the result is an error, which is not ours. */
typedef int (*register_tables_t)(const char *name, uint32_t (*import)(void), uint32_t version,
				 void **tables, uint64_t count, uint64_t *id);

/* Of librocprofiler-sdk, which the other one calls. */
typedef int (*set_tables_t)(const char *name, uint64_t version, uint64_t instance, void **tables,
			    uint64_t count);

extern uint32_t rocprofiler_register_import_roctx(void);

/* HIP has it loaded, from 6.2 on; else it may still be there. */
static register_tables_t find_register(void)
{
	static const char function[] = "rocprofiler_register_library_api_table";
	register_tables_t found = (register_tables_t)dlsym(RTLD_DEFAULT, function);
	void *library = found ? NULL : dlopen("librocprofiler-register.so.0", RTLD_LAZY);

	return library ? (register_tables_t)dlsym(library, function) : found;
}

/* Without it a librocprofiler-sdk that is in the process receives the tables all the same. */
static void tell_tools(void)
{
	void *tables[] = {&core, &controls, &names};
	uint64_t id = 0, count = sizeof(tables) / sizeof(tables[0]);
	register_tables_t tell = find_register();
	set_tables_t set;

	if (tell) {
		tell("roctx", rocprofiler_register_import_roctx, ROCTX_VERSION, tables, count, &id);
		return;
	}
	set = (set_tables_t)dlsym(RTLD_DEFAULT, "rocprofiler_set_api_table");
	if (set)
		set("roctx", ROCTX_VERSION, 0, tables, count);
}

#define PATIENCE_MS 10000 /* for another thread that asks */

enum { UNASKED, ASKING, ASKED };

static int state;
static __thread bool asks;

/* So that no call of these threads is left out; but not for ever, as the tool may wait for one. */
static void wait_for_asker(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (int i = 0; i < PATIENCE_MS && __atomic_load_n(&state, __ATOMIC_ACQUIRE) != ASKED; i++)
		nanosleep(&pause, NULL);
	__atomic_store_n(&state, ASKED, __ATOMIC_RELEASE);
}

/* Once: the tool itself, while it goes on, finds the tables as they are. Other threads wait. */
static void ask_for_tools(void)
{
	int error = errno, before = UNASKED;

	if (asks)
		return;
	if (__atomic_compare_exchange_n(&state, &before, ASKING, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		asks = true;
		tell_tools();
		asks = false;
		__atomic_store_n(&state, ASKED, __ATOMIC_RELEASE);
	} else {
		wait_for_asker();
	}
	errno = error;
}

/* The thread that asks is not in the child. */
static void forked(void)
{
	if (state == ASKING)
		state = ASKED;
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
	resident__init();
}

static inline void prepare(void)
{
	if (__builtin_expect(__atomic_load_n(&state, __ATOMIC_ACQUIRE) != ASKED, 0))
		ask_for_tools();
}

/* A tool may exchange an entry while others call it. */
#define CALL(table, name, ...) \
	(prepare(), __atomic_load_n(&(table).name##_fn, __ATOMIC_RELAXED)(__VA_ARGS__))

/* ---- the public functions ---- */

void sdk__mark(const char *message)
{
	resident__make(message, sdk__mark_entry);
	CALL(core, roctxMarkA, message);
}

int sdk__range_push(const char *message)
{
	resident__make(message, sdk__range_push_entry);
	return CALL(core, roctxRangePushA, message);
}

int sdk__range_pop(void)
{
	return CALL(core, roctxRangePop);
}

roctx_range_id_t sdk__range_start(const char *message)
{
	resident__make(message, sdk__range_start_entry);
	return CALL(core, roctxRangeStartA, message);
}

void sdk__range_stop(roctx_range_id_t id)
{
	CALL(core, roctxRangeStop, id);
}

int sdk__get_thread_id(roctx_thread_id_t *tid)
{
	return CALL(core, roctxGetThreadId, tid);
}

int sdk__profiler_pause(roctx_thread_id_t tid)
{
	return CALL(controls, roctxProfilerPause, tid);
}

int sdk__profiler_resume(roctx_thread_id_t tid)
{
	return CALL(controls, roctxProfilerResume, tid);
}

int sdk__name_os_thread(const char *name)
{
	resident__make(name, sdk__name_os_thread_entry);
	return CALL(names, roctxNameOsThread, name);
}

int sdk__name_hsa_agent(const char *name, const struct hsa_agent_s *agent)
{
	resident__make(name, sdk__name_hsa_agent_entry);
	return CALL(names, roctxNameHsaAgent, name, agent);
}

int sdk__name_hip_device(const char *name, int device_id)
{
	resident__make(name, sdk__name_hip_device_entry);
	return CALL(names, roctxNameHipDevice, name, device_id);
}

int sdk__name_hip_stream(const char *name, const struct ihipStream_t *stream)
{
	resident__make(name, sdk__name_hip_stream_entry);
	return CALL(names, roctxNameHipStream, name, stream);
}

/* By which librocprofiler-register knows that the caller is such a library. */
uint32_t sdk__version(void)
{
	return ROCTX_VERSION;
}
