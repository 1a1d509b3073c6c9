// SPDX-License-Identifier: MIT
/*
 * Passes on to callbacks what libroctx64 reports. roctracer_stop does not suppress these: the ends
 * of ranges that are open across it would not be reported.
 */
#include "roctracer/roctx_domain.h"

#include <dlfcn.h>

#include "inprocess/loaded_libraries.h"
#include "roctx/roctx_tracer.h"

#define OPERATIONS (ROCTX_OPERATION_RANGE_STOP + 1)

TABLE(roctx_calls, ACTIVITY_DOMAIN_ROCTX, OPERATIONS);

static int tracer(uint32_t domain, uint32_t op, void *data)
{
	struct thread *t;

	if (op >= OPERATIONS || !__atomic_load_n(&roctx_calls.callbacks[op], __ATOMIC_RELAXED))
		return -1;
	t = data ? thread__self() : NULL;
	if (t)
		table__call(&roctx_calls, t, op, data);
	return 0;
}

void roctx_domain__engage(void)
{
	static void (*register_tracer)(roctx_tracer_t function);
	void *lib = register_tracer ? NULL : libs__find("libroctx64.so");

	if (lib)
		register_tracer = dlsym(lib, "roctxRegisterTracerCallback");
	if (register_tracer)
		register_tracer(table__is_empty(&roctx_calls) ? NULL : tracer);
}
