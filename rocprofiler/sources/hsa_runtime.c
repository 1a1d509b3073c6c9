// SPDX-License-Identifier: MIT
/*
 * What is done with HSA's table when it comes, once in its life.
 */
#include "rocprofiler/sources/hsa_runtime.h"

#include <stdbool.h>

#include "rocprofiler/sources/allocations.h"
#include "rocprofiler/sources/code_objects.h"
#include "rocprofiler/sources/hsa_functions.h"
#include "rocprofiler/sources/hsa_reference.h"
#include "rocprofiler/service/intercept_table.h"
#include "rocprofiler/sources/queues.h"
#include "rocprofiler/service/registration.h"
#include "rocprofiler/sources/roctracer_core.h"
#include "rocprofiler/sources/runtime_initialization.h"
#include "rocprofiler/service/runtimes.h"
#include "rocprofiler/sources/scratch.h"

/* A table that the thread is handed in at the moment. */
static __thread struct handed_in {
	uint64_t version, instance;
	bool shown;
} * handed_in;

static const HsaApiTable *last_shown;
static void (*unload)(void);

/* ---- as a tool ---- */

/* Called inside libroctracer64's functions: operations belong to the HSA call that makes them. */
void hsa_runtime__loading(HsaApiTable *table)
{
	if (!hsa_functions__keep(table))
		return;
	code_objects__wrap(table);
	allocations__wrap(table);
	queues__wrap(table);
	scratch__wrap(table);
	if (handed_in)
		hsa_reference__wrap(table, unload);
}

static void show(HsaApiTable *table, uint64_t version, uint64_t instance)
{
	last_shown = table;
	runtimes__tell_initialized(ROCPROFILER_RUNTIME_INITIALIZATION_HSA, version, instance);
	intercept__tell(ROCPROFILER_HSA_TABLE, version, instance, table);
}

/* HSA passes tools neither its version nor its instance. */
void hsa_runtime__loaded(HsaApiTable *table, uint64_t version)
{
	static uint64_t instances;
	uint64_t instance = __atomic_fetch_add(&instances, 1, __ATOMIC_RELAXED);

	registration__initialize();
	registration__end_before();   /* HIP has registered for exit */
	runtimes__services_changed(); /* HIP may be there by now */
	if (handed_in)
		handed_in->shown = true;
	else
		version = initialization__version_of("libhsa-runtime64.so");
	show(table, handed_in ? handed_in->version : version,
	     handed_in ? handed_in->instance : instance);
}

/* ---- by its table ---- */

/*
 * If libroctracer64 has a table already, it is this one, as HSA has loaded tools before, or that of
 * a second HSA. Calls of the second HSA are not traced.
 */
void hsa_runtime__set_table(const struct roctracer_core *core, HsaApiTable *table, uint64_t version,
			    uint64_t instance)
{
	struct handed_in h = {version, instance, false};

	if (core && hsa_table_known_root(table)) {
		handed_in = &h;
		unload = core->on_unload;
		core->on_load(table, table->version.major_id, 0, NULL);
		handed_in = NULL;
	}
	if (!h.shown && table != last_shown)
		show(table, version, instance);
}
