/* SPDX-License-Identifier: MIT */
/*
 * librtrace-agent.so: what the HSA runtime calls when it loads and unloads the tool.
 *
 * The library stays in memory once loaded (-z nodelete), and so does the shared memory:
 * hsa_shut_down followed by hsa_init goes on with the same ring.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hsa_agent/core.h"

#define EXPORT __attribute__((visibility("default")))

bool OnLoad(HsaApiTable *table, uint64_t runtime_version, uint64_t failed_count,
	    const char *const *failed_names);
void OnUnload(void);

struct agent agent;

static __thread uint32_t tls_tid __attribute__((tls_model("initial-exec")));

uint32_t agent_tid(void)
{
	if (unlikely(!tls_tid))
		tls_tid = syscall(SYS_gettid);
	return tls_tid;
}

/* One write for the whole line: others write to stderr too. */
static void say(const char *fmt, va_list args)
{
	static const char prefix[] = "rtrace-agent: ";
	char line[512];
	int n = sizeof(prefix) - 1;

	memcpy(line, prefix, n);
	n += vsnprintf(line + n, sizeof(line) - n - 1, fmt, args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, n) < 0)
		return;
}

void agent_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void agent_say(const char *fmt, ...)
{
	va_list args;

	if (!agent.verbose)
		return;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void agent_fail(const char *fmt, ...)
{
	va_list args;

	__atomic_store_n(&agent.active, 0, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&agent.off, 1, __ATOMIC_RELAXED))
		return;
	if (agent.shm.base) {
		agent.shm.state->active = 0;
		agent.shm.state->failed = 1;
	}
	va_start(args, fmt);
	say(fmt, args);
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
	agent.off = 1;
	tls_tid = 0;
	shm_disown(&agent.shm);
	agent.shm.base = NULL;
	queues_forked();
	copies_forked();
	signals_forked();
	shadow_forked();
	reaper_forked();
}

/*
 * Most programs end without hsa_shut_down, so OnUnload never comes. This runs before the
 * destructors of the libraries that were there before us, so the runtime is still usable.
 */
static void exiting(void)
{
	reaper_stop();
	__atomic_store_n(&agent.off, 1, __ATOMIC_RELAXED);
}

static uint32_t ring_slots(void)
{
	const char *env = getenv("RTRACE_AGENT_RING");
	unsigned long n = env ? strtoul(env, NULL, 0) : RT_AGENT_SLOTS;

	if (n < 16 || n > RT_AGENT_SLOTS_MAX || (n & (n - 1))) {
		agent_warn("RTRACE_AGENT_RING=%s is not a power of two from 16 to 67108864: "
			   "using %u",
			   env, RT_AGENT_SLOTS);
		return RT_AGENT_SLOTS;
	}
	return n;
}

static bool start(const HsaApiTable *table, bool recording)
{
	static bool hooked;
	int err = 0;

	agent.off = 0;
	if (!agent.shm.base)
		err = shm_create(&agent.shm, ring_slots(), table->version.major_id,
				 table->version.minor_id);
	if (err) {
		agent_fail("shared memory, %s: %s", RT_AGENT_MEMFD, strerror(-err));
		return false;
	}
	if (!hooked) {
		pthread_atfork(NULL, NULL, forked);
		atexit(exiting);
		hooked = true;
	}
	err = devices_init();
	if (!err)
		err = reaper_start(recording);
	if (err)
		agent_fail("start: %s", strerror(-err));
	return !err;
}

EXPORT bool OnLoad(HsaApiTable *table, uint64_t runtime_version, uint64_t failed_count,
		   const char *const *failed_names)
{
	const char *mode = getenv("RTRACE_AGENT");

	agent.verbose = getenv("RTRACE_AGENT_LOG") != NULL;
	if (mode && !strcmp(mode, "off"))
		return true;
	if (!tables_save(table) || !start(table, mode && !strcmp(mode, "active")))
		return false;
	tables_wrap(table);
	agent_say("loaded, HSA API table %u", table->version.major_id);
	return true;
}

EXPORT void OnUnload(void)
{
	if (!agent.shm.base)
		return;
	reaper_stop();
	__atomic_store_n(&agent.off, 1, __ATOMIC_RELAXED);
	queues_release();
	copies_release();
	signals_release();
	agent_say("unloaded");
}
