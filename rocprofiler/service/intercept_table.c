// SPDX-License-Identifier: MIT
/*
 * The callbacks that get the runtimes' tables. The list is only added to, and is fixed once tools
 * have been initialised.
 */
#include "rocprofiler/service/intercept_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/intercept_table.h>

#include "rocprofiler/service/registration.h"
#include "rocprofiler/service/runtimes.h"
#include "rocprofiler/support/tables.h"

#define ALL (2 * ROCPROFILER_TABLE_LAST - 1)
#define HIP (ROCPROFILER_HIP_RUNTIME_TABLE | ROCPROFILER_HIP_COMPILER_TABLE)

struct request {
	struct request *next;
	struct tool *tool; /* NULL: the tool is not known */
	rocprofiler_intercept_library_cb_t callback;
	int tables;
	void *data;
};

static struct request *requests, **end = &requests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void intercept__tell(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
		     void *table)
{
	struct request *r = __atomic_load_n(&requests, __ATOMIC_ACQUIRE);

	for (; r; r = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE))
		if (r->tables & type && !tool__is_out(r->tool))
			r->callback(type, version, instance, &table, 1, r->data);
}

static void add(struct request *r)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(end, r, __ATOMIC_RELEASE);
	end = &r->next;
	pthread_mutex_unlock(&lock);
}

/* 0 is said to ask for nothing, but means all to librocprofiler-sdk 1.0. */
rocprofiler_status_t
rocprofiler_at_intercept_table_registration(rocprofiler_intercept_library_cb_t callback, int libs,
					    void *data)
{
	struct request *r;

	if (registration__initialized() > 0)
		return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
	if (!callback || libs & ~ALL)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	if (libs && !(libs & ~HIP) && !runtimes__may_have_hip_tables())
		return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
	r = calloc(1, sizeof(*r));
	if (!r)
		return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
	r->tool = registration__tool();
	r->callback = callback;
	r->tables = libs ? libs : ALL;
	r->data = data;
	add(r);
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_intercept_table_name(rocprofiler_intercept_table_t kind,
							    const char **name, uint64_t *name_len)
{
	const char *found = tables__intercept_name(kind);

	if (name)
		*name = found;
	if (name_len)
		*name_len = found ? strlen(found) : 0;
	return found ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}
