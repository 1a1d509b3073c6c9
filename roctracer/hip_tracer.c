// SPDX-License-Identifier: MIT
/*
 * HIP from 5.3.1 on: one function for everything.
 *
 *   tracer(HIP_API, op, trace)    at the begin of a call; 0: trace->enter, if it is not NULL, is
 *                                 called with the arguments there, and trace->exit at the end
 *   tracer(HIP_OPS, op, NULL)     is that wanted?
 *   tracer(HIP_OPS, op, record)   a GPU has done it
 *
 * `trace` is uninitialised memory on HIP's stack. It begins with a hip_api_data_t. The length of
 * that is set by its longest arguments, those of hipChooseDevice: 840 bytes in HIP 5, and since
 * hipDeviceProp_t grew with HIP 6, 1520 bytes (measured with the headers of 5.3.1 to 5.7.1, of
 * 6.0.0 to 6.4.3 and of 7.2.4). Calls of a HIP of another major version are not reported.
 *
 * HIP 5 reports no bytes for some copies. Then the bytes in the call's arguments are recorded, or,
 * for the copies of a graph, those that HSA reports.
 */
#include <stddef.h>

#include "roctracer/call_gpu_work.h"
#include "inprocess/tsc_clock.h"
#include "roctracer/graph_work.h"
#include "roctracer/hip.h"
#include "roctracer/hip_arguments.h"

/* How hip_api_data_t begins. */
struct data {
	uint64_t correlation_id;
	uint32_t phase;
};

/* What follows hip_api_data_t. The last 8 bytes before it are that structure's phase_data. */
struct behind {
	uint64_t begin;
	uint64_t phase_data;
	void (*enter)(uint32_t op, void *trace);
	void (*exit)(uint32_t op, void *trace);
};

#define HIP5_DATA 840
#define HIP6_DATA 1520

#define OP_DISPATCH 0
#define OP_COPY	    1

/* In the id of a call that is not wanted itself, but is looked at for what it copies. */
#define UNTOLD (1ULL << 63)

/* Between begin and end the phase holds, above this bit, what table__begin() returned. */
#define TOLD_SHIFT 8

static size_t data_size; /* of hip_api_data_t; 0: not known */

static struct behind *behind(void *trace)
{
	return (struct behind *)((char *)trace + data_size);
}

static uint64_t **phase_data(void *trace)
{
	return (uint64_t **)((char *)trace + data_size - sizeof(uint64_t *));
}

/* ---- what it copies ---- */

/* Of HIP 6 hip_arguments is not asked to know anything. */
static bool is_to_copy(uint32_t op)
{
	return hip_arguments__tell_copies(op) && table__has_pool(&hip_ops, OP_COPY);
}

static void note_copies(struct thread *t, uint32_t op, const struct data *d)
{
	struct call_work work = {.bytes = hip_arguments__work(op, d + 1).bytes};

	if (hip_arguments__launch_graph(op))
		work.graph = t->graph = graph_work__launch(false);
	call_work__put(d->correlation_id, &work);
}

static size_t bytes_of(const activity_record_t *record)
{
	struct call_work work = call_work__get(record->correlation_id);
	struct hip_work of_graph = {0};

	if (!work.graph)
		return work.bytes;
	graph_work__take(work.graph, record, &of_graph);
	return of_graph.bytes;
}

/* ---- a call ---- */

static void leave(uint32_t op, void *trace)
{
	const struct data *d = trace;
	struct thread *t = thread_current;

	if (!t)
		return;
	table__record_call(&hip_api, t, op, d->correlation_id, behind(trace)->begin);
	t->calls.count--;
	if (hip_arguments__launch_graph(op))
		t->graph = 0;
}

static void leave_told(uint32_t op, void *trace)
{
	struct data *d = trace;
	uint8_t told = d->phase >> TOLD_SHIFT;

	d->phase = ACTIVITY_API_PHASE_EXIT;
	if (thread_current)
		table__end(&hip_api, thread_current, op, trace, told);
	leave(op, trace);
}

static void with_arguments(uint32_t op, void *trace)
{
	struct data *d = trace;
	struct thread *t = thread_current;
	uint32_t told;

	*phase_data(trace) = &behind(trace)->phase_data;
	if (t && is_to_copy(op))
		note_copies(t, op, d);
	told = t && !(d->correlation_id & UNTOLD) ? table__begin(&hip_api, t, op, trace) : 0;
	if (!told)
		return;
	d->phase |= told << TOLD_SHIFT;
	behind(trace)->exit = leave_told;
}

/* What runs inside of the call belongs to it, or, if it is not reported, to the outer call. */
static bool begin_call(struct thread *t, struct data *d, bool told)
{
	uint64_t id = thread__new_id(t);

	d->correlation_id = told ? id : id | UNTOLD;
	d->phase = ACTIVITY_API_PHASE_ENTER;
	return ids__push(&t->calls, told ? id : ids__top(&t->calls));
}

static int enter(uint32_t op, void *trace)
{
	bool record = table__has_pool(&hip_api, op), call = table__is_heard(&hip_api, op);
	bool copies = is_to_copy(op);
	struct thread *t;

	if (!record && !call && !copies)
		return -1;
	if (!trace)
		return 0;
	t = thread__self();
	if (!t || !begin_call(t, trace, record || call))
		return -1;
	*phase_data(trace) = NULL;
	*behind(trace) = (struct behind){
		.enter = call || copies ? with_arguments : NULL,
		.exit = leave,
	};
	if (record)
		behind(trace)->begin = clock__now(&t->clock);
	return 0;
}

/* ---- what a GPU did ---- */

static int done(uint32_t op, const activity_record_t *record)
{
	struct thread *t;
	activity_record_t copy;

	if (!record) /* also while stopped: from 6.0 on HIP asks again when it has ended */
		return table__is_enabled(&hip_ops, op) ? 0 : -1;
	copy = *record;
	if (copy.correlation_id & UNTOLD)
		copy.correlation_id = 0;
	if (!table__takes_op(&hip_ops, op, copy.correlation_id))
		return -1;
	if (op == OP_COPY && !copy.bytes && record->correlation_id)
		copy.bytes = bytes_of(record);
	t = thread__self();
	if (t)
		table__record_op(&hip_ops, t, &copy, op == OP_DISPATCH ? copy.kernel_name : NULL);
	return 0;
}

static int tracer(activity_domain_t domain, uint32_t op, void *data)
{
	if (domain == ACTIVITY_DOMAIN_HIP_API && data_size && op < hip_api.count)
		return enter(op, data);
	if (domain == ACTIVITY_DOMAIN_HIP_OPS && op < HIP_OPS_NUMBER)
		return done(op, data);
	return -1;
}

/* ---- */

static size_t size_of_data(unsigned int major)
{
	return major == 5 ? HIP5_DATA : major == 6 || major == 7 ? HIP6_DATA : 0;
}

void hip_tracer__engage(const struct hip_library *hip)
{
	bool wanted = !table__is_empty(&hip_api) || !table__is_empty(&hip_ops);

	if (!data_size) { /* before we register with HIP: calls read it */
		data_size = size_of_data(hip->major);
		if (data_size == HIP5_DATA)
			hip_arguments__init();
	}
	hip->register_tracer(wanted ? tracer : NULL);
}
