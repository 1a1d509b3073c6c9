// SPDX-License-Identifier: MIT
/*
 * libroctracer_tool.so: writes what libroctracer64 reports into the files that rocprof reads.
 *
 * The HSA runtime loads it, and what is wanted is enabled then. ROC-TX is enabled at once, as it
 * may be called before if the library is preloaded. Nothing is ever disabled: HIP goes on reporting
 * what GPUs did while the process ends. Lines are written when the runtime is shut down, when
 * exit() is called, and as the last thing when libraries have ended.
 */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inprocess/kernel_clock.h"
#include "inprocess/stderr_line.h"
#include "roctracer/hip_arguments.h"
#include "inprocess/loaded_libraries.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hsa.h"
#include "roctracer/tool/tool_internal.h"
#include "roctracer/tool/kernels.h"
#include "roctracer/tool/pending_kernels.h"
#include "roctracer/tool/lines.h"
#include "roctracer/tool/tool_thread.h"
#include "roctracer/tool/runtime.h"
#include "roctracer/tool/settings.h"

#define EXPORT __attribute__((visibility("default")))

/* After libroctracer64, which has 50. */
EXPORT extern const uint32_t HSA_AMD_TOOL_PRIORITY;
const uint32_t HSA_AMD_TOOL_PRIORITY = 1050;

EXPORT bool OnLoad(HsaApiTable *table, uint64_t runtime_version, uint64_t failed_count,
		   const char *const *failed_names);
EXPORT void OnUnload(void);

static int pid;
static roctracer_pool_t *pool;

void tool__warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	stderr_line__write("libroctracer_tool", fmt, args);
	va_end(args);
}

uint64_t tool__now(void)
{
	roctracer_timestamp_t now = 0;

	if (roctracer_get_timestamp(&now) == ROCTRACER_STATUS_SUCCESS && now)
		return now;
	return kernel_clock__boot_ns();
}

int tool__pid(void)
{
	return pid;
}

/* The pool is the tool's own: the default one may be the application's. */
void tool__flush(void)
{
	if (pool)
		roctracer_flush_activity_expl(pool);
	lines__flush();
}

bool tool__start_thread(void *(*function)(void *arg), void *arg)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, NULL, function, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_detach(thread);
	return !err;
}

/* ---- what is reported ---- */

/* Has roctracer done it? If not, the error is logged. */
static bool check(roctracer_status_t status, const char *subject)
{
	const char *why;

	if (status == ROCTRACER_STATUS_SUCCESS)
		return true;
	why = roctracer_error_string();
	tool__warn("%s: %s", subject, why ? why : "roctracer failed");
	free((void *)why);
	return false;
}

#define SET_DEVICE "hipSetDevice"

static void enable_set_device(bool lines)
{
	static const char with_lines;
	uint32_t op;

	if (!roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, SET_DEVICE, &op, NULL))
		check(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HIP_API, op,
						   calls__on_set_device,
						   lines ? (void *)&with_lines : NULL),
		      SET_DEVICE);
}

static void enable_functions(activity_domain_t domain, const char *names)
{
	char *copy = strdup(names), *rest = copy, *name;
	uint32_t op;

	while (copy && (name = strsep(&rest, " ,\t\n")))
		if (*name && check(roctracer_op_code(domain, name, &op, NULL), "ROCP_INPUT"))
			check(roctracer_enable_op_callback(domain, op, calls__on_call, NULL), name);
	free(copy);
}

static bool lists(const char *names, const char *wanted)
{
	size_t length = strlen(wanted);

	for (const char *at = names; (at = strstr(at, wanted)); at += length)
		if ((at == names || strchr(" ,\t\n", at[-1])) && strchr(" ,\t\n", at[length]))
			return true;
	return false;
}

static void enable_calls(activity_domain_t domain, const char *names)
{
	if (names)
		enable_functions(domain, names);
	else
		check(roctracer_enable_domain_callback(domain, calls__on_call, NULL),
		      "ROCTRACER_DOMAIN");
}

static bool open_pool(const struct settings *s)
{
	const roctracer_properties_t properties = {
		.buffer_size = s->buffer_size,
		.buffer_callback_fun = operations__on_records,
	};

	return pool || check(roctracer_open_pool_expl(&properties, &pool), "hcc_ops_trace.txt");
}

/* An operation is in one file: HIP's, which has kernels as well, if HIP is traced. */
static void enable_operations(const struct settings *s, bool hip)
{
	if ((!hip && !s->wanted.hsa_ops) || !open_pool(s))
		return;
	if (hip)
		check(roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HIP_OPS, pool),
		      "hcc_ops_trace.txt");
	else
		check(roctracer_enable_op_activity_expl(ACTIVITY_DOMAIN_HSA_OPS, HSA_OP_ID_COPY,
							pool),
		      "async_copy_trace.txt");
}

static void enable_ranges(void)
{
	check(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_ROCTX, ranges__on_call, NULL),
	      "roctx_trace.txt");
}

static void enable_hip(const struct settings *s)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hip_arguments__init);
	enable_calls(ACTIVITY_DOMAIN_HIP_API, s->wanted.hip_functions);
	enable_set_device(!s->wanted.hip_functions || lists(s->wanted.hip_functions, SET_DEVICE));
}

static void enable(const struct settings *s)
{
	bool hip = s->wanted.hip && libs__find("libamdhip64.so");

	if (s->wanted.roctx)
		enable_ranges();
	if (hip)
		enable_hip(s);
	enable_operations(s, hip);
	if (s->wanted.hsa)
		enable_calls(ACTIVITY_DOMAIN_HSA_API, s->wanted.hsa_functions);
}

/* ---- begin and end ---- */

static void write_begin(void)
{
	struct textbuf *t = lines__begin(lines__shared(), FILE_BEGIN);

	text_buffer__uint(t, tool__now());
	text_buffer__char(t, '\n');
	lines__end(lines__shared(), FILE_BEGIN);
	lines__flush();
}

static void once(void)
{
	atexit(tool__flush);
	periods__start();
}

bool OnLoad(HsaApiTable *table, uint64_t runtime_version, uint64_t failed_count,
	    const char *const *failed_names)
{
	static pthread_once_t first = PTHREAD_ONCE_INIT;
	const struct settings *s = settings__get();

	if (s->wanted.hip || s->wanted.hsa || s->wanted.hsa_ops)
		runtime__loaded(table, runtime_version);
	if (!out__open(s->folder))
		return true;
	write_begin();
	if (!out__goes_on())
		return true;
	runtime__write_handles(table);
	lines__flush();
	pthread_once(&first, once);
	enable(s);
	return true;
}

void OnUnload(void)
{
	tool__flush();
	runtime__unloaded();
}

static void forked(void)
{
	pid = getpid();
	kernels__unlock();
	launched__forked();
	out__forked();
	own__forked();
}

static bool calls_roctx(void)
{
	return (getenv("ROCTRACER_DOMAIN") || getenv("ROCP_INPUT")) && libs__find("libroctx64.so");
}

/* It may be preloaded into programs that have nothing to do with GPUs: there nothing is logged. */
__attribute__((constructor)) static void init(void)
{
	pid = getpid();
	pthread_atfork(kernels__lock, kernels__unlock, forked);
	if (calls_roctx() && settings__get()->wanted.roctx && out__open(settings__get()->folder))
		enable_ranges();
}

__attribute__((destructor)) static void end(void)
{
	tool__flush();
	out__stop();
}
