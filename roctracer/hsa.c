// SPDX-License-Identifier: MIT
/*
 * ACTIVITY_DOMAIN_HSA_API: what the HSA runtime calls when it loads this library as a tool, and
 * what the wrappers of its functions (hsa_api.c) call.
 *
 * From ROCm 5.3 on the runtime loads as a tool each library in the process that has the symbol
 * HSA_AMD_TOOL_PRIORITY. Before, it loads only those that HSA_TOOLS_LIB names: if that does not
 * name this one, HSA's calls cannot be reported.
 */
#include "roctracer/hsa.h"

#include <dlfcn.h>

#include "roctracer/hsa_api.h"
#include "roctracer/hsa_events.h"
#include "roctracer/hsa_ops.h"
#include "inprocess/hsa_tables_known.h"
#include "roctracer/kfd/kfd.h"
#include "inprocess/loaded_libraries.h"
#include "abi/roctracer_subscriber.h"

#define EXPORT __attribute__((visibility("default")))

/* Tools are loaded in the order of their numbers; ours is ROCm's. */
EXPORT extern const uint32_t HSA_AMD_TOOL_PRIORITY;
const uint32_t HSA_AMD_TOOL_PRIORITY = 50;

EXPORT bool OnLoad(HsaApiTable *table, uint64_t runtime_version, uint64_t failed_count,
		   const char *const *failed_names);
EXPORT void OnUnload(void);

TABLE(hsa_calls, ACTIVITY_DOMAIN_HSA_API, HSA_API_ID_NUMBER);

typedef hsa_status_t get_info_fn(hsa_system_info_t attribute, void *value);

static bool initialised;
static bool loaded;		   /* between OnLoad and OnUnload */
static get_info_fn *real_get_info; /* as long as that */

/* ---- calls ---- */

void roctracer_hsa_enter(uint32_t op, struct hsa_api_trace *trace)
{
	trace->api_data.phase_data = &trace->call.phase_data;
	call__begin(&hsa_calls, op, (struct call_data *)&trace->api_data, &trace->call, true);
}

void roctracer_hsa_exit(uint32_t op, struct hsa_api_trace *trace)
{
	call__end(&hsa_calls, op, (struct call_data *)&trace->api_data, &trace->call);
}

void hsa__engage(void)
{
	call__set_wanted(&hsa_calls, hsa_api_enabled);
}

/* ---- the runtime ---- */

/* A table of a version that is not known is not looked into. */
static void keep_get_info(const HsaApiTable *table)
{
	if (hsa_table_known_root(table) && hsa_table_known_core(table->core_))
		__atomic_store_n(&real_get_info, table->core_->hsa_system_get_info_fn,
				 __ATOMIC_RELEASE);
}

/*
 * A second time (HSA_TOOLS_LIB names us twice, or a tool calls it for a runtime that does not)
 * others have wrapped what we did since. To wrap them again would be to call each other for ever.
 */
bool OnLoad(HsaApiTable *table, uint64_t runtime_version, uint64_t failed_count,
	    const char *const *failed_names)
{
	if (loaded)
		return true;
	loaded = true;
	keep_get_info(table);
	hsa_ops__load(table, runtime_version, failed_count, failed_names);
	if (subscriber_of_calls && subscriber_of_calls->hsa_loading)
		subscriber_of_calls->hsa_loading(table);
	hsa_events__wrap(table);
	hsa_api__wrap(table);
	kfd__engage();
	__atomic_store_n(&initialised, true, __ATOMIC_RELAXED);
	if (subscriber_of_calls && subscriber_of_calls->hsa_loaded)
		subscriber_of_calls->hsa_loaded(table, runtime_version);
	return true;
}

/* The runtime takes the wrappers out itself. */
void OnUnload(void)
{
	if (loaded && subscriber_of_calls && subscriber_of_calls->hsa_unloaded)
		subscriber_of_calls->hsa_unloaded();
	if (loaded)
		hsa_ops__unload();
	loaded = false;
	__atomic_store_n(&real_get_info, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&initialised, false, __ATOMIC_RELAXED);
}

/* False: it is not initialised. If the runtime has loaded us, this call is not reported. */
static bool ask_runtime(hsa_system_info_t attribute, uint64_t *value)
{
	get_info_fn *get_info = __atomic_load_n(&real_get_info, __ATOMIC_ACQUIRE);
	void *lib = get_info ? NULL : libs__find("libhsa-runtime64.so");

	if (lib)
		get_info = dlsym(lib, "hsa_system_get_info");
	return get_info && get_info(attribute, value) == HSA_STATUS_SUCCESS;
}

/* Where the runtime has not loaded us, it is asked; once it is initialised that is remembered. */
bool hsa__is_initialised(void)
{
	uint64_t time;

	if (__atomic_load_n(&initialised, __ATOMIC_RELAXED))
		return true;
	if (!ask_runtime(HSA_SYSTEM_INFO_TIMESTAMP, &time))
		return false;
	__atomic_store_n(&initialised, true, __ATOMIC_RELAXED);
	return true;
}

uint64_t hsa__to_ns(uint64_t time)
{
	static uint64_t frequency;
	uint64_t hz = __atomic_load_n(&frequency, __ATOMIC_RELAXED);

	if (!hz && !ask_runtime(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &hz))
		return time;
	__atomic_store_n(&frequency, hz, __ATOMIC_RELAXED);
	return hz == 1000000000 || !hz ? time : (unsigned __int128)time * 1000000000 / hz;
}
