// SPDX-License-Identifier: MIT
/*
 * GPU operations, from the submission to the event: joins it with its completion and the call that
 * caused it.
 */
#include "user/operations.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

#include "user/correlate.h"
#include "user/external.h"
#include "user/ranges.h"
#include "user/resources.h"
#include "user/workers.h"

/* How long an operation that has ended waits for a call that may not come. */
#define CALL_WAIT_NS 1000000000

/* No operation is that far from now or from its submission. */
#define INSANE_NS 86400000000000ULL

struct operations {
	struct trace *trace;
	struct gpu_op *ops;	/* submitted, not told yet */
	struct gpu_op *untimed; /* of these, those that have ended; oldest first */
	struct resources *resources;
};

struct operations *operations__new(struct trace *trace)
{
	struct operations *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->trace = trace;
	o->resources = resources__new();
	if (o->resources)
		return o;
	free(o);
	return NULL;
}

static void drop_op(struct operations *o, struct gpu_op *op)
{
	HASH_DEL(o->ops, op);
	free(op);
}

void operations__free(struct operations *o)
{
	struct gpu_op *op, *next;

	if (!o)
		return;
	HASH_ITER (hh, o->ops, op, next) {
		drop_op(o, op);
	}
	resources__free(o->resources);
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

/* Was it submitted while nothing was to be traced? Then no call explains it, and none has to. */
static bool was_off(const struct trace *t, const struct event *ev)
{
	const struct process *p = tasks__find_process(t->tasks, ev->pid);
	const struct thread *th = tasks__find_thread(t->tasks, ev->pid, ev->tid);
	uint64_t at = ev->gpu.submit;

	return off_times__at(&t->off, at) || (p && off_times__at(&p->off, at)) ||
	       (th && off_times__at(&th->off, at));
}

static void count_op(struct trace *t, const struct event *ev)
{
	if (ev->kind == EV_DISPATCH)
		t->stats.dispatches++;
	else if (ev->kind == EV_COPY)
		t->stats.copies++;
	else if (ev->kind == EV_BARRIER)
		t->stats.barriers++;
	else
		resources__count(&t->stats, ev);
	/* Scratch memory is the runtime's own doing. */
	if (ev->flags & EV_F_UNCORRELATED && !t->calls_filtered && ev->kind != EV_SCRATCH)
		t->stats.uncorrelated++;
	if (ev->flags & EV_F_DOORBELL) {
		t->stats.doorbells++;
		t->stats.unmeasured += ev->flags & EV_F_NO_TIMES ? 1 : 0;
	} else if (ev->flags & EV_F_NO_TIMES) {
		t->stats.no_times++;
	}
}

static void tell_op(struct operations *o, struct gpu_op *op)
{
	const struct event *ev = &op->ev;
	struct trace *t = o->trace;
	bool unexplained = ev->flags & EV_F_UNCORRELATED &&
			   (!trace__in_window(t, ev->gpu.submit) || was_off(t, ev));

	if (is_selected(t, ev) && !unexplained) {
		count_op(t, ev);
		output__event(t->out, ev);
	}
	drop_op(o, op);
}

static void give_to_workers(struct operations *o, struct process *p, struct gpu_op *op)
{
	op->given_to_workers = true;
	op->settled = false;
	workers__submit(p, op, operations__settled, o);
}

/* A thread of the runtime is known by the calls into HSA that it makes, at most. */
static bool is_of_worker(const struct operations *o, const struct process *p,
			 const struct gpu_op *op)
{
	const struct thread *th = tasks__find_thread(o->trace->tasks, op->ev.pid, op->ev.tid);

	return op->owner_known && !op->given_to_workers && !ev_is_resource(op->ev.kind) && p &&
	       p->calls_hip && th && !th->calls_hip && selection__has_causes(o->trace->selection);
}

void operations__settled(struct gpu_op *op, void *arg)
{
	struct operations *o = arg;
	struct thread *th = tasks__find_thread(o->trace->tasks, op->ev.pid, op->ev.tid);
	struct process *p = tasks__find_process(o->trace->tasks, op->ev.pid);

	if (th && op->ev.kind == EV_DISPATCH && !op->kernel_known && op->ev.corr &&
	    th->launching_corr == op->ev.corr && th->launching_kernel)
		op->ev.name = th->launching_kernel;
	if (is_of_worker(o, p, op))
		give_to_workers(o, p, op);
	else if (op->ended)
		tell_op(o, op);
}

static int32_t gpu_of(const struct agent_view *v, uint32_t agent_id)
{
	const struct agent_device *d = agent__device(v, agent_id);

	return d ? d->gpu : -1;
}

static void fill_dispatch(struct gpu_op *op, const struct agent_view *v,
			  const struct rt_agent_rec *rec)
{
	struct event *ev = &op->ev;
	const struct agent_kernel *kernel = agent__kernel(v, rec->dispatch.kernel);

	op->kernel_known = kernel;
	ev->kind = EV_DISPATCH;
	ev->name = kernel ? kernel->name : "(unknown kernel)";
	ev->gpu.device = gpu_of(v, rec->dispatch.agent);
	ev->gpu.queue = rec->dispatch.queue;
	for (int i = 0; i < 3; i++) {
		ev->gpu.grid[i] = rec->dispatch.grid[i];
		ev->gpu.workgroup[i] = rec->dispatch.workgroup[i];
	}
	ev->gpu.lds = rec->dispatch.lds;
	ev->gpu.scratch = rec->dispatch.scratch;
	ev->gpu.kernel = rec->dispatch.kernel;
	if (!kernel)
		return;
	ev->gpu.code = kernel->code;
	ev->gpu.vgprs = kernel->vgprs;
	ev->gpu.accum_vgprs = kernel->accum_vgprs;
	ev->gpu.sgprs = kernel->sgprs;
}

static void fill_barrier(struct event *ev, const struct agent_view *v,
			 const struct rt_agent_rec *rec)
{
	ev->kind = EV_BARRIER;
	ev->name = "barrier";
	ev->gpu.device = gpu_of(v, rec->dispatch.agent);
	ev->gpu.queue = rec->dispatch.queue;
}

static enum copy_dir direction(int32_t src, int32_t dst)
{
	if (src < 0)
		return dst < 0 ? COPY_H2H : COPY_H2D;
	return dst < 0 ? COPY_D2H : COPY_D2D;
}

static void fill_copy(struct event *ev, const struct agent_view *v, const struct rt_agent_rec *rec)
{
	int32_t src = gpu_of(v, rec->copy.src_agent), dst = gpu_of(v, rec->copy.dst_agent);

	ev->kind = EV_COPY;
	ev->gpu.bytes = rec->copy.bytes;
	ev->gpu.engine = rec->copy.engine;
	ev->gpu.src_device = src;
	ev->gpu.dst_device = dst;
	ev->gpu.dir = direction(src, dst);
	ev->gpu.device = src >= 0 ? src : dst; /* between GPUs the source's engine does the work */
	ev->name = ev_copy_name(ev->gpu.dir);
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
		output__device(t->trace->out, &info);
}

static void tell_devices(struct operations *o, const struct agent_view *v)
{
	struct tell_devices t = {o->trace, agent__pid(v)};
	struct process *p = tasks__process(o->trace->tasks, t.pid);

	if (!p || p->devices_told == v)
		return;
	p->devices_told = v;
	agent__each_device(v, tell_device, &t);
}

/* A thread whose calls are not captured, or not all, must not gather operations without end. */
static void give_up_late(struct operations *o, struct thread *th, uint64_t now)
{
	const struct gpu_op *op;

	while ((op = th->unsettled) && op->ended && op->ev.end + CALL_WAIT_NS < now &&
	       (o->trace->calls_filtered || was_off(o->trace, &op->ev)))
		correlate__give_up_oldest(th, operations__settled, o);
}

static void find_cause(struct operations *o, struct thread *th, struct gpu_op *op)
{
	struct process *p = tasks__find_process(o->trace->tasks, th->pid);
	uint64_t at = op->ev.gpu.submit;
	bool of_worker = p && !th->makes_calls;

	if (!op->owner_known || (of_worker && ev_is_resource(op->ev.kind))) {
		correlate__submit_alone(op, operations__settled, o);
		return;
	}
	op->ev.in_range = ranges__at(th, at);
	if (external__at(&th->external, at, &op->ev.external))
		op->ev.flags |= EV_F_EXTERNAL;
	give_up_late(o, th, at);
	if (!selection__has_causes(o->trace->selection))
		correlate__submit_alone(op, operations__settled, o);
	else if (of_worker)
		give_to_workers(o, p, op);
	else
		correlate__submit(th, op, operations__settled, o);
}

/* The process' first thread stands for one that is not known. */
static struct thread *submitter(struct operations *o, struct agent_view *v,
				const struct rt_agent_rec *rec)
{
	struct tasks *tasks = o->trace->tasks;
	pid_t pid = agent__pid(v);

	return rec->tid ? tasks__thread_by_ns_tid(tasks, pid, rec->tid)
			: tasks__thread(tasks, pid, pid);
}

static bool fill(struct operations *o, struct gpu_op *op, struct agent_view *v,
		 const struct rt_agent_rec *rec)
{
	switch (rec->kind) {
	case RT_AGENT_DISPATCH:
		fill_dispatch(op, v, rec);
		return true;
	case RT_AGENT_BARRIER:
		fill_barrier(&op->ev, v, rec);
		return true;
	case RT_AGENT_COPY:
		fill_copy(&op->ev, v, rec);
		return true;
	default: /* it has happened: no end will be told */
		op->ended = true;
		return resources__fill(o->resources, v, rec, &op->ev);
	}
}

static void on_submit(struct operations *o, struct agent_view *v, const struct rt_agent_rec *rec)
{
	struct thread *th = submitter(o, v, rec);
	struct gpu_op *op = calloc(1, sizeof(*op));

	if (!th || !op || find_op(o, v, rec->op)) {
		o->trace->stats.lost_other++;
		free(op);
		return;
	}
	tell_devices(o, v);
	op->key[0] = (uintptr_t)v;
	op->key[1] = rec->op;
	op->owner_known = rec->tid;
	op->ev.domain = DOMAIN_GPU;
	op->ev.pid = agent__pid(v);
	op->ev.tid = th->tid;
	op->ev.begin = op->ev.end = rec->time;
	op->ev.gpu.submit = rec->time;
	op->ev.gpu.op = rec->op;
	op->ev.gpu.stream = STREAM_NONE;
	if (!fill(o, op, v, rec)) {
		o->trace->stats.lost_other++;
		free(op);
		return;
	}
	HASH_ADD(hh, o->ops, key, sizeof(op->key), op);
	find_cause(o, th, op);
}

/* ---- times ---- */

static void ended(struct operations *o, struct gpu_op *op)
{
	op->ended = true;
	if (op->settled)
		tell_op(o, op);
}

/* Times that no clock can have meant are the process's word, and none. */
static bool is_sane(const struct clock_span *span, uint64_t submit)
{
	return span->end >= span->begin && span->end < clock__boot_ns() + INSANE_NS &&
	       span->begin + INSANE_NS > submit;
}

static void set_times(struct operations *o, struct gpu_op *op)
{
	const struct clock_map *clock = agent__clock(op->view, op->device);
	struct clock_span ticks = {op->began, op->over}, span;
	struct trace_stats *stats = &o->trace->stats;

	/* How long a tick is takes two pairs to tell. */
	if (!clock || (op->device && clock->count < 2)) {
		op->ev.flags |= EV_F_NO_TIMES;
		ended(o, op);
		return;
	}
	span = clock_map__to_boot(clock, ticks, op->ev.gpu.submit);
	if (!is_sane(&span, op->ev.gpu.submit)) {
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

/* The oldest of those that have no times yet. */
static void time_oldest(struct operations *o)
{
	struct gpu_op *op = o->untimed;

	DL_DELETE2(o->untimed, op, prev_untimed, next_untimed);
	set_times(o, op);
}

void operations__time(struct operations *o)
{
	const struct clock_map *clock;

	while (o->untimed) {
		clock = agent__clock(o->untimed->view, o->untimed->device);
		if (clock && (clock->differs || o->untimed->device) &&
		    !clock_map__covers(clock, o->untimed->over))
			break;
		time_oldest(o);
	}
}

static void on_done(struct operations *o, struct agent_view *v, const struct rt_agent_rec *rec)
{
	struct gpu_op *op = find_op(o, v, rec->op);

	if (!op && !agent__saw_submit(v, rec->op))
		return;
	if (!op || op->ended || op->view) {
		o->trace->stats.lost_other++;
		return;
	}
	if (!rec->done.gpu_end || rec->done.gpu_end < rec->done.gpu_begin) {
		op->ev.flags |= EV_F_NO_TIMES;
		ended(o, op);
		return;
	}
	op->view = v;
	op->device = rec->flags & RT_AGENT_F_TICKS ? rec->done.agent : 0;
	op->began = rec->done.gpu_begin;
	op->over = rec->done.gpu_end;
	DL_APPEND2(o->untimed, op, prev_untimed, next_untimed);
}

void operations__record(struct operations *o, struct agent_view *v, const struct rt_agent_rec *rec)
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
static void time_all_of(struct operations *o, const struct agent_view *v)
{
	struct gpu_op *op, *next;

	DL_FOREACH_SAFE2(o->untimed, op, next, next_untimed)
	{
		if (v && op->view != v)
			continue;
		DL_DELETE2(o->untimed, op, prev_untimed, next_untimed);
		set_times(o, op);
	}
}

int operations__submit(struct operations *o, const void *source, uint64_t number,
		       const struct event *ev, bool kernel_known)
{
	struct thread *th = tasks__thread(o->trace->tasks, ev->pid, ev->tid);
	struct gpu_op *op = th ? calloc(1, sizeof(*op)) : NULL;

	if (!op)
		return -ENOMEM;
	op->key[0] = (uintptr_t)source;
	op->key[1] = number;
	op->owner_known = true;
	op->kernel_known = kernel_known;
	op->ev = *ev;
	op->ev.gpu.stream = STREAM_NONE;
	HASH_ADD(hh, o->ops, key, sizeof(op->key), op);
	find_cause(o, th, op);
	return 0;
}

static void withdraw(struct operations *o, struct gpu_op *op)
{
	struct tasks *tasks = o->trace->tasks;

	if (op->given_to_workers)
		workers__withdraw(tasks__process(tasks, op->ev.pid), op);
	else
		correlate__withdraw(tasks__thread(tasks, op->ev.pid, op->ev.tid), op);
}

void operations__resubmit(struct operations *o, const void *source, uint64_t number, uint32_t tid,
			  uint64_t ts)
{
	struct gpu_op *op = find_op(o, source, number);
	struct thread *th = op ? tasks__thread(o->trace->tasks, op->ev.pid, tid) : NULL;

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

void operations__end(struct operations *o, const void *source, uint64_t number, uint64_t begin,
		     uint64_t end)
{
	struct gpu_op *op = find_op(o, source, number);

	if (!op || op->ended)
		return;
	op->ended = true;
	if (end) {
		op->ev.begin = begin;
		op->ev.end = end;
	} else {
		op->ev.flags |= EV_F_NO_TIMES;
	}
	if (op->settled)
		tell_op(o, op);
}

void operations__agent_gone(struct operations *o, struct agent_view *v)
{
	struct gpu_op *op, *next;

	resources__forget(o->resources, v);
	time_all_of(o, v);
	HASH_ITER (hh, o->ops, op, next) {
		if (op->key[0] != (uintptr_t)v || op->ended)
			continue;
		op->ended = true;
		op->ev.flags |= EV_F_NO_TIMES;
		if (op->settled)
			tell_op(o, op);
	}
}

size_t operations__running(const struct operations *o)
{
	return HASH_COUNT(o->ops);
}

void operations__finish(struct operations *o)
{
	struct gpu_op *op, *next;

	time_all_of(o, NULL);
	HASH_ITER (hh, o->ops, op, next) {
		if (!op->ended)
			op->ev.flags |= EV_F_NO_TIMES;
		tell_op(o, op);
	}
}
