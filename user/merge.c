// SPDX-License-Identifier: MIT
/*
 * Turns records into events: a call into a span (and roctx calls into ranges), a submission and its
 * completion into one GPU operation under the call that caused it.
 */
#include "user/merge.h"

#include <stdlib.h>
#include <string.h>

#include "user/correlate.h"
#include "user/ranges.h"

/* Agents whose process is gone keep their view until the end: operations may name them. */
struct merge {
	struct functions *fns;
	struct strings *strings;
	struct output *out;
	struct tasks *tasks;
	struct gpu_op *ops; /* submitted, not told yet */
	struct trace_stats stats;
	uint64_t window_begin, window_end;
};

struct merge *merge__new(struct functions *fns, struct strings *strings, struct tasks *tasks,
			 struct output *out)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->fns = fns;
	m->strings = strings;
	m->tasks = tasks;
	m->out = out;
	m->window_end = UINT64_MAX;
	return m;
}

void merge__free(struct merge *m)
{
	struct gpu_op *op, *next;

	if (!m)
		return;
	HASH_ITER (hh, m->ops, op, next) {
		HASH_DEL(m->ops, op);
		free(op);
	}
	free(m);
}

void merge__set_window(struct merge *m, uint64_t begin, uint64_t end)
{
	m->window_begin = begin;
	m->window_end = end;
}

static bool in_window(const struct merge *m, uint64_t time)
{
	return time >= m->window_begin && time <= m->window_end;
}

struct trace_stats *merge__stats(struct merge *m)
{
	return &m->stats;
}

/* ---- GPU operations ---- */

static void drop_op(struct merge *m, struct gpu_op *op)
{
	HASH_DEL(m->ops, op);
	free(op);
}

static void tell_op(struct merge *m, struct gpu_op *op)
{
	const struct event *ev = &op->ev;

	if (ev->flags & EV_F_UNCORRELATED && !in_window(m, ev->gpu.submit)) {
		drop_op(m, op); /* the call that caused it is not in the trace */
		return;
	}
	if (ev->kind == EV_DISPATCH)
		m->stats.dispatches++;
	else
		m->stats.copies++;
	if (ev->flags & EV_F_UNCORRELATED)
		m->stats.uncorrelated++;
	if (ev->flags & EV_F_NO_TIMES)
		m->stats.no_times++;
	output__event(m->out, ev);
	drop_op(m, op);
}

static void on_settled(struct gpu_op *op, void *arg)
{
	struct merge *m = arg;
	struct thread *th = tasks__thread(m->tasks, op->ev.pid, op->ev.tid);

	if (th)
		op->ev.in_range = ranges__at(th, op->ev.gpu.submit);
	if (op->ended)
		tell_op(m, op);
}

static int32_t gpu_of(const struct agent_view *v, uint32_t agent_id)
{
	const struct agent_device *d = agent__device(v, agent_id);

	return d ? d->gpu : -1;
}

static void fill_dispatch(struct event *ev, const struct agent_view *v,
			  const struct rt_agent_rec *rec)
{
	const struct agent_kernel *kernel = agent__kernel(v, rec->dispatch.kernel);

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
	ev->gpu.src_device = src;
	ev->gpu.dst_device = dst;
	ev->gpu.dir = direction(src, dst);
	ev->gpu.device = src >= 0 ? src : dst; /* between GPUs the source's engine does the work */
	ev->name = ev_copy_name(ev->gpu.dir);
}

static struct gpu_op *find_op(struct merge *m, struct agent_view *v, uint64_t number)
{
	uint64_t key[2] = {(uintptr_t)v, number};
	struct gpu_op *op;

	HASH_FIND(hh, m->ops, key, sizeof(key), op);
	return op;
}

struct tell_devices {
	struct merge *m;
	uint32_t pid;
};

static void tell_device(const struct agent_device *d, void *arg)
{
	const struct tell_devices *t = arg;
	struct device_info info = {.pid = t->pid, .device = d->gpu, .name = d->name};

	if (d->gpu >= 0)
		output__device(t->m->out, &info);
}

static void tell_devices(struct merge *m, const struct agent_view *v)
{
	struct tell_devices t = {m, agent__pid(v)};
	struct process *p = tasks__process(m->tasks, t.pid);

	if (!p || p->devices_told == v)
		return;
	p->devices_told = v;
	agent__each_device(v, tell_device, &t);
}

static void on_submit(struct merge *m, struct agent_view *v, const struct rt_agent_rec *rec)
{
	struct thread *th = tasks__thread(m->tasks, agent__pid(v), rec->tid);
	struct gpu_op *op = calloc(1, sizeof(*op));

	if (!th || !op || find_op(m, v, rec->op)) {
		m->stats.lost_other++;
		free(op);
		return;
	}
	tell_devices(m, v);
	op->key[0] = (uintptr_t)v;
	op->key[1] = rec->op;
	op->ev.domain = DOMAIN_GPU;
	op->ev.pid = agent__pid(v);
	op->ev.tid = rec->tid;
	op->ev.begin = op->ev.end = rec->time;
	op->ev.gpu.submit = rec->time;
	op->ev.gpu.op = rec->op;
	if (rec->kind == RT_AGENT_DISPATCH)
		fill_dispatch(&op->ev, v, rec);
	else
		fill_copy(&op->ev, v, rec);
	HASH_ADD(hh, m->ops, key, sizeof(op->key), op);
	correlate__submit(th, op, on_settled, m);
}

static void on_done(struct merge *m, struct agent_view *v, const struct rt_agent_rec *rec)
{
	const struct clock_map *clock = agent__clock(v);
	struct gpu_op *op = find_op(m, v, rec->op);

	if (!op && !agent__saw_submit(v, rec->op))
		return;
	if (!op || op->ended) {
		m->stats.lost_other++;
		return;
	}
	op->ended = true;
	if (rec->done.gpu_end && rec->done.gpu_end >= rec->done.gpu_begin) {
		op->ev.begin = clock_map__to_boot(clock, rec->done.gpu_begin);
		op->ev.end = clock_map__to_boot(clock, rec->done.gpu_end);
	} else {
		op->ev.flags |= EV_F_NO_TIMES;
	}
	if (op->settled)
		tell_op(m, op);
}

void merge__agent(struct merge *m, struct agent_view *v, const struct rt_agent_rec *rec)
{
	switch (rec->kind) {
	case RT_AGENT_DISPATCH:
	case RT_AGENT_COPY:
		on_submit(m, v, rec);
		break;
	case RT_AGENT_DONE:
		on_done(m, v, rec);
		break;
	default:
		m->stats.lost_other++;
	}
}

void merge__agent_gone(struct merge *m, struct agent_view *v)
{
	struct gpu_op *op, *next;

	HASH_ITER (hh, m->ops, op, next) {
		if (op->key[0] != (uintptr_t)v || op->ended)
			continue;
		op->ended = true;
		op->ev.flags |= EV_F_NO_TIMES;
		if (op->settled)
			tell_op(m, op);
	}
}

size_t merge__running(const struct merge *m)
{
	return HASH_COUNT(m->ops);
}

/* ---- calls ---- */

static struct event span_event(const struct rt_rec_span *rec, const struct function *fn)
{
	struct event ev = {
		.kind = EV_SPAN,
		.domain = fn->domain,
		.pid = rec->h.pid,
		.tid = rec->h.tid,
		.begin = rec->begin,
		.end = rec->h.ts,
		.corr = rec->corr,
		.parent = rec->parent,
		.root = rec->root,
		.name = fn->name,
		.ret = rec->ret,
		.depth = rec->depth,
	};

	memcpy(ev.args, rec->args, sizeof(ev.args));
	if (rec->h.flags & RT_SPAN_UNFINISHED)
		ev.flags |= EV_F_UNFINISHED;
	if (rec->h.flags & RT_SPAN_UNWOUND)
		ev.flags |= EV_F_UNWOUND;
	if (rec->h.flags & RT_SPAN_STR_CUT)
		ev.flags |= EV_F_CUT;
	return ev;
}

static const char *span_message(struct merge *m, const struct rt_rec_span *rec)
{
	const struct rt_rec_span_str *s = (const void *)rec;

	if (rec->h.kind != RT_REC_SPAN_STR)
		return NULL;
	if (rec->h.flags & RT_SPAN_STR_FAULT) {
		m->stats.lost_other++;
		return "(unreadable)";
	}
	return strings__keep(m->strings, s->str, rec->str_len);
}

static void on_range(const struct event *ev, void *arg)
{
	struct merge *m = arg;

	if (ev->kind == EV_MARK)
		m->stats.marks++;
	else
		m->stats.ranges++;
	output__event(m->out, ev);
}

static void on_span(struct merge *m, const struct rt_rec_span *rec)
{
	struct process *p = tasks__process(m->tasks, rec->h.pid);
	struct thread *th = tasks__thread(m->tasks, rec->h.pid, rec->h.tid);
	const struct function *fn = functions__by_id(m->fns, rec->func);
	struct event ev;

	if (rec->h.ts < m->window_begin || rec->begin > m->window_end)
		return;
	if (!p || !th || !fn || rec->begin > rec->h.ts) {
		m->stats.lost_other++;
		return;
	}
	ev = span_event(rec, fn);
	ev.in_range = ranges__at(th, ev.begin);
	if (correlate__span(th, &ev, on_settled, m))
		ev.flags |= EV_F_LAUNCHED;
	m->stats.spans++;
	if (ev.flags & (EV_F_UNFINISHED | EV_F_UNWOUND))
		m->stats.unfinished++;
	output__event(m->out, &ev);
	if (fn->domain == DOMAIN_ROCTX)
		ranges__call(p, th, &ev, span_message(m, rec), on_range, m);
}

/* ---- tasks ---- */

static void on_task(struct merge *m, const struct rt_rec_task *rec)
{
	struct thread *th = tasks__thread(m->tasks, rec->h.pid, rec->h.tid);

	if (th)
		snprintf(th->comm, sizeof(th->comm), "%.*s", RT_COMM_LEN - 1, rec->comm);
}

static void on_thread_end(struct merge *m, const struct rt_rec *rec)
{
	struct thread *th = tasks__thread(m->tasks, rec->pid, rec->tid);
	struct process *p;

	if (!th)
		return;
	correlate__give_up(th, on_settled, m);
	ranges__cut_thread(th, rec->ts, on_range, m);
	tasks__remove_thread(m->tasks, th);
	if (!(rec->flags & RT_EXIT_LAST))
		return;
	p = tasks__process(m->tasks, rec->pid);
	if (p)
		ranges__cut_process(p, rec->ts, on_range, m);
}

void merge__kernel(struct merge *m, const struct rt_rec *rec)
{
	switch (rec->kind) {
	case RT_REC_SPAN:
	case RT_REC_SPAN_STR:
		on_span(m, (const void *)rec);
		break;
	case RT_REC_TASK:
		on_task(m, (const void *)rec);
		break;
	case RT_REC_EXIT:
		on_thread_end(m, rec);
		break;
	default: /* the recorder's business */
		break;
	}
}

/* ---- the end ---- */

struct finish {
	struct merge *m;
	uint64_t now;
};

static void finish_thread(struct thread *th, void *arg)
{
	struct finish *f = arg;

	correlate__give_up(th, on_settled, f->m);
	ranges__cut_thread(th, f->now, on_range, f->m);
}

static void finish_process(struct process *p, void *arg)
{
	struct finish *f = arg;

	ranges__cut_process(p, f->now, on_range, f->m);
}

void merge__finish(struct merge *m, uint64_t now)
{
	struct finish f = {.m = m, .now = now};
	struct gpu_op *op, *next;

	tasks__each_thread(m->tasks, finish_thread, &f);
	tasks__each_process(m->tasks, finish_process, &f);
	HASH_ITER (hh, m->ops, op, next) {
		if (!op->ended)
			op->ev.flags |= EV_F_NO_TIMES;
		tell_op(m, op);
	}
}
