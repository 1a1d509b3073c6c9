// SPDX-License-Identifier: MIT
/*
 * Learns of runtimes: by their tables, as rocprofiler-register has them registered, or through
 * libroctracer64, which HSA loads as a tool and to which HIP reports calls. When the first runtime
 * is found, tools are looked for.
 */
#include "rocprofiler/service/runtimes.h"

#include <string.h>

#include <rocprofiler-sdk/fwd.h>

#include "rocprofiler/sources/calls.h"
#include "rocprofiler/sources/code_objects.h"
#include "rocprofiler/sources/gpu_work.h"
#include "rocprofiler/sources/hip_tables.h"
#include "rocprofiler/sources/hsa_runtime.h"
#include "rocprofiler/service/intercept_table.h"
#include "rocprofiler/sources/markers.h"
#include "rocprofiler/service/registration.h"
#include "rocprofiler/service/retirement.h"
#include "rocprofiler/sources/roctracer_core.h"
#include "rocprofiler/sources/runtime_initialization.h"
#include "roctracer/ext/prof_protocol.h"
#include "inprocess/loaded_libraries.h"

#define TABLES_MAX 3

static const struct registered {
	const char *name;
	rocprofiler_runtime_initialization_operation_t runtime; /* NONE: a part of one */
	uint32_t count;
	rocprofiler_intercept_table_t types[TABLES_MAX];
} runtimes[] = {
	{"hsa", ROCPROFILER_RUNTIME_INITIALIZATION_HSA, 1, {ROCPROFILER_HSA_TABLE}},
	{"hip", ROCPROFILER_RUNTIME_INITIALIZATION_HIP, 1, {ROCPROFILER_HIP_RUNTIME_TABLE}},
	{"hip_compiler",
	 ROCPROFILER_RUNTIME_INITIALIZATION_NONE,
	 1,
	 {ROCPROFILER_HIP_COMPILER_TABLE}},
	{"roctx",
	 ROCPROFILER_RUNTIME_INITIALIZATION_MARKER,
	 3,
	 {ROCPROFILER_MARKER_CORE_TABLE, ROCPROFILER_MARKER_CONTROL_TABLE,
	  ROCPROFILER_MARKER_NAME_TABLE}},
	{"rccl", ROCPROFILER_RUNTIME_INITIALIZATION_RCCL, 1, {ROCPROFILER_RCCL_TABLE}},
	{"rocdecode",
	 ROCPROFILER_RUNTIME_INITIALIZATION_ROCDECODE,
	 1,
	 {ROCPROFILER_ROCDECODE_TABLE}},
	{"rocjpeg", ROCPROFILER_RUNTIME_INITIALIZATION_ROCJPEG, 1, {ROCPROFILER_ROCJPEG_TABLE}},
};

static const struct registered *find(const char *name)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (!strcmp(runtimes[i].name, name))
			return &runtimes[i];
	return NULL;
}

/* HSA and HIP may be found in two ways, and are reported once: bits, by runtime. */
static uint32_t told;

static bool is_told(rocprofiler_runtime_initialization_operation_t runtime)
{
	return __atomic_load_n(&told, __ATOMIC_ACQUIRE) >> runtime & 1;
}

static bool tell_once(rocprofiler_runtime_initialization_operation_t runtime, uint64_t version)
{
	if (__atomic_fetch_or(&told, 1U << runtime, __ATOMIC_ACQ_REL) >> runtime & 1)
		return false;
	initialization__tell(runtime, version, 0);
	return true;
}

void runtimes__tell_initialized(rocprofiler_runtime_initialization_operation_t runtime,
				uint64_t version, uint64_t instance)
{
	if (!instance && runtime)
		tell_once(runtime, version);
	else if (runtime)
		initialization__tell(runtime, version, instance);
}

/* ---- libroctracer64 ---- */

/* All calls were listened to if only this is wanted. */
static void hear_of_hip(void)
{
	if (registration__initialized() == 1 &&
	    tell_once(ROCPROFILER_RUNTIME_INITIALIZATION_HIP,
		      initialization__version_of("libamdhip64.so")) &&
	    initialization__is_wanted())
		runtimes__services_changed();
}

static void begin(uint32_t domain, uint32_t op, const void *data)
{
	if (__builtin_expect(registration__initialized() != 1, 0))
		registration__initialize();
	if (__builtin_expect(!is_told(ROCPROFILER_RUNTIME_INITIALIZATION_HIP), 0) &&
	    domain == ACTIVITY_DOMAIN_HIP_API)
		hear_of_hip();
	calls__begin(domain, op, data);
}

static const struct rtrace_subscriber subscriber = {
	.begin = begin,
	.end = calls__end,
	.hsa_loading = hsa_runtime__loading,
	.hsa_loaded = hsa_runtime__loaded,
	.hsa_unloaded = runtimes__end,
	.wants = gpu_work__wants,
	.in = operation__in,
	.hold = retirement__hold,
	.release = gpu_work__release,
	.submitted = gpu_work__submitted,
	.ended = gpu_work__ended,
};

/* ---- tables that are handed in ---- */

static bool hip_has_tables;

bool runtimes__may_have_hip_tables(void)
{
	void *hip = libs__find("libamdhip64.so");

	return !hip || __atomic_load_n(&hip_has_tables, __ATOMIC_ACQUIRE) ||
	       libs__needs(hip, "librocprofiler-register.so");
}

void runtimes__expect_tables(const char *name)
{
	if (!strncmp(name, "hip", strlen("hip")))
		__atomic_store_n(&hip_has_tables, true, __ATOMIC_RELEASE);
}

/* Our functions are put into it. */
static void wrap(rocprofiler_intercept_table_t first, void **tables)
{
	switch (first) {
	case ROCPROFILER_HIP_RUNTIME_TABLE:
	case ROCPROFILER_HIP_COMPILER_TABLE:
		hip_tables__set(first, tables[0]);
		break;
	case ROCPROFILER_MARKER_CORE_TABLE:
		markers__set_tables(tables);
		break;
	default:
		break;
	}
}

int runtimes__set_tables(const char *name, uint64_t version, uint64_t instance, void **tables,
			 uint64_t count)
{
	const struct registered *r = find(name);

	if (!r || count < r->count)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	if (r->types[0] == ROCPROFILER_HSA_TABLE) {
		hsa_runtime__set_table(roctracer_core__subscribe(&subscriber), tables[0], version,
				       instance);
		return ROCPROFILER_STATUS_SUCCESS;
	}
	wrap(r->types[0], tables);
	runtimes__tell_initialized(r->runtime, version, instance);
	runtimes__services_changed(); /* they come from there now */
	for (uint32_t j = 0; j < r->count; j++)
		intercept__tell(r->types[j], version, instance, tables[j]);
	return ROCPROFILER_STATUS_SUCCESS;
}

/*
 * If HIP is in the process already, its first call is the first sign of a runtime.
 */
__attribute__((constructor)) static void wait_for_hip(void)
{
	const struct roctracer_core *core = roctracer_core__subscribe(&subscriber);

	if (core && libs__find("libamdhip64.so"))
		calls__engage(core, true);
}

/* For HSA_TOOLS_LIB, which an HSA runtime up to 5.2 needs to report its calls. */
ROCPROFILER_API bool OnLoad(HsaApiTable *table, uint64_t version, uint64_t failed_count,
			    const char *const *failed_names);
ROCPROFILER_API void OnUnload(void);

bool OnLoad(HsaApiTable *table, uint64_t version, uint64_t failed_count,
	    const char *const *failed_names)
{
	const struct roctracer_core *core = roctracer_core__subscribe(&subscriber);

	return !core || core->on_load(table, version, failed_count, failed_names);
}

void OnUnload(void)
{
	const struct roctracer_core *core = roctracer_core__subscribe(&subscriber);

	if (core)
		core->on_unload();
}

void runtimes__initialize(void)
{
	runtimes__services_changed();
}

void runtimes__services_changed(void)
{
	const struct roctracer_core *core = roctracer_core__subscribe(&subscriber);

	hip_tables__services_changed();
	markers__services_changed();
	if (!core)
		return;
	calls__engage(core, initialization__is_wanted() &&
				    !is_told(ROCPROFILER_RUNTIME_INITIALIZATION_HIP));
	core->want_operations();
}

static void collect(void)
{
	const struct roctracer_core *core = roctracer_core__subscribe(&subscriber);

	if (core)
		core->want_operations();
}

void runtimes__wait(void)
{
	gpu_work__wait(collect, false);
}

void runtimes__have_told(void)
{
	gpu_work__wait(collect, true);
}

void runtimes__end(void)
{
	runtimes__wait();
	code_objects__unload_all();
}

void runtimes__finalize(void)
{
	gpu_work__finalize();
}
