// SPDX-License-Identifier: MIT
/*
 * The side of HIP in the interfaces for tools, both of them; TRACER selects the one that it has.
 *
 * In both, each call looks up in tables whether a tool wants it reported. No lock of the tool
 * protects these tables. So a tool that registers and removes while calls are in flight meets the
 * same conditions here as in HIP. The counters of the older one end the process, as HIP's do, if
 * they go wrong; HELD says that a call is counted until it ends, as up to HIP 4.3, not only while
 * it takes over its functions.
 */
#include "tests/roctracer/fakehip.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "roctracer/ext/prof_protocol.h"

const char *hipApiName(uint32_t op);
const char *hipGetCmdName(uint32_t kind);

const char *hipApiName(uint32_t op)
{
	static const char *const names[] = {
		"unknown", "hipOne", "hipTwo", "hipThree", "hipModuleLaunchKernel", "hipMemcpy"};

	return names[op < FAKE_OPS ? op : 0];
}

const char *hipGetCmdName(uint32_t kind)
{
	return kind == 0x11F0 ? "KernelExecution" : kind == 0x11F3 ? "CopyDeviceToHost" : "?";
}

static activity_record_t record_of(const struct fake_command *c)
{
	return (activity_record_t){
		.domain = ACTIVITY_DOMAIN_HIP_OPS,
		.kind = c->kind,
		.op = c->op,
		.correlation_id = c->id,
		.begin_ns = c->begin,
		.end_ns = c->end,
		.device_id = c->device,
		.queue_id = c->queue,
		.bytes = c->bytes,
	};
}

static void set_arguments(struct fake_data *d, uint64_t a, uint64_t b)
{
	d->args.a = a;
	d->args.b = b;
	d->args.sum = a + b;
}

#ifdef TRACER

static __thread uint64_t correlation_id;

typedef int (*tracer_t)(activity_domain_t domain, uint32_t op, void *data);

struct trace {
	struct fake_data data;
	uint64_t begin, phase_data;
	void (*enter)(uint32_t op, struct trace *t);
	void (*exit)(uint32_t op, struct trace *t);
};

static tracer_t tracer;

void hipRegisterTracerCallback(tracer_t function);

void hipRegisterTracerCallback(tracer_t function)
{
	__atomic_store_n(&tracer, function, __ATOMIC_RELEASE);
}

static tracer_t current(void)
{
	return __atomic_load_n(&tracer, __ATOMIC_ACQUIRE);
}

void fakehip_call(enum fake_op op, uint64_t a, uint64_t b, void (*inside)(void *arg), void *arg)
{
	tracer_t function = current();
	struct trace t;
	bool enabled;

	memset(&t, 0xcc, sizeof(t)); /* HIP initialises nothing */
	enabled = function && !function(ACTIVITY_DOMAIN_HIP_API, op, &t);
	if (enabled) {
		correlation_id = t.data.correlation_id;
		if (t.enter) {
			set_arguments(&t.data, a, b);
			t.enter(op, &t);
		}
	}
	if (inside)
		inside(arg);
	if (enabled) {
		if (t.exit)
			t.exit(op, &t);
		correlation_id = 0;
	}
}

bool fakehip_looks(void)
{
	return current();
}

void fakehip_submit(struct fake_command *c)
{
	tracer_t function = current();

	c->wanted = function && !function(ACTIVITY_DOMAIN_HIP_OPS, c->op, NULL);
	c->id = correlation_id;
}

void fakehip_done(const struct fake_command *c)
{
	tracer_t function = current();
	activity_record_t record = record_of(c);

	if (c->op == 0)
		record.kernel_name = c->kernel_name;
	if (c->wanted && function)
		function(ACTIVITY_DOMAIN_HIP_OPS, c->op, &record);
}

#else

typedef void *(*activity_t)(uint32_t op, activity_record_t *record, const void *data, void *arg);

struct functions {
	activity_t activity;
	void *activity_arg;
	activity_rtapi_callback_t callback;
	void *arg;
};

struct slot {
	bool sync;
	uint32_t calls;
	struct functions functions;
};

static struct slot slots[FAKE_OPS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t activities;
static bool on;

static void (*on_submitted)(uint64_t id);
static activity_async_callback_t on_done;
static bool op_enabled[3];
static uint64_t last_id;

int hipRegisterApiCallback(uint32_t op, void *function, void *arg);
int hipRegisterActivityCallback(uint32_t op, void *function, void *arg);
void hipInitActivityCallback(void *id_callback, void *op_callback, void *arg);
bool hipEnableActivityCallback(uint32_t op, bool enable);

/* HIP's are plain. */
#define SET(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)
#define GET(place)	  __atomic_load_n(&(place), __ATOMIC_ACQUIRE)

/* Waits for calls of the operation that are counted, and keeps others from beginning. */
static void stop_calls(struct slot *s)
{
	__atomic_store_n(&s->sync, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&s->calls, __ATOMIC_SEQ_CST))
		;
}

int hipRegisterApiCallback(uint32_t op, void *function, void *arg)
{
	struct slot *s = &slots[op];

	if (op >= FAKE_OPS)
		return 1;
	pthread_mutex_lock(&lock);
	stop_calls(s);
	SET(s->functions.callback, (activity_rtapi_callback_t)function);
	SET(s->functions.arg, arg);
	__atomic_store_n(&s->sync, false, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&lock);
	return 0;
}

int hipRegisterActivityCallback(uint32_t op, void *function, void *arg)
{
	struct slot *s = &slots[op];

	if (op >= FAKE_OPS)
		return 1;
	pthread_mutex_lock(&lock);
	stop_calls(s);
	activities += (function != NULL) - (s->functions.activity != NULL);
	__atomic_store_n(&on, activities != 0, __ATOMIC_RELEASE);
	SET(s->functions.activity, (activity_t)function);
	SET(s->functions.activity_arg, arg);
	__atomic_store_n(&s->sync, false, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&lock);
	return 0;
}

/* As HIP does it: when it has waited, it does not look whether it is to wait again. */
static void begin(struct slot *s)
{
	__atomic_add_fetch(&s->calls, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&s->sync, __ATOMIC_SEQ_CST)) {
		__atomic_sub_fetch(&s->calls, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&s->sync, __ATOMIC_SEQ_CST))
			;
		__atomic_add_fetch(&s->calls, 1, __ATOMIC_SEQ_CST);
	}
}

static void end(struct slot *s)
{
	if (!__atomic_fetch_sub(&s->calls, 1, __ATOMIC_SEQ_CST))
		abort();
}

static struct functions take_over(struct slot *s)
{
	struct functions f = {0};

	f.callback = GET(s->functions.callback);
	f.arg = GET(s->functions.arg);
	f.activity = GET(s->functions.activity);
	f.activity_arg = GET(s->functions.activity_arg);
	return f;
}

static void tell(const struct functions *f, enum fake_op op, struct fake_data *d)
{
	if (f->callback)
		f->callback(ACTIVITY_DOMAIN_HIP_API, op, d, f->arg);
}

static void enter(const struct functions *f, enum fake_op op, struct fake_data *d, uint64_t a,
		  uint64_t b)
{
	set_arguments(d, a, b);
	tell(f, op, d);
	if (f->callback)
		d->phase = ACTIVITY_API_PHASE_EXIT;
}

void fakehip_call(enum fake_op op, uint64_t a, uint64_t b, void (*inside)(void *arg), void *arg)
{
	struct slot *s = &slots[op];
	struct functions f = {0};
	struct fake_data *d = NULL;

	if (__atomic_load_n(&on, __ATOMIC_ACQUIRE)) {
		begin(s);
		f = take_over(s);
#ifndef HELD
		end(s);
#endif
		if (f.activity)
			d = f.activity(op, NULL, NULL, NULL);
		if (d)
			enter(&f, op, d, a, b);
	}
	if (inside)
		inside(arg);
#ifdef HELD
	if (!__atomic_load_n(&on, __ATOMIC_ACQUIRE))
		return;
	f = take_over(s);
#endif
	if (d) {
		tell(&f, op, d);
		if (f.activity)
			f.activity(op, NULL, NULL, f.activity_arg);
	}
#ifdef HELD
	end(s);
#endif
}

bool fakehip_looks(void)
{
	return __atomic_load_n(&on, __ATOMIC_ACQUIRE);
}

void hipInitActivityCallback(void *id_callback, void *op_callback, void *arg)
{
	on_submitted = (void (*)(uint64_t))id_callback;
	on_done = (activity_async_callback_t)op_callback;
}

bool hipEnableActivityCallback(uint32_t op, bool enable)
{
	if (op < 3)
		__atomic_store_n(&op_enabled[op], enable, __ATOMIC_RELEASE);
	return op < 3;
}

const char *hipKernelNameRef(const void *function);

const char *hipKernelNameRef(const void *function)
{
	if (!function)
		abort();
	return function;
}

void fakehip_submit(struct fake_command *c)
{
	c->wanted = __atomic_load_n(&op_enabled[c->op], __ATOMIC_ACQUIRE);
	if (!c->wanted)
		return;
	c->id = __atomic_fetch_add(&last_id, 1, __ATOMIC_RELAXED);
	on_submitted(c->id);
}

void fakehip_done(const struct fake_command *c)
{
	activity_record_t record = record_of(c);

	if (c->wanted)
		on_done(c->op, &record, NULL);
}

#endif
