// SPDX-License-Identifier: MIT
/*
 * What is done with HSA's table when it comes, once in its life.
 */
#include "rocprofiler/hsa_runtime.h"

#include <stdbool.h>

#include "rocprofiler/allocations.h"
#include "rocprofiler/code_objects.h"
#include "rocprofiler/hsa_functions.h"
#include "rocprofiler/hsa_reference.h"
#include "rocprofiler/intercept_table.h"
#include "rocprofiler/queues.h"
#include "rocprofiler/registration.h"
#include "rocprofiler/roctracer_core.h"
#include "rocprofiler/runtime_initialization.h"
#include "rocprofiler/runtimes.h"
#include "rocprofiler/scratch.h"

/* A table that the thread is handed in at the moment. */
static __thread struct handed_in {
	uint64_t version, instance;
	bool shown;
} * handed_in;

static const HsaApiTable *last_shown;
static void (*unload)(void);

/* ---- as a tool ---- */

/* Inside of libroctracer64's functions: what is told of belongs to the call of HSA that does it. */
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

/* HSA tells tools no version, nor which of several it is. */
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
 * Where libroctracer64 has a table already, it is this one, as HSA has loaded tools before, or that
 * of a second HSA, whose calls are not traced.
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
