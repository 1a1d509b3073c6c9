// SPDX-License-Identifier: MIT
/*
 * From the sources to the merge: drains the kernel's rings and the agents' rings into the reorder
 * buffer, does at once what cannot wait, and releases what is old enough.
 *
 * A record may be released when every source has been drained since its time: the bound is the
 * start of the previous round in which nothing was held up. A round is held up by a record that a
 * thread has reserved and, preempted, not finished; it is waited for, but not for ever.
 */
#include "user/intake.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/clock.h"
#include "user/items.h"
#include "user/log.h"
#include "user/procfs.h"
#include "user/ways.h"

#define TICK_NS	   100000000ULL	 /* 100 ms */
#define BEAT_EVERY 256		 /* records: how often a long round looks at the clock */
#define HELD_UP_NS 1000000000ULL /* do not wait longer than that for an unfinished record */
#define LAST_NS	   5000000000ULL /* nor at the end for processes that have left so much */

/* In the reorder buffer, records of agents travel behind the header of those of the kernel. */
#define RT_REC_FROM_AGENT 0x100
#define RT_REC_AGENT_GONE 0x101 /* without a record */

struct agent_item {
	struct rt_rec h;
	struct agent_view *view;
	struct rt_agent_rec rec;
};

/* ---- from the sources into the reorder buffer ---- */

/* With filters, what the GPU does for a process belongs into the trace if calls of it do. */
static bool is_captured(const struct intake *in, const struct process *p)
{
	return !in->filtered || (p && p->captured);
}

/* The process that a record is of, which may have been heard to end. */
static struct process *process_of(const struct intake *in, const struct rt_rec *rec)
{
	return tasks__process_at(in->trace->tasks, rec->pid, rec->ts);
}

/* The process may be stopped until the library is probed. */
static void on_mapped(struct intake *in, const struct rt_rec_mapped *rec)
{
	struct process *p = process_of(in, &rec->h);

	if (p)
		process__named(p, rec->comm, rec->cmdline, rec->cmdline_size);
	if (!in->stopping)
		targets__mapped(in->targets, rec->h.pid, rec);
	if (rec->h.flags & RT_MAPPED_STOPPED)
		kill(rec->h.pid, SIGCONT);
}

static void on_agent(struct intake *in, const struct rt_rec_agent *rec)
{
	const struct process *p = process_of(in, &rec->h);

	if (!in->stopping && is_captured(in, p))
		agents__created(in->agents, rec->h.pid, rec->fd, rec->h.ts);
}

/* The function that the span is of; NULL: unknown. */
static const struct function *span_function(struct intake *in, const struct rt_rec_span *span)
{
	if (span->h.flags & RT_SPAN_BY_IP)
		return targets__resolve(in->targets, span->h.pid, span->func);
	return functions__by_id(in->trace->fns, span->func);
}

static void resolve_stack(struct intake *in, const struct rt_rec_span *span)
{
	const struct process *p = process_of(in, &span->h);

	if (p)
		stacks__resolve(in->trace->stacks, span, p->programs_drained);
}

/*
 * The record, or a completed copy of it. Some things must be asked of the process while it is
 * there, before the record waits in the buffer: which function an address is, a string that was not
 * resident when the kernel looked, and which kernel a host function stands for.
 */
static const struct rt_rec *completed(struct intake *in, const struct rt_rec *rec,
				      union span_record *copy)
{
	const struct rt_rec_span *span = (const void *)rec;
	const struct function *fn;

	if (rec->kind != RT_REC_SPAN || rec->size > sizeof(*copy))
		return rec;
	fn = span_function(in, span);
	if (!fn)
		return rec;
	resolve_stack(in, span);
	if (fn->role == ROLE_LAUNCH_HOST)
		handles__look_up(in->trace->handles, rec->pid, span->args[0]);
	if (items__has_fault(span)) {
		items__read_faulted(copy, span, &fn->plan);
		span = &copy->span;
	}
	if (rec->flags & RT_SPAN_BY_IP) {
		memmove(copy, span, span->h.size);
		copy->span.func = fn->id;
		copy->span.h.flags &= ~RT_SPAN_BY_IP;
		span = &copy->span;
	}
	return &span->h;
}

static void push(struct intake *in, uint64_t ts, const void *rec, size_t size)
{
	if (order__push(in->order, ts, rec, size))
		in->trace->stats.lost_other++;
}

static void on_exec(struct intake *in, const struct rt_rec *rec)
{
	struct process *p = process_of(in, rec);

	agents__end_calls(in->agents, rec->pid, rec->ts);
	symbols__forget(in->trace->symbols, rec->pid);
	if (p) {
		p->libraries[0] = '\0';
		p->programs_drained++;
	}
	agents__exec(in->agents, rec->pid, rec->ts);
	if (!in->stopping)
		targets__exec(in->targets, rec->pid, rec->ts);
}

/* A child of a process has opened nothing itself. */
static void on_first_call(struct intake *in, const struct rt_rec *rec)
{
	struct process *p = process_of(in, rec);

	if (!p || in->stopping)
		return;
	if (!p->libraries[0])
		targets__calls(in->targets, rec->pid);
	if (in->filtered && !p->captured)
		agents__look(in->agents, rec->pid);
	p->captured = true;
}

/* The kernel's name, while the process is there. Of one that has the agent that tells all. */
static void on_dispatch(struct intake *in, const struct rt_rec_dispatch *rec)
{
	struct dispatch_item item;

	if (agents__reads(in->agents, rec->h.pid))
		return;
	dispatches__drained(in->dispatches, rec, &item);
	push(in, rec->h.ts, &item, sizeof(item));
}

/*
 * A thread is cut off in calls that the kernel has seen, or ends: those of its agent inside of them
 * come first.
 */
static void end_agent_calls(struct intake *in, const struct rt_rec *rec, uint64_t since)
{
	const struct thread *th;

	if (!agents__capturing(in->agents, rec->pid))
		return;
	th = tasks__find_thread(in->trace->tasks, rec->pid, rec->tid);
	agents__end_calls_of(in->agents, rec->pid,
			     th && th->ns_key ? (uint32_t)th->ns_key : rec->tid, since, rec->ts);
}

/* What cannot wait is done at once; everything goes on to the merge in the order of time. */
static void on_kernel_record(const void *data, size_t size, void *arg)
{
	const struct rt_rec *rec = data;
	union span_record copy;
	struct intake *in = arg;

	if (size < sizeof(*rec) || rec->size > size) {
		in->trace->stats.lost_other++;
		return;
	}
	switch (rec->kind) {
	case RT_REC_MAPPED:
		on_mapped(in, data);
		return;
	case RT_REC_AGENT:
		on_agent(in, data);
		return;
	case RT_REC_DISPATCH:
		on_dispatch(in, data);
		return;
	case RT_REC_ENDED:
		agents__ended(in->agents, data);
		return;
	case RT_REC_CODE:
		dispatches__code_changed(in->dispatches, data);
		return;
	case RT_REC_FORK:
		targets__fork(in->targets, rec->pid, ((const struct rt_rec_fork *)data)->child);
		break;
	case RT_REC_EXEC:
		on_exec(in, rec);
		break;
	case RT_REC_TASK:
		on_first_call(in, rec);
		break;
	case RT_REC_SPAN:
		if (rec->flags & RT_SPAN_UNFINISHED)
			end_agent_calls(in, rec, ((const struct rt_rec_span *)data)->begin);
		break;
	case RT_REC_EXIT:
		end_agent_calls(in, rec, 0);
		if (rec->flags & RT_EXIT_LAST) {
			agents__end_calls(in->agents, rec->pid, rec->ts);
			targets__exit(in->targets, rec->pid);
			symbols__forget(in->trace->symbols, rec->pid);
			tasks__end_process(in->trace->tasks, rec->pid, rec->ts);
		}
		break;
	}
	rec = completed(in, rec, &copy);
	push(in, rec->ts, rec, rec->size);
}

static void on_agent_record(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
	struct agent_item item = {.h.kind = RT_REC_FROM_AGENT, .view = v, .rec = *rec};
	struct intake *in = arg;
	uint64_t now = clock__boot_ns();

	/* A process may write any time it likes there: none is in the future. */
	item.h.ts = item.rec.time = rec->time < now ? rec->time : now;
	/* The agent may have gone on when the kernel looked: what that saw is behind all it said.
	 */
	if (rec->flags & RT_AGENT_F_AGAIN)
		item.h.ts = now;
	if (order__push(in->order, item.h.ts, &item, sizeof(item))) {
		in->trace->stats.lost_other++;
		agent__done_with(v);
	}
}

/* ---- calls that agents have captured ---- */

/* As is_wanted() of bpf/filter.h: of calls that have returned. */
static bool is_wanted(const struct intake *in, const struct rt_rec_span *span)
{
	const struct function *fn = functions__by_id(in->trace->fns, span->func);
	const struct capture_filter *f = in->filter;

	if (!fn || fn->plan.flags & RT_PLAN_KEEP ||
	    span->h.flags & (RT_SPAN_UNFINISHED | RT_SPAN_UNWOUND))
		return true;
	return span->h.ts - span->begin >= f->min_duration &&
	       (!f->errors_only || rt_has_failed(fn->plan.failure, fn->plan.benign, span->ret));
}

static void on_agent_call(struct agent_view *v, const struct rt_rec *rec, void *arg)
{
	uint64_t now = clock__boot_ns();
	union span_record own, copy;
	struct intake *in = arg;

	if (rec->size > sizeof(own))
		return;
	memcpy(&own, rec, rec->size);
	rec = &own.span.h;
	own.span.h.pid = agent__pid(v);
	if (own.span.h.ts > now) /* a process may write any time it likes */
		own.span.h.ts = now;
	if (rec->kind == RT_REC_TASK)
		on_first_call(in, rec);
	if (rec->kind == RT_REC_SPAN) {
		if (own.span.begin > rec->ts)
			own.span.begin = rec->ts;
		if (!is_wanted(in, &own.span))
			return;
		in->agent_calls++;
		rec = completed(in, rec, &copy);
	}
	push(in, rec->ts, rec, rec->size);
}

struct capturing {
	struct agent_spans *spans;
	const struct library *only; /* NULL: all */
	size_t functions;
};

static void capture_function(const struct function *fn, const struct agent_span_way *way, void *arg)
{
	struct capturing *c = arg;

	c->functions += !agent_spans__add(c->spans, fn, way);
}

static void capture_library(const struct library *lib, uint64_t base, void *arg)
{
	const struct capturing *c = arg;

	if (!c->only || c->only == lib)
		ways__each(lib, base, capture_function, arg);
}

static void capture_libraries(struct intake *in, const struct agent_view *v,
			      const struct library *only)
{
	struct capturing c = {.spans = agent__spans(v), .only = only};

	targets__each_library(in->targets, agent__pid(v), capture_library, &c);
	agent_spans__want(c.spans, true);
	log_info("agent: process %d: captures calls of %zu functions", agent__pid(v), c.functions);
}

/* What the process has mapped by now; the rest when it is found, see on_use. */
static void on_agent_capture(struct agent_view *v, void *arg)
{
	struct rt_agent_calls calls = agent_spans__place(agent__spans(v));
	struct intake *in = arg;

	if (!capture__watch_calls(in->capture, agent__pid(v), &calls)) /* else its probes serve */
		capture_libraries(in, v, NULL);
}

/* Without it, the last ends of the process are lost if it is killed. */
static void on_agent_placed(pid_t pid, uint64_t address, void *arg)
{
	struct intake *in = arg;
	int err = capture__watch_agent(in->capture, pid, address);

	if (!address)
		capture__watch_calls(in->capture, pid, NULL);
	if (err && address)
		log_warn(
			"agent: process %d: if it is killed, its last operations have no times: %s",
			pid, strerror(-err));
}

static void on_agent_gone(struct agent_view *v, void *arg)
{
	struct agent_item item = {.h.kind = RT_REC_AGENT_GONE, .view = v};

	item.h.ts = clock__boot_ns();
	push(arg, item.h.ts, &item, sizeof(item));
}

static void on_agent_paused(struct agent_view *v, uint64_t begin, uint64_t end, void *arg)
{
	struct intake *in = arg;
	char name[128];

	snprintf(name, sizeof(name), "what the GPU ran for %.1f s is missing: the tracer was late",
		 (end - begin) / 1e9);
	log_warn("process %d: %s", agent__pid(v), name);
	merge__gap(in->merge, agent__pid(v), name, begin, end);
}

static void on_blinded(pid_t pid, uint64_t begin, uint64_t end, void *arg)
{
	struct intake *in = arg;

	merge__gap(in->merge, pid, "another tracer had calls captured by the agent", begin, end);
}

/* An agent that hears nothing goes dormant, so a round that takes long gives signs of life too. */
static void beat(struct intake *in, uint64_t now)
{
	if (now - in->last_beat < TICK_NS)
		return;
	agents__heartbeat(in->agents);
	in->last_beat = now;
}

/* ---- what the targets tell ---- */

static void on_use(pid_t pid, const struct library *lib, void *arg)
{
	struct intake *in = arg;
	struct process *p = tasks__running_process(in->trace->tasks, pid);
	struct agent_view *capturing = agents__capturing(in->agents, pid);
	char name[256];
	size_t len;

	if (capturing)
		capture_libraries(in, capturing, lib);
	if (!p)
		return;
	len = strlen(p->libraries);
	procfs__basename(lib->name, name, sizeof(name));
	snprintf(p->libraries + len, sizeof(p->libraries) - len, "%s%s", len ? ", " : "", name);
	p->told = false;
}

static void on_gap(pid_t pid, const char *what, uint64_t begin, uint64_t end, void *arg)
{
	struct intake *in = arg;

	merge__gap(in->merge, pid, what, begin, end);
}

struct targets_callbacks intake__targets_callbacks(struct intake *in)
{
	return (struct targets_callbacks){on_use, on_gap, in};
}

/* ---- from the reorder buffer into the merge ---- */

static bool is_end_of_program(const struct rt_rec *rec)
{
	return rec->kind == RT_REC_EXEC || (rec->kind == RT_REC_EXIT && rec->flags & RT_EXIT_LAST);
}

static void on_released(const void *data, size_t size, void *arg)
{
	const struct agent_item *item = data;
	const struct rt_rec *rec = data;
	union span_record copy;
	struct intake *in = arg;

	if (++in->records % BEAT_EVERY == 0)
		beat(in, clock__boot_ns());
	if (rec->kind == RT_REC_FROM_AGENT) {
		operations__record(in->operations, item->view, &item->rec);
		agent__done_with(item->view);
	} else if (rec->kind == RT_REC_AGENT_GONE) {
		operations__agent_gone(in->operations, item->view);
		agents__release(in->agents, item->view);
	} else if (rec->kind == RT_REC_DISPATCH) {
		dispatches__submitted(in->dispatches, data);
	} else if (rec->kind == RT_REC_SIGNAL) {
		dispatches__signal(in->dispatches, data);
	} else {
		/* Once more: that a process is a fork of another may be heard only now. */
		if (rec->flags & RT_SPAN_BY_IP)
			rec = completed(in, rec, &copy);
		if (in->dispatches && is_end_of_program(rec))
			dispatches__process_gone(in->dispatches, rec->pid);
		merge__kernel(in->merge, rec);
		if (rec->kind == RT_REC_EXIT && rec->flags & RT_EXIT_LAST)
			targets__forget(in->targets, rec->pid);
	}
}

/* Returns true if no source is held up. */
static bool drain(struct intake *in)
{
	bool complete = capture__drain(in->capture, on_kernel_record, in);

	return agents__drain(in->agents) && complete;
}

/* One round that began `now`, when last_round's had begun before. */
static void release(struct intake *in, uint64_t now, bool complete)
{
	if (!complete && now - in->last_round < HELD_UP_NS)
		return;
	order__release(in->order, in->last_round, on_released, in);
	operations__time(in->operations);
	if (in->dispatches)
		dispatches__round(in->dispatches, in->last_round);
	in->last_round = now;
}

void intake__round(struct intake *in)
{
	uint64_t now = clock__boot_ns();
	bool complete = drain(in);

	if (now - in->last_tick >= TICK_NS) {
		agents__reap(in->agents);
		in->last_tick = now;
	}
	beat(in, now);
	release(in, now, complete);
}

void intake__drain_for(struct intake *in, int ms)
{
	for (int round = 0; round < ms; round++) {
		uint64_t now = clock__boot_ns();
		bool complete = drain(in);

		release(in, now, complete);
		if (complete && round >= 3 && !operations__running(in->operations))
			break;
		poll(NULL, 0, 1);
	}
}

/* The calls are in the buffer by now: what agents have left is released as it comes. */
static void drain_agents(struct intake *in)
{
	uint64_t until = clock__boot_ns() + LAST_NS;
	bool complete;

	while (!(complete = agents__drain_last(in->agents)) && clock__boot_ns() < until)
		order__release(in->order, UINT64_MAX, on_released, in);
	if (!complete)
		agents__give_up(in->agents);
}

void intake__drain_last(struct intake *in)
{
	int rounds = HELD_UP_NS / INTAKE_ROUND_NS;

	while (!drain(in) && --rounds)
		poll(NULL, 0, 1);
	agents__reap(in->agents); /* of what has ended, the kernel has told all by now */
	if (!capture__drain(in->capture, on_kernel_record, in))
		in->trace->stats.lost_other++; /* at least */
	drain_agents(in);
	order__release(in->order, UINT64_MAX, on_released, in);
	if (in->dispatches)
		dispatches__finish(in->dispatches);
}

struct agents_callbacks intake__callbacks(struct intake *in)
{
	return (struct agents_callbacks){
		.record = on_agent_record,
		.call = on_agent_call,
		.capture = on_agent_capture,
		.gone = on_agent_gone,
		.placed = on_agent_placed,
		.paused = on_agent_paused,
		.blinded = on_blinded,
		.arg = in,
	};
}

void intake__free(struct intake *in)
{
	order__free(in->order);
	in->order = NULL;
}
