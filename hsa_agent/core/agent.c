/* SPDX-License-Identifier: MIT */
/*
 * librtrace-agent.so: what the HSA runtime calls when it loads and unloads the tool.
 *
 * The library stays in memory once loaded (-z nodelete), and so does the shared memory:
 * hsa_shut_down followed by hsa_init goes on with the same ring.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa_agent/calls/bind_stubs.h"
#include "hsa_agent/gpu/code_objects.h"
#include "hsa_agent/core/agent_internal.h"
#include "inprocess/held_signals.h"
#include "hsa_agent/core/other_runtimes.h"
#include "hsa_agent/gpu/signal_relay.h"
#include "inprocess/kernel_clock.h"
#include "inprocess/raw_syscall.h"
#include "inprocess/stderr_line.h"
#include "hsa_agent/calls/call_stubs.h"

#define EXPORT __attribute__((visibility("default")))

bool OnLoad(HsaApiTable *table, uint64_t runtime_version, uint64_t failed_count,
	    const char *const *failed_names);
void OnUnload(void);

struct agent agent;

static __thread uint32_t tls_tid __attribute__((tls_model("initial-exec")));

uint32_t agent__tid(void)
{
	if (unlikely(!tls_tid))
		tls_tid = raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	return tls_tid;
}

struct rt_agent_rec *agent__claim(enum rt_agent_kind kind, enum rt_agent_what what, uint64_t begin,
				  uint64_t *pos)
{
	struct rt_agent_rec *rec =
		agent_active() ? shared_memory__claim(&agent.shm, kind, pos) : NULL;

	if (!rec) {
		if (unlikely(agent.off) && agent.shm.base && agent_asked())
			shared_memory__lose(&agent.shm, kind);
		return NULL;
	}
	rec->tid = agent__tid();
	rec->op = agent_next_op();
	rec->time = call_spans__now();
	call_spans__in(&rec->corr, &rec->root);
	rec->resource.what = what;
	rec->resource.begin = begin ? begin : rec->time;
	return rec;
}

void agent__warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	stderr_line__write("rtrace-agent", fmt, args);
	va_end(args);
}

void agent__say(const char *fmt, ...)
{
	va_list args;

	if (!agent.verbose)
		return;
	va_start(args, fmt);
	stderr_line__write("rtrace-agent", fmt, args);
	va_end(args);
}

void agent__fail(const char *fmt, ...)
{
	va_list args;

	__atomic_store_n(&agent.active, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&agent.told, 0, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&agent.off, 1, __ATOMIC_RELAXED))
		return;
	if (agent.shm.base) {
		agent.shm.state->active = 0;
		agent.shm.state->failed = 1;
	}
	va_start(args, fmt);
	stderr_line__write("rtrace-agent", fmt, args);
	va_end(args);
}

/*
 * A forked child has the parent's memory but neither its threads nor its GPU queues. Whatever the
 * child does with the inherited runtime, nothing of it belongs into the parent's records; if it
 * initialises a runtime of its own, OnLoad starts afresh.
 */
static void forked(void)
{
	agent.active = 0;
	agent.told = 0;
	agent.tracer = 0;
	agent.watching = 0;
	agent.off = 1;
	tls_tid = 0;
	call_stubs__use(NULL);
	call_spans__use(NULL);
	shared_memory__disown(&agent.shm);
	agent.shm.base = NULL;
	queues__forked();
	copies__forked();
	signal_relay__forked();
	kernels__forked();
	signals__forked();
	shadow__forked();
	reaper__forked();
}

/* In another pid namespace there is none of that number, or another process. */
static bool tracer_lives(void)
{
	return agent.tracer > 0 && (!kill(agent.tracer, 0) || errno == EPERM);
}

/*
 * What was recorded is in memory that ends with the process, unless the tracer has it. A tracer
 * that launched us learned of the memory when it was made, and is about to come.
 */
static void wait_for_tracer(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const __u64 *heartbeat;
	uint64_t begin = kernel_clock__boot_ns();

	if (!agent.shm.base)
		return;
	heartbeat = &agent.shm.control->heartbeat;
	while (!__atomic_load_n(heartbeat, __ATOMIC_ACQUIRE) && tracer_lives() &&
	       kernel_clock__boot_ns() - begin < RT_AGENT_EXIT_NS)
		nanosleep(&pause, NULL);
}

/* The first that the agent learns of the end. The program may work on: see ending(). */
static void exiting(void)
{
	wait_for_tracer();
}

/*
 * Most programs end without hsa_shut_down, so OnUnload never comes. What is older than the runtime
 * may use the GPU until it is destroyed itself: static objects of the program, and libraries. The
 * loader destroys this library after those that were there before; the runtime goes on after its
 * own destructors, as it was not shut down.
 */
static void __attribute__((destructor)) ending(void)
{
	reaper__stop();
	__atomic_store_n(&agent.off, 1, __ATOMIC_RELAXED);
}

static uint32_t ring_slots(void)
{
	const char *env = getenv("RTRACE_AGENT_RING");
	unsigned long n = env ? strtoul(env, NULL, 0) : RT_AGENT_SLOTS;

	if (n < 16 || n > RT_AGENT_SLOTS_MAX || (n & (n - 1))) {
		agent__warn("RTRACE_AGENT_RING=%s is not a power of two from 16 to 67108864: "
			    "using %u",
			    env, RT_AGENT_SLOTS);
		return RT_AGENT_SLOTS;
	}
	return n;
}

static void prepare_calls(void)
{
	struct spans_area area = call_spans__area_at(agent.shm.base + agent.shm.header->spans_off);

	call_spans__use(&area);
	call_stubs__use(&area);
	bind_stubs__init();
}

/* What the tracer that has started the command will ask for, as soon as it reaches the memory. */
static uint32_t first_wants(bool recording)
{
	const char *env = recording ? getenv("RTRACE_AGENT_WANTS") : NULL;

	return env ? strtoul(env, NULL, 0) : 0;
}

static int make_memory(const HsaApiTable *table, bool recording)
{
	struct held_signals held;
	int err;

	if (agent.shm.base)
		return 0;
	held_signals__begin(&held); /* it may be larger than the application's files may be */
	err = shared_memory__create(&agent.shm, ring_slots(), table->version.major_id,
				    table->version.minor_id);
	held_signals__end(&held);
	if (err)
		return err;
	agent.shm.header->awaited = agent.tracer > 0 ? agent.tracer : 0;
	agent.wants = agent.shm.control->wants = first_wants(recording);
	if (agent.shm.header->spans_off)
		prepare_calls();
	shared_memory__announce(&agent.shm);
	return 0;
}

static bool start(const HsaApiTable *table, bool recording)
{
	static bool hooked;
	int err;

	agent.off = 0;
	err = make_memory(table, recording);
	if (err) {
		agent__fail("shared memory, %s: %s", RT_AGENT_MEMFD, strerror(-err));
		return false;
	}
	if (!hooked) {
		pthread_atfork(NULL, NULL, forked);
		atexit(exiting);
		hooked = true;
	}
	signals__init();
	err = devices__init();
	if (!err) {
		memory__init();
		code_objects__init();
		err = reaper__start(recording);
	}
	if (err)
		agent__fail("start: %s", strerror(-err));
	return !err;
}

static void tell_runtime(enum rt_agent_what what, uint64_t begin)
{
	uint64_t pos;
	struct rt_agent_rec *rec = agent__claim(RT_AGENT_RUNTIME, what, begin, &pos);

	if (rec)
		shared_memory__publish(rec, pos);
}

/* What the runtime reports about itself. */
static void describe_runtime(const HsaApiTable *table)
{
	struct rt_meta_runtime rec = {.h = {RT_META_RUNTIME, sizeof(rec)}};
	const char *build = NULL;
	uint16_t major = 0, minor = 0;

	hsa.core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_VERSION_MAJOR, &major);
	hsa.core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_VERSION_MINOR, &minor);
	rec.time = kernel_clock__boot_ns();
	rec.tid = agent__tid();
	rec.major = major;
	rec.minor = minor;
	rec.interface_size = table->amd_ext_->version.minor_id;
	if (!hsa.core.hsa_system_get_info_fn((hsa_system_info_t)HSA_AMD_SYSTEM_INFO_BUILD_VERSION,
					     &build) &&
	    build)
		strncpy(rec.build, build, sizeof(rec.build) - 1);
	shared_memory__meta(&agent.shm, &rec.h);
}

/* Between OnLoad and OnUnload. A library named twice in HSA_TOOLS_LIB gets both twice. */
static bool loaded;

/*
 * The memory of another instance of this agent, which was loaded before: another file of it, one of
 * the job's own and one that a tracer has named; or the same in another namespace of the loader.
 */
static void *memory_of_another(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	void *found = NULL;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps))
		if (strstr(line, "/memfd:" RT_AGENT_MEMFD))
			found = (void *)strtoul(line, NULL, 16);
	if (maps)
		fclose(maps);
	return found;
}

/* Does the agent with that memory serve another runtime than that of the table? */
static bool serves_another(const void *memory, const HsaApiTable *table)
{
	const struct rt_agent_header *h = memory;
	const struct rt_agent_state *state = memory + RT_AGENT_STATE;

	return h->magic == RT_AGENT_MAGIC && h->version == RT_AGENT_VERSION && state->runtime &&
	       state->runtime != (uint64_t)table->core_;
}

/* The memory of the agent that is in use already; NULL: there is none. */
static void *memory_in_use(void)
{
	if (loaded)
		return agent.shm.base;
	return agent.shm.base ? NULL : memory_of_another();
}

EXPORT bool OnLoad(HsaApiTable *table, uint64_t runtime_version, uint64_t failed_count,
		   const char *const *failed_names)
{
	const char *mode = getenv("RTRACE_AGENT"), *tracer = getenv("RTRACE_AGENT_TRACER");
	bool recording = mode && !strcmp(mode, "active");
	uint64_t begin = kernel_clock__boot_ns();
	void *in_use;

	agent.tracer = recording && tracer ? atoi(tracer) : 0;
	agent.verbose = getenv("RTRACE_AGENT_LOG") != NULL;
	if (mode && !strcmp(mode, "off"))
		return true;
	/* A runtime has one agent: two would take the times from each other's signals. */
	in_use = memory_in_use();
	if (in_use && !serves_another(in_use, table))
		return true;
	if (in_use) {
		others__count(table, in_use);
		return false; /* so that it does not call OnUnload, which is for the one served */
	}
	if (!tables__save(table) || !start(table, recording))
		return false;
	describe_runtime(table);
	tell_runtime(RT_WHAT_RUNTIME_INIT, begin);
	agent.shm.state->runtime = (uint64_t)table->core_;
	tables__wrap(table);
	loaded = true;
	agent__say("loaded, HSA API table %u", table->version.major_id);
	return true;
}

EXPORT void OnUnload(void)
{
	struct rt_meta_runtime_end rec = {.h = {RT_META_RUNTIME_END, sizeof(rec)}};

	if (!loaded)
		return;
	loaded = false;
	if (!agent.shm.base)
		return;
	kernels__release();
	tell_runtime(RT_WHAT_RUNTIME_END, 0);
	rec.time = kernel_clock__boot_ns();
	shared_memory__meta(&agent.shm, &rec.h);
	reaper__stop();
	__atomic_store_n(&agent.off, 1, __ATOMIC_RELAXED);
	queues__release();
	copies__release();
	signal_relay__release();
	signals__release();
	agent__say("unloaded");
}
