// SPDX-License-Identifier: MIT
/*
 * HIP up to 5.3.0: one function for the begin and end of each call, one that gets the arguments,
 * and two for what GPUs do.
 *
 * In HIP's library a call looks, for its operation, like this:
 *
 *   data = activity(op, NULL, NULL, NULL)            NULL: this call is not wanted
 *   the arguments are written to data
 *   callback(domain, op, data, arg)                  then data->phase becomes EXIT
 *   the call itself
 *   callback(domain, op, data, arg)
 *   activity(op, NULL, NULL, arg)
 *
 * Whether HIP looks at all is one switch for all operations, on while one of them has an activity
 * function. While it is on, HIP takes times of all that it gives to GPUs. So our functions are
 * registered for all operations at once when the first is wanted, and the activities are taken back
 * when none is wanted any more. A call takes over its functions when it begins: a call in flight at
 * the change is reported to its end. HIP's lock there has a gap, by which a call could have the
 * activity without its argument. Its end would then look like a begin. So the argument stays
 * registered for good.
 *
 * HIP 4, up to 4.3, is recognised by its major version. It waits for calls of an operation to end
 * when a function is changed, which is a deadlock inside of a callback. If the switch is moved
 * while a call is in flight, the call's counters go wrong at its end. There the functions stay.
 * (The calls in flight when they are registered are in danger with any tool: enable early.)
 *
 * What a GPU does has an id of HIP's own, which HIP passes on the thread that submits the work. At
 * its end comes a record with that id in the place of the correlation id.
 */
#include <pthread.h>
#include <stdlib.h>

#include "inprocess/tsc_clock.h"
#include "roctracer/graph_work.h"
#include "roctracer/hip.h"
#include "roctracer/hip_arguments.h"
#include "roctracer/submitted_ids.h"

/* Longer than any hip_api_data_t of these versions; the longest is 832 bytes. */
#define DATA_SIZE 2048

#define OP_DISPATCH 0
#define OP_COPY	    1

/* Numbers of commands, those of OpenCL; between these are only others that copy. */
#define KIND_READ      0x11f3
#define KIND_COPY      0x11f5
#define KIND_READ_RECT 0x1201
#define KIND_COPY_RECT 0x1203

/* How hip_api_data_t begins; its arguments follow. */
struct data {
	uint64_t correlation_id; /* 0: the call itself is not wanted */
	uint32_t phase;
};

/* A call that the thread is in. */
struct frame {
	struct frame *outer, *inner; /* they stay when the call has returned */
	uint64_t begin;		     /* 0: no record was wanted at its begin */
	uint8_t told;		     /* what table__begin() returned */
	struct hip_work work;	     /* what it gives to a GPU */
	bool launches_graph;
	union {
		struct data data;
		char size[DATA_SIZE];
	};
};

static struct frame *push_frame(struct thread *t)
{
	struct frame *f = t->frame ? t->frame->inner : t->first_frame;

	if (!f) {
		f = calloc(1, sizeof(*f));
		if (!f)
			return NULL;
		f->outer = t->frame;
		if (t->frame)
			t->frame->inner = f;
		else
			t->first_frame = f;
	}
	t->frame = f;
	return f;
}

/* Is it of interest what the call gives to a GPU? */
static bool gives_work(uint32_t op)
{
	return hip_arguments__tell(op) &&
	       (table__has_pool(&hip_ops, OP_DISPATCH) || table__has_pool(&hip_ops, OP_COPY));
}

/* 0: no memory. */
static uint64_t begin_call(struct thread *t)
{
	uint64_t id = thread__new_id(t);

	return ids__push(&t->calls, id) ? id : 0;
}

static void *enter(uint32_t op)
{
	bool record = table__has_pool(&hip_api, op);
	bool call = record || table__is_heard(&hip_api, op);
	struct thread *t = call || gives_work(op) ? thread__self() : NULL;
	struct frame *f = t ? push_frame(t) : NULL;

	if (!f)
		return NULL;
	f->data = (struct data){call ? begin_call(t) : 0, ACTIVITY_API_PHASE_ENTER};
	f->told = 0;
	f->work = (struct hip_work){0};
	f->launches_graph = false;
	f->begin = record && f->data.correlation_id ? clock__now(&t->clock) : 0;
	return &f->data;
}

static void leave(uint32_t op)
{
	struct thread *t = thread_current;
	struct frame *f = t ? t->frame : NULL;

	if (!f) /* the thread is about to end */
		return;
	table__record_call(&hip_api, t, op, f->data.correlation_id, f->begin);
	if (f->data.correlation_id)
		t->calls.count--;
	if (f->launches_graph)
		t->graph = 0;
	t->frame = f->outer;
}

static void *on_call(uint32_t op, activity_record_t *record, const void *data, void *arg)
{
	if (!arg)
		return enter(op);
	leave(op);
	return NULL;
}

static void on_arguments(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct data *d = data;
	struct thread *t = thread_current;
	struct frame *f = t ? t->frame : NULL;

	if (!f)
		return;
	if (d->phase == ACTIVITY_API_PHASE_EXIT) {
		table__end(&hip_api, t, op, d, f->told);
		return;
	}
	if (gives_work(op)) {
		f->work = hip_arguments__work(op, d + 1);
		f->launches_graph = hip_arguments__launch_graph(op);
		if (f->launches_graph)
			t->graph = graph_work__launch(true);
	}
	if (d->correlation_id)
		f->told = table__begin(&hip_api, t, op, d);
}

/* ---- what GPUs do ---- */

static void on_submitted(uint64_t id)
{
	const struct thread *t = thread_current;
	struct submitted s = {0};

	if (t)
		s.correlation_id = ids__top(&t->calls);
	if (t && t->frame)
		s.work = t->frame->work;
	if (t)
		s.graph = t->graph;
	submitted__put(id, &s);
}

/* For a call that copies, HIP also reports fills and what the call waits for as copies. */
static bool is_copy(uint32_t kind)
{
	return (kind >= KIND_READ && kind <= KIND_COPY) ||
	       (kind >= KIND_READ_RECT && kind <= KIND_COPY_RECT);
}

static void on_done(uint32_t op, void *record, void *arg)
{
	activity_record_t copy = *(const activity_record_t *)record;
	struct submitted s = submitted__take(copy.correlation_id);
	struct thread *t = thread__self();

	copy.domain = ACTIVITY_DOMAIN_HIP_OPS;
	copy.correlation_id = s.correlation_id;
	if (s.graph && (op == OP_DISPATCH || is_copy(copy.kind)))
		graph_work__take(s.graph, &copy, &s.work);
	if (op == OP_COPY && is_copy(copy.kind) && !copy.bytes)
		copy.bytes = s.work.bytes;
	if (t && op < HIP_OPS_NUMBER && table__takes_op(&hip_ops, op, copy.correlation_id))
		table__record_op(&hip_ops, t, &copy, op == OP_DISPATCH ? s.work.kernel_name : NULL);
}

/* ---- */

#define FIRST_MAJOR_TO_TAKE_BACK 5

/*
 * For what GPUs do as well: HIP takes their times only while a function for calls is registered. A
 * stream that is made while none is may lack some, so if they were ever wanted that stays.
 */
static bool wants_calls(const struct hip_library *hip)
{
	static bool for_good;

	if (!table__is_empty(&hip_ops))
		for_good = true;
	if (hip->major < FIRST_MAJOR_TO_TAKE_BACK && !table__is_empty(&hip_api))
		for_good = true;
	return for_good || !table__is_empty(&hip_api);
}

static void register_arguments(const struct hip_library *hip)
{
	static bool registered;

	if (registered)
		return;
	registered = true;
	hip_arguments__init();
	for (uint32_t op = 1; op < hip_api.count; op++)
		hip->register_callback(op, (void *)on_arguments, NULL);
}

static void engage_calls(const struct hip_library *hip)
{
	static bool engaged;
	bool want = wants_calls(hip);

	if (engaged == want)
		return;
	engaged = want;
	register_arguments(hip);
	for (uint32_t op = 1; op < hip_api.count; op++)
		hip->register_activity(op, want ? (void *)on_call : NULL, (void *)1);
}

void hip_callbacks__engage(const struct hip_library *hip)
{
	static bool initialised;

	engage_calls(hip);
	if (!initialised && !table__is_empty(&hip_ops)) {
		hip->init_ops((void *)on_submitted, (void *)on_done, NULL);
		initialised = true;
	}
	for (uint32_t op = 0; op < HIP_OPS_NUMBER; op++)
		if (initialised)
			hip->enable_op(op, hip_ops.pools[op] != NULL);
}
