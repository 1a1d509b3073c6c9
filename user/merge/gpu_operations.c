// SPDX-License-Identifier: MIT
/*
 * GPU operations, from the submission to the event: joins it with its completion and the call that
 * caused it.
 */
#include "user/merge/gpu_operations.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

#include "user/agent/agent_calls.h"
#include "user/merge/correlate.h"
#include "user/merge/external_ids.h"
#include "user/base/log.h"
#include "user/merge/agent_operation.h"
#include "user/merge/roctx_ranges.h"
#include "user/merge/gpu_resources.h"
#include "user/merge/runtime_threads.h"

/* How long an operation that has ended waits for a call that may not come. */
#define CALL_WAIT_NS 1000000000

/* How long an operation that has ended waits for a clock pair taken after its end. */
#define PAIR_WAIT_NS 10000000000ULL

/* How long before the tracer's start a recorded operation may have been submitted. */
#define BEFORE_NS 60000000000ULL

/* The most operations of one process that are waited for. */
#define OPS_MAX (1u << 20)

/* One agent. Its process can corrupt its own operations, and nothing else. */
struct op_source {
	const struct agent_view *view;
	struct gpu_op *ops;	/* submitted, not emitted yet; oldest first */
	struct gpu_op *untimed; /* of these, those that have ended; oldest first */
	uint32_t count;
	bool gone;
	bool overrun; /* there were too many: the ends of some mean nothing */
	UT_hash_handle hh;
};

struct operations {
	struct trace *trace;
	struct gpu_op *ops; /* of all: submitted, not emitted yet */
	struct op_source *sources;
	struct resources *resources;
	uint64_t since; /* what was submitted before makes no sense */
};

struct operations *gpu_operations__new(struct trace *trace)
{
	struct operations *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->trace = trace;
	o->since = clock__boot_ns();
	o->since -= BEFORE_NS < o->since ? BEFORE_NS : o->since;
	o->resources = gpu_resources__new();
	if (o->resources)
		return o;
	free(o);
	return NULL;
}

static struct op_source *find_source(const struct operations *o, const struct agent_view *v)
{
	struct op_source *s;

	HASH_FIND_PTR(o->sources, &v, s);
	return s;
}

static struct op_source *get_source(struct operations *o, const struct agent_view *v)
{
	struct op_source *s = find_source(o, v);

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->view = v;
	HASH_ADD_PTR(o->sources, view, s);
	return s;
}

/* It is kept as long as there are operations of it. */
static void release_source(struct operations *o, struct op_source *s)
{
	if (!s->gone || s->count)
		return;
	HASH_DEL(o->sources, s);
	free(s);
}

static void add_op(struct operations *o, struct gpu_op *op)
{
	HASH_ADD(hh, o->ops, key, sizeof(op->key), op);
	if (!op->source)
		return;
	DL_APPEND2(op->source->ops, op, prev_of, next_of);
	op->source->count++;
}

static void drop_op(struct operations *o, struct gpu_op *op)
{
	struct op_source *s = op->source;

	HASH_DEL(o->ops, op);
	if (s) {
		DL_DELETE2(s->ops, op, prev_of, next_of);
		s->count--;
		release_source(o, s);
	}
	free(op);
}

void gpu_operations__free(struct operations *o)
{
	struct gpu_op *op, *next;
	struct op_source *s, *next_s;

	if (!o)
		return;
	HASH_ITER (hh, o->ops, op, next) {
		drop_op(o, op);
	}
	HASH_ITER (hh, o->sources, s, next_s) {
		HASH_DEL(o->sources, s);
		free(s);
	}
	gpu_resources__free(o->resources);
	free(o);
}

static bool is_selected(const struct trace *t, const struct event *ev)
{
	const struct selection *s = t->selection;

	switch (ev->kind) {
	case EV_DISPATCH:
		return s->kernels;
	case EV_COPY:
		return s->copies;
	case EV_BARRIER:
		return s->barriers;
	case EV_MEMORY:
		return s->memory;
	case EV_SCRATCH:
		return s->scratch;
	default:
		return s->setup;
	}
}

/* Was it submitted while nothing was to be traced? */
static bool was_off(const struct trace *t, const struct event *ev)
{
	const struct process *p = processes__find_process(t->tasks, ev->pid);
	const struct thread *th = processes__find_thread(t->tasks, ev->pid, ev->tid);

	return trace_control__was_off(&t->off, p, th, ev->gpu.submit);
}

/*
 * No call explains it, and none has to. Asked when its cause is settled: by the time it has its
 * times, the process may be forgotten.
 */
static bool is_unwanted(const struct trace *t, const struct event *ev)
{
	return ev->flags & EV_F_UNCORRELATED &&
	       (!trace_state__in_window(t, ev->gpu.submit) || was_off(t, ev));
}

static void tell_op(struct operations *o, struct gpu_op *op)
{
	const struct event *ev = &op->ev;
	struct trace *t = o->trace;

	if (is_selected(t, ev) && !op->unwanted && !op->refused) {
		t->stats.nameless += ev->flags & EV_F_DOORBELL && !op->kernel_known;
		trace_state__tell(t, ev);
	}
	drop_op(o, op);
}

static void give_to_workers(struct operations *o, struct process *p, struct gpu_op *op)
{
	op->given_to_workers = true;
	op->settled = false;
	runtime_threads__submit(p, op, gpu_operations__settled, o);
}

/* A thread of the runtime is known by the calls into HSA that it makes, at most. */
static bool is_of_worker(const struct operations *o, const struct process *p,
			 const struct gpu_op *op)
{
	const struct thread *th = processes__find_thread(o->trace->tasks, op->ev.pid, op->ev.tid);

	return op->owner_known && !op->given_to_workers && !ev_is_resource(op->ev.kind) && p &&
	       p->calls_hip && th && !th->calls_hip && selection__has_causes(o->trace->selection);
}

/* The call that is being settled may know its kernel. */
static void name_by_launch(const struct thread *th, struct gpu_op *op)
{
	if (!op->ev.corr || !th->launching_kernel ||
	    (th->launching_corr != op->ev.corr && th->launching_corr != op->ev.root))
		return;
	op->ev.name = th->launching_kernel;
	op->kernel_known = true;
}

void gpu_operations__settled(struct gpu_op *op, void *arg)
{
	struct operations *o = arg;
	struct thread *th = processes__find_thread(o->trace->tasks, op->ev.pid, op->ev.tid);
	struct process *p = processes__find_process(o->trace->tasks, op->ev.pid);

	if (th && op->ev.kind == EV_DISPATCH && !op->kernel_known)
		name_by_launch(th, op);
	if (is_of_worker(o, p, op)) {
		give_to_workers(o, p, op);
		return;
	}
	op->unwanted = is_unwanted(o->trace, &op->ev);
	if (op->ended)
		tell_op(o, op);
}

static struct gpu_op *find_op(struct operations *o, const void *source, uint64_t number)
{
	uint64_t key[2] = {(uintptr_t)source, number};
	struct gpu_op *op;

	HASH_FIND(hh, o->ops, key, sizeof(key), op);
	return op;
}

struct tell_devices {
	struct trace *trace;
	uint32_t pid;
};

static void tell_device(const struct agent_device *d, void *arg)
{
	const struct tell_devices *t = arg;
	struct device_info info = {
		.pid = t->pid,
		.device = d->gpu,
		.name = d->name,
		.details = d->details,
	};

	if (d->gpu >= 0)
		output_set__device(t->trace->out, &info);
}

static void tell_devices(struct operations *o, const struct agent_view *v)
{
	struct tell_devices t = {o->trace, agent_memory__pid(v)};
	struct process *p = processes__process(o->trace->tasks, t.pid);

	if (!p || p->devices_told == v)
		return;
	p->devices_told = v;
	agent_memory__each_device(v, tell_device, &t);
}

static bool is_late(const struct operations *o, const struct gpu_op *op, uint64_t now)
{
	return op && op->ended && op->ev.end + CALL_WAIT_NS < now &&
	       (o->trace->calls_filtered || was_off(o->trace, &op->ev));
}

/* A thread with calls that are not all captured must not gather operations without limit. */
static void give_up_late(struct operations *o, struct thread *th, uint64_t now)
{
	while (is_late(o, th->found, now))
		correlate__give_up_one(th, th->found, gpu_operations__settled, o);
	while (is_late(o, th->unsettled, now))
		correlate__give_up_one(th, th->unsettled, gpu_operations__settled, o);
}

static void find_cause(struct operations *o, struct thread *th, struct gpu_op *op)
{
	struct process *p = processes__find_process(o->trace->tasks, th->pid);
	uint64_t at = op->ev.gpu.submit;
	bool of_worker = p && !th->makes_calls;

	if (!op->owner_known || (of_worker && ev_is_resource(op->ev.kind))) {
		correlate__submit_alone(op, gpu_operations__settled, o);
		return;
	}
	op->ev.in_range = roctx_ranges__at(th, at);
	if (external_ids__at(&th->external, at, &op->ev.external))
		op->ev.flags |= EV_F_EXTERNAL;
	give_up_late(o, th, at);
	if (!selection__has_causes(o->trace->selection))
		correlate__submit_alone(op, gpu_operations__settled, o);
	else if (of_worker)
		give_to_workers(o, p, op);
	else
		correlate__submit(th, op, gpu_operations__settled, o);
}

/* The process' first thread is used in the place of an unknown one. */
static struct thread *submitter(struct operations *o, struct agent_view *v,
				const struct rt_agent_rec *rec)
{
	struct tasks *tasks = o->trace->tasks;
	pid_t pid = agent_memory__pid(v);

	return rec->tid ? processes__thread_by_ns_tid(tasks, pid, rec->tid)
			: processes__thread(tasks, pid, pid);
}

static bool fill(struct operations *o, struct gpu_op *op, struct agent_view *v,
		 const struct rt_agent_rec *rec)
{
	if (agent_operation__fill(op, v, rec))
		return true;
	op->ended = true; /* it has happened: no record of an end will come */
	return gpu_resources__fill(o->resources, v, rec, &op->ev);
}

/* Returns true if too many operations of the process have not ended: then this one is dropped. */
static bool is_overrun(struct operations *o, struct op_source *s, const struct rt_agent_rec *rec)
{
	if (s->count < OPS_MAX)
		return false;
	if (!s->overrun)
		log_warn("process %d: more than %u GPU operations in flight: further ones are not "
			 "in the trace",
			 agent_memory__pid(s->view), OPS_MAX);
	s->overrun = true;
	agent_operation__lose(&o->trace->stats, rec->kind);
	return true;
}

static struct gpu_op *new_op(struct op_source *s, struct agent_view *v,
			     const struct rt_agent_rec *rec)
{
	struct gpu_op *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	op->source = s;
	op->key[0] = (uintptr_t)v;
	op->key[1] = rec->op;
	op->owner_known = rec->tid;
	op->ev.domain = DOMAIN_GPU;
	op->ev.pid = agent_memory__pid(v);
	op->ev.begin = op->ev.end = rec->time;
	op->ev.gpu.submit = rec->time;
	op->ev.gpu.op = rec->op;
	op->ev.gpu.stream = STREAM_NONE;
	return op;
}

/* The calls that the agent reports as its causes, unless they may be left out. */
static void take_said(const struct operations *o, struct gpu_op *op, const struct agent_view *v,
		      const struct rt_agent_rec *rec)
{
	const struct agent_spans *spans = agent_memory__spans(v);

	if (!spans || !agent_calls__shows_causes(spans) || o->trace->calls_filtered)
		return;
	op->said_corr = agent_calls__corr(spans, rec->corr);
	op->said_root = agent_calls__corr(spans, rec->root);
}

static void on_submit(struct operations *o, struct agent_view *v, const struct rt_agent_rec *rec)
{
	struct op_source *s = get_source(o, v);
	struct thread *th = NULL;
	struct gpu_op *op = NULL;

	if (s && is_overrun(o, s, rec))
		return;
	if (s && rec->time >= o->since && !find_op(o, v, rec->op)) {
		th = submitter(o, v, rec);
		op = th ? new_op(s, v, rec) : NULL;
	}
	if (op)
		tell_devices(o, v);
	if (!op || !fill(o, op, v, rec)) {
		o->trace->stats.lost_other++;
		free(op);
		return;
	}
	take_said(o, op, v, rec);
	op->ev.tid = th->tid;
	if (op->ev.begin < o->since)
		op->ev.begin = op->ev.end;
	add_op(o, op);
	find_cause(o, th, op);
}

/* ---- times ---- */

static void ended(struct operations *o, struct gpu_op *op)
{
	op->ended = true;
	if (op->settled)
		tell_op(o, op);
}

static void set_times(struct operations *o, struct gpu_op *op)
{
	const struct clock_map *clock = agent_memory__clock(op->view, op->device);
	struct clock_span ticks = {op->began, op->over}, span;
	struct trace_stats *stats = &o->trace->stats;

	/* The length of a tick is known only from two pairs on. */
	if (!clock || (op->device && clock->count < 2)) {
		op->ev.flags |= EV_F_NO_TIMES;
		ended(o, op);
		return;
	}
	span = clock_map__to_boot(clock, ticks, op->ev.gpu.submit);
	if (!clock_span__is_sane(&span, op->ev.gpu.submit, clock__boot_ns())) {
		op->ev.flags |= EV_F_NO_TIMES;
		stats->lost_other++;
	} else {
		op->ev.begin = span.begin;
		op->ev.end = span.end;
		if (op->ev.begin + clock->error < op->ev.gpu.submit)
			stats->early++;
	}
	ended(o, op);
}

/*
 * False as long as a later clock pair would change its times. A clock that gets no more pairs does
 * not delay the others.
 */
static bool is_timable(const struct gpu_op *op, uint64_t now)
{
	const struct clock_map *clock = agent_memory__clock(op->view, op->device);

	return !clock || !(clock->differs || op->device) || clock_map__covers(clock, op->over) ||
	       op->heard + PAIR_WAIT_NS < now;
}

/* Ended operations wait in order: sets the times of the first. */
static void time_oldest(struct operations *o, struct op_source *s)
{
	struct gpu_op *op = s->untimed;

	DL_DELETE2(s->untimed, op, prev_untimed, next_untimed);
	set_times(o, op); /* may free the source */
}

void gpu_operations__time(struct operations *o)
{
	uint64_t now = clock__boot_ns();
	struct op_source *s, *next;

	HASH_ITER (hh, o->sources, s, next) {
		while (s->untimed && is_timable(s->untimed, now))
			time_oldest(o, s);
	}
}

static bool was_overrun(const struct operations *o, const struct agent_view *v)
{
	const struct op_source *s = find_source(o, v);

	return s && s->overrun;
}

static void on_done(struct operations *o, struct agent_view *v, const struct rt_agent_rec *rec)
{
	struct gpu_op *op = find_op(o, v, rec->op);

	if (!op && (!agent_memory__saw_submit(v, rec->op) || was_overrun(o, v)))
		return;
	if (!op || op->ended || op->view) {
		o->trace->stats.lost_other += rec->flags & RT_AGENT_F_AGAIN ? 0 : 1;
		return;
	}
	if (!rec->done.gpu_end || rec->done.gpu_end < rec->done.gpu_begin) {
		op->refused = rec->flags & RT_AGENT_F_REFUSED;
		op->ev.flags |= EV_F_NO_TIMES;
		ended(o, op);
		return;
	}
	op->view = v;
	op->device = rec->flags & RT_AGENT_F_TICKS ? rec->done.agent : 0;
	op->began = rec->done.gpu_begin;
	op->over = rec->done.gpu_end;
	op->heard = rec->time;
	DL_APPEND2(op->source->untimed, op, prev_untimed, next_untimed);
}

void gpu_operations__record(struct operations *o, struct agent_view *v,
			    const struct rt_agent_rec *rec)
{
	switch (rec->kind) {
	case RT_AGENT_DISPATCH:
	case RT_AGENT_COPY:
	case RT_AGENT_BARRIER:
	case RT_AGENT_MEMORY:
	case RT_AGENT_SCRATCH:
	case RT_AGENT_QUEUE:
	case RT_AGENT_CODE:
	case RT_AGENT_RUNTIME:
		on_submit(o, v, rec);
		break;
	case RT_AGENT_DONE:
		on_done(o, v, rec);
		break;
	default:
		o->trace->stats.lost_other++;
	}
}

/* No clock pair will come any more: the last two have to do. */
static void time_all_of(struct operations *o, struct op_source *s)
{
	for (struct gpu_op *op = s->untimed, *next; op; op = next) {
		next = op->next_untimed;
		DL_DELETE2(s->untimed, op, prev_untimed, next_untimed);
		set_times(o, op);
	}
}

int gpu_operations__submit(struct operations *o, const void *source, uint64_t number,
			   const struct event *ev, bool kernel_known)
{
	struct thread *th = processes__thread(o->trace->tasks, ev->pid, ev->tid);
	struct gpu_op *op = th ? calloc(1, sizeof(*op)) : NULL;

	if (!op)
		return -ENOMEM;
	op->key[0] = (uintptr_t)source;
	op->key[1] = number;
	op->owner_known = true;
	op->kernel_known = kernel_known;
	op->ev = *ev;
	op->ev.gpu.stream = STREAM_NONE;
	add_op(o, op);
	find_cause(o, th, op);
	return 0;
}

static void withdraw(struct operations *o, struct gpu_op *op)
{
	struct tasks *tasks = o->trace->tasks;

	if (op->given_to_workers)
		runtime_threads__withdraw(processes__process(tasks, op->ev.pid), op);
	else
		correlate__withdraw(processes__thread(tasks, op->ev.pid, op->ev.tid), op);
}

void gpu_operations__resubmit(struct operations *o, const void *source, uint64_t number,
			      uint32_t tid, uint64_t ts)
{
	struct gpu_op *op = find_op(o, source, number);
	struct thread *th = op ? processes__thread(o->trace->tasks, op->ev.pid, tid) : NULL;

	if (!th || op->ended)
		return;
	if (!op->settled)
		withdraw(o, op);
	op->settled = op->given_to_workers = false;
	op->ev.flags &= ~(EV_F_UNCORRELATED | EV_F_EXTERNAL);
	op->ev.corr = op->ev.root = 0;
	op->ev.tid = tid;
	op->ev.begin = op->ev.end = op->ev.gpu.submit = ts;
	find_cause(o, th, op);
}

void gpu_operations__end(struct operations *o, const void *source, uint64_t number, uint64_t begin,
			 uint64_t end, enum ev_why why)
{
	struct gpu_op *op = find_op(o, source, number);

	if (!op || op->ended)
		return;
	op->ended = true;
	if (end) {
		op->ev.begin = begin;
		op->ev.end = end;
	} else {
		op->ev.flags |= EV_F_NO_TIMES | EV_WHY(why);
	}
	if (op->settled)
		tell_op(o, op);
}

void gpu_operations__agent_gone(struct operations *o, struct agent_view *v)
{
	struct op_source *s = find_source(o, v);

	gpu_resources__forget(o->resources, v);
	if (!s)
		return;
	time_all_of(o, s);
	for (struct gpu_op *op = s->ops, *next; op; op = next) {
		next = op->next_of;
		if (op->ended)
			continue;
		op->ev.flags |= EV_F_NO_TIMES;
		ended(o, op);
	}
	s->gone = true;
	release_source(o, s);
}

size_t gpu_operations__running(const struct operations *o)
{
	return HASH_COUNT(o->ops);
}

void gpu_operations__finish(struct operations *o)
{
	struct op_source *s, *next_s;
	struct gpu_op *op, *next;

	HASH_ITER (hh, o->sources, s, next_s) {
		time_all_of(o, s);
	}
	HASH_ITER (hh, o->ops, op, next) {
		if (!op->ended)
			op->ev.flags |= EV_F_NO_TIMES;
		tell_op(o, op);
	}
}
