// SPDX-License-Identifier: MIT
/*
 * Reports operations to tools. It takes no lock, and allocates no memory unless many services want
 * the operation.
 */
#include "rocprofiler/service/operation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler/service/buffer.h"
#include "rocprofiler/support/catch.h"
#include "inprocess/kernel_clock.h"
#include "rocprofiler/service/context.h"
#include "rocprofiler/service/retirement.h"
#include "rocprofiler/support/say.h"
#include "rocprofiler/service/thread.h"
#include "rocprofiler/service/tools.h"

#define CALL(member) offsetof(rocprofiler_buffer_tracing_hip_api_record_t, member)
#define EXT(member)  offsetof(rocprofiler_buffer_tracing_hip_api_ext_record_t, member)
#define SAME(record, member)                                                                      \
	_Static_assert(offsetof(rocprofiler_buffer_tracing_##record##_t, member) == CALL(member), \
		       #record)
#define SAME_HEAD(record)                                                                   \
	_Static_assert(offsetof(rocprofiler_buffer_tracing_##record##_t, correlation_id) == \
			       offsetof(struct record_head, internal),                      \
		       #record)

SAME(hsa_api_record, thread_id);
SAME(marker_api_record, thread_id);
SAME(hip_api_ext_record, thread_id);
SAME(hip_api_ext_record, correlation_id);
SAME_HEAD(hip_api_record);
SAME_HEAD(memory_copy_record);
SAME_HEAD(memory_allocation_record);
SAME_HEAD(kernel_dispatch_record);
SAME_HEAD(scratch_memory_record);
SAME_HEAD(runtime_initialization_record);
/* The payload of a call without its size is the end of the record with arguments. */
_Static_assert(EXT(args) == sizeof(rocprofiler_buffer_tracing_hip_api_record_t) &&
		       EXT(retval) - EXT(args) ==
			       offsetof(rocprofiler_callback_tracing_hip_api_data_t, retval) -
				       offsetof(rocprofiler_callback_tracing_hip_api_data_t,
						args) &&
		       offsetof(rocprofiler_callback_tracing_hip_api_data_t, args) == 8,
	       "record with arguments");

/* ---- services that get an operation ---- */

static struct asked *asked(struct operation *o, uint32_t i)
{
	return i < OPERATION_ROOM ? &o->in[i] : &o->more[i - OPERATION_ROOM];
}

/* If there are more than there is room for, the room doubles. */
static bool has_room(struct operation *o)
{
	uint32_t n = o->count - OPERATION_ROOM;
	struct asked *more;

	if (o->count < OPERATION_ROOM || (n % OPERATION_ROOM || (n & (n - 1))))
		return true;
	more = realloc(o->more, (n ? 2 * n : OPERATION_ROOM) * sizeof(*more));
	if (more)
		o->more = more;
	return more;
}

static void ask(struct operation *o, const struct service *s)
{
	struct asked *a;

	if (!has_room(o))
		return;
	a = asked(o, o->count++);
	a->service = s;
	a->user_data.value = a->external.value = 0;
}

static void collect(struct operation *o, const struct service_list *l)
{
	for (const struct service *s = service__first(l); s; s = service__next(s))
		if ((o->number == OPERATION_ANY || service__has(s, o->number)) &&
		    context__runs(s->context))
			ask(o, s);
}

static bool collect_all(struct operation *o)
{
	rocprofiler_buffer_tracing_kind_t ext = service__ext_kind(o->buffer_kind);

	o->count = 0;
	o->more = NULL;
	if (o->callback_kind)
		collect(o, &callback_services[o->callback_kind]);
	o->callbacks = o->count;
	if (o->buffer_kind)
		collect(o, &buffer_services[o->buffer_kind]);
	if (ext)
		collect(o, &buffer_services[ext]);
	return o->count;
}

/* ---- external correlation ids ---- */

/* A context is asked once, whether it has callbacks, buffers, or both. */
static const struct asked *same_context(struct operation *o, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (asked(o, j)->service->context == asked(o, i)->service->context)
			return asked(o, j);
	return NULL;
}

/* These are of no call. */
static bool has_external(const struct operation *o)
{
	return o->callback_kind != ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT &&
	       o->callback_kind != ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION;
}

static void get_external(struct operation *o)
{
	uint32_t kind = external_request_kinds[o->callback_kind];

	if (!has_external(o))
		return;
	for (uint32_t i = 0; i < o->count; i++) {
		struct asked *a = asked(o, i);
		const struct asked *same = same_context(o, i);
		const struct context *c = a->service->context;

		a->external = same ? same->external
				   : external__get(c, &c->external, o->thread_id, kind, o->number,
						   o->internal);
	}
}

/* Where the tool was asked its answer stays. */
void operation__update_external(struct operation *o)
{
	uint32_t kind = external_request_kinds[o->callback_kind];

	for (uint32_t i = 0; i < o->count; i++) {
		struct asked *a = asked(o, i);
		const struct external *e = &a->service->context->external;

		if (!external__asks(e, kind))
			a->external = external__pushed(e, o->thread_id);
	}
}

/* ---- callbacks ---- */

/*
 * The record is passed on the stack: by words, each written at once, as the processor waits where a
 * copy reads what was written in smaller parts.
 */
union record_words {
	rocprofiler_callback_tracing_record_t record;
	uint64_t words[8];
};
_Static_assert(sizeof(union record_words) == sizeof(rocprofiler_callback_tracing_record_t),
	       "record");

__attribute__((noinline, target("general-regs-only"))) static void
call(const struct operation *o, struct asked *a, uint32_t number,
     rocprofiler_callback_phase_t phase, void *payload)
{
	const struct service *s = a->service;
	const union record_words r = {.words = {
					      s->context->id.handle,
					      o->thread_id,
					      o->internal,
					      a->external.value,
					      o->ancestor,
					      o->callback_kind | (uint64_t)number << 32,
					      phase,
					      (uint64_t)payload,
				      }};

	s->callback.function(r.record, &a->user_data, s->callback.arg);
}

/* Callbacks of finalised tools are skipped. Finalisation first waits until none is running. */
void operation__tell(struct operation *o, uint32_t number, rocprofiler_callback_phase_t phase,
		     void *payload)
{
	struct thread *t = thread__self();

	if (!t)
		return;
	THREAD_INSIDE(t);
	for (uint32_t i = 0; i < o->callbacks; i++) {
		struct asked *a = asked(o, i);

		if (service__has(a->service, number) && !tool__is_out(a->service->context->tool))
			call(o, a, number, phase, payload);
	}
}

struct telling {
	struct operation *operation;
	uint32_t number;
	rocprofiler_callback_phase_t phase;
	void *payload;
};

static void tell(void *arg)
{
	const struct telling *t = arg;

	operation__tell(t->operation, t->number, t->phase, t->payload);
}

void operation__tell_caught(struct operation *o, uint32_t number,
			    rocprofiler_callback_phase_t phase, void *payload)
{
	struct telling t = {o, number, phase, payload};
	static bool said;

	if (catch__call(tell, &t) && !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		say("a callback has thrown an exception where nobody can catch it");
}

/* ---- begin ---- */

static bool prepare(struct operation *o, rocprofiler_callback_tracing_kind_t callback,
		    rocprofiler_buffer_tracing_kind_t buffer, uint32_t number)
{
	o->open = o->pushed = false;
	o->callback_kind = callback;
	o->buffer_kind = buffer;
	o->number = number;
	if (!thread__self() || !collect_all(o))
		return false;
	o->open = true;
	o->thread_id = thread_current->link.tid;
	return true;
}

/* A call of its own, inside of the one that the thread is in. */
static void push(struct operation *o, struct thread *t)
{
	o->internal = thread__new_id(t);
	o->ancestor = o->outer = t->current;
	o->outer_ancestor = t->ancestor;
	o->pushed = true;
	t->current = o->internal;
	t->ancestor = o->ancestor;
	retirement__hold(o->internal);
}

/* It belongs to that call, which mostly is the one that the thread is in. */
static struct submitter in_call(uint64_t internal)
{
	const struct thread *t = thread_current;

	return (struct submitter){
		.internal = internal,
		.ancestor = internal == t->current ? t->ancestor : 0,
		.thread_id = t->link.tid,
	};
}

static void belong(struct operation *o, struct submitter to)
{
	o->internal = to.internal;
	o->ancestor = to.ancestor;
	o->thread_id = to.thread_id;
}

/* As long as a tool may throw. */
static void unless_begun(struct operation **o)
{
	if (*o)
		operation__abandon(*o);
}

bool operation__begin_slow(struct operation *o, rocprofiler_callback_tracing_kind_t callback,
			   rocprofiler_buffer_tracing_kind_t buffer, uint32_t number,
			   uint64_t internal, void *payload)
{
	__attribute__((cleanup(unless_begun))) struct operation *begun = NULL;

	if (!prepare(o, callback, buffer, number))
		return false;
	begun = o;
	if (internal)
		belong(o, in_call(internal));
	else
		push(o, thread_current);
	get_external(o);
	if (o->callbacks) {
		operation__tell(o, number, ROCPROFILER_CALLBACK_PHASE_ENTER, payload);
		operation__update_external(o);
	}
	begun = NULL;
	if (o->count > o->callbacks)
		o->begin = kernel_clock__boot_ns();
	return true;
}

bool operation__prepare_for(struct operation *o, rocprofiler_callback_tracing_kind_t callback,
			    rocprofiler_buffer_tracing_kind_t buffer, uint32_t number,
			    const struct submitter *by)
{
	__attribute__((cleanup(unless_begun))) struct operation *begun = NULL;

	o->open = false;
	if (!service__any(callback, buffer) || !prepare(o, callback, buffer, number))
		return false;
	begun = o;
	belong(o, *by);
	get_external(o);
	begun = NULL;
	return true;
}

bool operation__prepare(struct operation *o, rocprofiler_callback_tracing_kind_t callback,
			rocprofiler_buffer_tracing_kind_t buffer, uint32_t number,
			uint64_t internal)
{
	struct submitter by;

	o->open = false;
	if (!service__any(callback, buffer) || !thread__self())
		return false;
	by = in_call(internal);
	return operation__prepare_for(o, callback, buffer, number, &by);
}

/* ---- end ---- */

void operation__abandon(struct operation *o)
{
	if (!o->open)
		return;
	o->open = false;
	if (o->more)
		free(o->more);
	if (!o->pushed)
		return;
	thread_current->current = o->outer;
	thread_current->ancestor = o->outer_ancestor;
	retirement__release(o->internal);
}

static void write_record(const struct operation *o, const struct asked *a, uint32_t number,
			 void *record, uint32_t size)
{
	struct record_head *head = record;

	*head = (struct record_head){size, a->service->kind, number, o->internal, a->external};
	buffer__write(a->service->buffer, a->service->kind, record, size);
}

void operation__record(struct operation *o, uint32_t number, void *record, uint32_t size)
{
	for (uint32_t i = o->callbacks; i < o->count; i++) {
		struct asked *a = asked(o, i);

		if (a->service->kind == o->buffer_kind && service__has(a->service, number))
			write_record(o, a, number, record, size);
	}
}

void operation__end(struct operation *o, void *payload, void *record, uint32_t size)
{
	__attribute__((cleanup(unless_begun))) struct operation *ends = o;

	if (o->callbacks)
		operation__tell(o, o->number, ROCPROFILER_CALLBACK_PHASE_EXIT, payload);
	if (record)
		operation__record(o, o->number, record, size);
}

/* ---- calls ---- */

struct call_record {
	rocprofiler_buffer_tracing_hip_api_record_t call;
	char payload[sizeof(rocprofiler_callback_tracing_hip_api_data_t)];
};

static void record_call(struct operation *o, uint64_t end, const void *payload, uint32_t size)
{
	struct call_record r;
	uint32_t ext_size = sizeof(r.call) + size - sizeof(uint64_t);

	r.call.correlation_id.ancestor = o->ancestor;
	r.call.start_timestamp = o->begin;
	r.call.end_timestamp = end;
	r.call.thread_id = o->thread_id;
	operation__record(o, o->number, &r, sizeof(r.call));
	if (!service__ext_kind(o->buffer_kind) || ext_size > sizeof(r))
		return;
	memcpy(r.payload, (const char *)payload + sizeof(uint64_t), size - sizeof(uint64_t));
	for (uint32_t i = o->callbacks; i < o->count; i++) {
		const struct asked *a = asked(o, i);

		if (a->service->kind != o->buffer_kind)
			write_record(o, a, o->number, &r, ext_size);
	}
}

void operation__end_call(struct operation *o, void *payload, uint32_t payload_size)
{
	__attribute__((cleanup(unless_begun))) struct operation *ends = o;
	uint64_t end = o->count > o->callbacks ? kernel_clock__boot_ns() : 0;

	if (o->callbacks)
		operation__tell(o, o->number, ROCPROFILER_CALLBACK_PHASE_EXIT, payload);
	if (o->count > o->callbacks)
		record_call(o, end, payload, payload_size);
}

uint64_t operation__current(void)
{
	return thread_current ? thread_current->current : 0;
}

void operation__in(uint64_t *internal, uint64_t *ancestor)
{
	*internal = operation__current();
	*ancestor = thread_current ? thread_current->ancestor : 0;
}
