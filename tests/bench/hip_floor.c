// SPDX-License-Identifier: MIT
/*
 * The interfaces are those of roctracer/hip_callbacks.c (HIP up to 5.3.0) and
 * roctracer/hip_tracer.c.
 */
#include "tests/bench/hip_floor.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define OPERATIONS 3
#define CALLS_MAX  1024 /* more functions than any HIP has */

#define DOMAIN_OPS   2
#define DOMAIN_CALLS 3

static bool want_calls, want_operations;

/* ---- up to 5.3.0 ---- */

static __thread char arguments[2048];

static void *on_call(uint32_t op, void *record, const void *data, void *arg)
{
	return want_calls && !arg ? arguments : NULL;
}

static void on_arguments(uint32_t domain, uint32_t op, const void *data, void *arg)
{
}

static void on_submitted(uint64_t id)
{
}

static void on_done(uint32_t op, void *record, void *arg)
{
}

static bool register_callbacks(void)
{
	int (*callback)(uint32_t, void *, void *) = dlsym(RTLD_DEFAULT, "hipRegisterApiCallback");
	int (*activity)(uint32_t, void *, void *) =
		dlsym(RTLD_DEFAULT, "hipRegisterActivityCallback");
	void (*init)(void *, void *, void *) = dlsym(RTLD_DEFAULT, "hipInitActivityCallback");
	bool (*enable)(uint32_t, bool) = dlsym(RTLD_DEFAULT, "hipEnableActivityCallback");

	if (!callback || !activity || !init || !enable)
		return false;
	for (uint32_t op = 1; op < CALLS_MAX; op++) {
		callback(op, (void *)on_arguments, NULL);
		activity(op, (void *)on_call, (void *)1);
	}
	init((void *)on_submitted, (void *)on_done, NULL);
	for (uint32_t op = 0; op < OPERATIONS; op++)
		enable(op, want_operations);
	return true;
}

/* ---- from 5.3.1 on ---- */

/* What is at the end of a call's memory; HIP 5 has 840 bytes of arguments before it, later 1520. */
struct behind {
	uint64_t user[2];
	void (*enter)(uint32_t op, void *trace);
	void (*exit)(uint32_t op, void *trace);
};

static size_t data_size;

static void nothing(uint32_t op, void *trace)
{
}

static int tracer(uint32_t domain, uint32_t op, void *data)
{
	if (domain == DOMAIN_OPS)
		return want_operations ? 0 : -1;
	if (domain != DOMAIN_CALLS || !want_calls)
		return -1;
	if (data)
		*(struct behind *)((char *)data + data_size) =
			(struct behind){.enter = nothing, .exit = nothing};
	return 0;
}

/* ---- */

bool hip_floor__want(bool calls, bool operations)
{
	void (*register_tracer)(void *) = dlsym(RTLD_DEFAULT, "hipRegisterTracerCallback");

	want_calls = calls;
	want_operations = operations;
	if (!register_tracer)
		return register_callbacks();
	/* hipDeviceProp_t grew with HIP 6, which has this function for it */
	data_size = dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600") ? 1520 : 840;
	register_tracer((void *)tracer);
	return true;
}
