// SPDX-License-Identifier: MIT
/*
 * libroctracer64 numbers functions as the HIP and HSA in the process do; librocprofiler-sdk has
 * numbers of its own: functions are found by their names. Arguments are copied one by one from
 * their offsets in HIP's or HSA's data (inprocess/api_argument_tables.h). They are 0 if HIP is of
 * another release than the headers that this was built with.
 */
#include "rocprofiler/sources/calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler/sources/hip_tables.h"
#include "rocprofiler/service/operation.h"
#include "rocprofiler/sources/results.h"
#include "rocprofiler/sources/roctracer_core.h"
#include "rocprofiler/support/tables.h"
#include "roctracer/ext/prof_protocol.h"
#include "inprocess/loaded_libraries.h"
#include "inprocess/api_argument_tables.h"
#include "inprocess/hip_release.h"

#define OPS_MAX 1024 /* more functions than any runtime has */

/* What a function is here; `kind` 0: it is none. */
struct place {
	uint8_t kind, buffer_kind;
	uint16_t number;
};

/* A runtime's functions by its own numbers. */
struct runtime {
	uint32_t domain;
	const struct kinds {
		rocprofiler_callback_tracing_kind_t callback;
		rocprofiler_buffer_tracing_kind_t buffer;
	} * kinds;
	uint32_t kind_count;
	const struct tool_function *functions;
	const size_t *function_count;
	uint32_t known; /* functions: looked up once there are some */
	struct place places[OPS_MAX];
};

#define KIND(name)                                                                     \
	{                                                                              \
		ROCPROFILER_CALLBACK_TRACING_##name, ROCPROFILER_BUFFER_TRACING_##name \
	}

static const struct kinds hip_kinds[] = {KIND(HIP_RUNTIME_API), KIND(HIP_COMPILER_API)};
static const struct kinds hsa_kinds[] = {KIND(HSA_CORE_API), KIND(HSA_AMD_EXT_API),
					 KIND(HSA_IMAGE_EXT_API), KIND(HSA_FINALIZE_EXT_API)};

static struct runtime hip = {
	.domain = ACTIVITY_DOMAIN_HIP_API,
	.kinds = hip_kinds,
	.kind_count = 2,
	.functions = tool_hip_functions,
	.function_count = &tool_hip_function_count,
};
static struct runtime hsa = {
	.domain = ACTIVITY_DOMAIN_HSA_API,
	.kinds = hsa_kinds,
	.kind_count = 4,
	.functions = tool_hsa_functions,
	.function_count = &tool_hsa_function_count,
};

/* A call that the thread is in. */
struct frame {
	struct frame *outer, *inner; /* they stay when the call has returned */
	const void *data;
	struct pending *pending; /* will give its result; NULL: the result stays unknown */
	struct operation operation;
	union {
		uint64_t size;
		rocprofiler_callback_tracing_hip_api_data_t hip;
		rocprofiler_callback_tracing_hsa_api_data_t hsa;
	} payload;
};

static __thread struct frame *first_frame, *current_frame;
static pthread_key_t at_end;

/* ---- functions ---- */

/* Before HIP 6 these are the ones of the structure that it then changed. */
const char *calls__name(const char *name)
{
	if (!strcmp(name, "hipGetDeviceProperties"))
		return "hipGetDevicePropertiesR0000";
	if (!strcmp(name, "hipChooseDevice") && libs__major(libs__find("libamdhip64.so")) < 6)
		return "hipChooseDeviceR0000";
	return name;
}

static struct place look_up(const struct runtime *r, const char *name)
{
	for (uint32_t k = 0; k < r->kind_count; k++) {
		const struct sdk_kind *kind = tables__callback_kind(r->kinds[k].callback);

		for (uint32_t i = 0; i < kind->count; i++)
			if (!strcmp(kind->operations[i].name, name))
				return (struct place){r->kinds[k].callback, r->kinds[k].buffer, i};
	}
	return (struct place){0};
}

static void learn(struct runtime *r, const struct roctracer_core *core)
{
	uint32_t op = 0;

	for (; !r->known && op < OPS_MAX; op++) {
		const char *name = core->op_string(r->domain, op, 0);

		if (!name)
			return;
		r->places[op] = look_up(r, r == &hip ? calls__name(name) : name);
	}
	__atomic_store_n(&r->known, OPS_MAX, __ATOMIC_RELEASE);
}

/* ---- arguments and results ---- */

static const struct tool_function *function_of(const struct runtime *r, uint32_t op)
{
	bool known = r == &hsa || hip_release__is_known();

	return known && op < *r->function_count && r->functions[op].name ? &r->functions[op] : NULL;
}

static void copy_arguments(const struct runtime *r, uint32_t op, const struct place *p, void *args,
			   const void *data)
{
	const struct sdk_operation *to =
		tables__operation(tables__callback_kind(p->kind), p->number);
	const struct tool_function *from = function_of(r, op);

	if (!from || from->arg_count != to->argument_count)
		return;
	for (uint32_t i = 0; i < from->arg_count; i++) {
		const struct tool_arg *a = &from->args[i];
		uint32_t size = to->arguments[i].size;

		if (a->type->size == size)
			memcpy((char *)args + to->arguments[i].offset,
			       (const char *)data + a->offset, size);
	}
}

static void fill(const struct runtime *r, uint32_t op, const struct place *p, struct frame *f,
		 const void *data)
{
	if (r == &hip) {
		memset(&f->payload.hip, 0, sizeof(f->payload.hip));
		f->payload.size = sizeof(f->payload.hip);
		copy_arguments(r, op, p, &f->payload.hip.args, data);
	} else {
		memset(&f->payload.hsa, 0, sizeof(f->payload.hsa));
		f->payload.size = sizeof(f->payload.hsa);
		copy_arguments(r, op, p, &f->payload.hsa.args, data);
	}
}

/* HIP does not report what it returns, and the call has no `pending` that does. */
static void fill_result(const struct runtime *r, uint32_t op, struct frame *f, const void *data)
{
	const struct tool_function *from = function_of(r, op);

	if (r == &hip)
		f->payload.hip.retval.hipError_t_retval = hipErrorUnknown;
	else if (from && from->result)
		memcpy(&f->payload.hsa.retval, (const char *)data + from->result_offset,
		       from->result->size);
}

/* ---- a call ---- */

/* The thread's. */
static void free_frames(void *first)
{
	for (struct frame *f = first, *inner; f; f = inner) {
		inner = f->inner;
		free(f);
	}
	first_frame = current_frame = NULL;
}

__attribute__((constructor)) static void init(void)
{
	pthread_key_create(&at_end, free_frames);
}

static struct frame *push_frame(const void *data)
{
	struct frame *f = current_frame ? current_frame->inner : first_frame;

	if (!f) {
		f = calloc(1, sizeof(*f));
		if (!f)
			return NULL;
		f->outer = current_frame;
		if (current_frame)
			current_frame->inner = f;
		else
			pthread_setspecific(at_end, first_frame = f);
	}
	f->data = data;
	current_frame = f;
	return f;
}

static struct runtime *runtime_of(uint32_t domain)
{
	return domain == ACTIVITY_DOMAIN_HIP_API ? &hip : &hsa;
}

static void take_result(const struct place *p, struct frame *f)
{
	f->pending = NULL;
	if (p->kind != ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API)
		return;
	f->pending = results__take(p->number);
	if (f->pending)
		f->pending->call = f;
	else
		results__look_again();
}

static void finish(struct frame *f)
{
	if (f->operation.open)
		operation__end_call(&f->operation, &f->payload, f->payload.size);
	current_frame = f->outer;
}

void calls__begin(uint32_t domain, uint32_t op, const void *data)
{
	struct runtime *r = runtime_of(domain);
	const struct place *p = &r->places[op];
	struct frame *f;

	if (op >= __atomic_load_n(&r->known, __ATOMIC_ACQUIRE) || !p->kind ||
	    !service__wanted(p->kind, p->buffer_kind, p->number))
		return;
	f = push_frame(data);
	if (!f)
		return;
	take_result(p, f);
	fill(r, op, p, f, data);
	operation__begin(&f->operation, p->kind, p->buffer_kind, p->number, 0, &f->payload);
}

/* If a tool has thrown, inner calls have been left without calls__end(). */
void calls__end(uint32_t domain, uint32_t op, const void *data)
{
	struct frame *f = current_frame;

	while (f && f->data != data)
		f = f->outer;
	if (!f)
		return;
	while (current_frame != f) {
		operation__abandon(&current_frame->operation);
		current_frame = current_frame->outer;
	}
	if (f->pending)
		return; /* in a moment */
	fill_result(runtime_of(domain), op, f, data);
	finish(f);
}

void calls__returned(void *call, int result)
{
	struct frame *f = call;

	f->payload.hip.retval.hipError_t_retval = result;
	finish(f);
}

/* ---- what is wanted ---- */

/* If HIP has handed in its table, calls are reported by the table's wrappers. */
static bool is_wanted(const struct place *p)
{
	return p->kind && !hip_tables__have(p->kind) &&
	       service__wanted(p->kind, p->buffer_kind, p->number);
}

static void want(struct runtime *r, const struct roctracer_core *core, bool all)
{
	uint8_t wanted[OPS_MAX] = {0};

	learn(r, core);
	for (uint32_t op = 0; op < OPS_MAX; op++)
		wanted[op] = all || is_wanted(&r->places[op]);
	core->want(r->domain, wanted, OPS_MAX);
}

void calls__engage(const struct roctracer_core *core, bool all)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	want(&hip, core, all);
	want(&hsa, core, false);
	results__engage(all);
	pthread_mutex_unlock(&lock);
}
