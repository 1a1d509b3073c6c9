// SPDX-License-Identifier: MIT
/*
 * From the sources to the merge: drains the kernel's rings and the agents' rings into the reorder
 * buffer, does at once what cannot wait, and releases what is old enough.
 *
 * A record may be released when every source has been drained since its time: the bound is the
 * start of the previous round in which nothing was held up. A round is held up by a record that a
 * thread has reserved and, preempted, not finished; it is waited for, but not for ever.
 */
#include "user/record/intake.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/clock/clock_map.h"
#include "user/api/span_items.h"
#include "user/base/log.h"
#include "user/base/procfs.h"
#include "user/agent/entry_code.h"
#include "user/merge/task_names.h"

#define TICK_NS	   100000000ULL	 /* 100 ms */
#define BEAT_EVERY 256		 /* records: how often a long round looks at the clock */
#define HELD_UP_NS 1000000000ULL /* do not wait longer than that for an unfinished record */
#define LAST_NS	   5000000000ULL /* nor at the end for processes that have left so much */

/* In the reorder buffer, a record of an agent follows a header like that of a kernel record. */
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

/* The process that a record is of; its end may have been recorded already. */
static struct process *process_of(const struct intake *in, const struct rt_rec *rec)
{
	return processes__process_at(in->trace->tasks, rec->pid, rec->ts);
}

/* The process may be stopped until the library is probed. */
static void on_mapped(struct intake *in, const struct rt_rec_mapped *rec)
{
	struct process *p = process_of(in, &rec->h);

	if (p)
		process__named(p, rec->comm, rec->cmdline, rec->cmdline_size);
	if (!in->stopping)
		targets__mapped(in->targets, rec->h.pid, rec);
	if (!(rec->h.flags & RT_MAPPED_STOPPED))
		return;
	holds__begin_release(&in->holds, rec->h.pid, false);
	holds__end_release(&in->holds, rec->h.pid); /* if not: its next record */
}

/* A process that probes keep off has mapped something that has some. */
static void on_held(pid_t pid, void *arg)
{
	struct intake *in = arg;

	do {
		holds__begin_release(&in->holds, pid, true);
		if (!in->stopping)
			targets__keep_off(in->targets, pid);
	} while (!holds__end_release(&in->holds, pid));
}

static void on_agent(struct intake *in, const struct rt_rec_agent *rec)
{
	const struct process *p = process_of(in, &rec->h);

	if (in->absent)
		agentless__has_agent(in->absent, rec->h.pid, rec->h.ts);
	if (!in->stopping && is_captured(in, p))
		agent_set__created(in->agents, rec->h.pid, rec->fd, rec->h.ts);
}

static void resolve_stack(struct intake *in, const struct rt_rec_span *span)
{
	const struct process *p = process_of(in, &span->h);

	if (p)
		user_stacks__resolve(in->trace->stacks, span, p->programs_drained);
}

/*
 * The record, or a completed copy of it. Some things must be read from the process while it is
 * alive, before the record waits in the buffer: the callers on its stack, a string that was not
 * resident when the BPF program read it, and the kernel that a host function denotes.
 */
static const struct rt_rec *completed(struct intake *in, const struct rt_rec *rec,
				      union span_record *copy)
{
	const struct rt_rec_span *span = (const void *)rec;
	const struct function *fn;

	if (rec->kind != RT_REC_SPAN || rec->size > sizeof(*copy))
		return rec;
	fn = functions__by_id(in->trace->fns, span->func);
	if (!fn)
		return rec;
	resolve_stack(in, span);
	if (fn->role == ROLE_LAUNCH_HOST)
		kernel_handles__look_up(in->trace->handles, rec->pid, span->args[0]);
	if (span_items__has_fault(span)) {
		span_items__read_faulted(copy, span, &fn->plan);
		span = &copy->span;
	}
	return &span->h;
}

static void push(struct intake *in, uint64_t ts, const void *rec, size_t size)
{
	if (reorder_buffer__push(in->order, ts, rec, size))
		in->trace->stats.lost_other++;
}

static void on_exec(struct intake *in, const struct rt_rec *rec)
{
	struct process *p = process_of(in, rec);

	if (in->absent)
		agentless__ended(in->absent, rec->pid, rec->ts);
	agent_set__end_calls(in->agents, rec->pid, rec->ts);
	symbols__forget(in->trace->symbols, rec->pid);
	if (in->dispatches)
		doorbell_dispatches__executes(in->dispatches, rec->pid);
	if (p) {
		p->libraries[0] = '\0';
		p->programs_drained++;
	}
	agent_set__exec(in->agents, rec->pid, rec->ts);
	if (!in->stopping)
		targets__exec(in->targets, rec->pid, rec->flags & RT_EXEC_BY_THREAD, rec->ts);
}

static void look_late(struct intake *in, pid_t pid)
{
	if (!agent_set__look(in->agents, pid) && errno != ENOENT)
		agent_set__say_unread(in->agents, pid, errno);
}

/* A child of a process has opened nothing itself. */
static void on_first_call(struct intake *in, const struct rt_rec *rec)
{
	struct process *p = process_of(in, rec);

	if (!p || in->stopping)
		return;
	if (!p->libraries[0])
		targets__called(in->targets, rec->pid, rec->ts);
	if (in->filtered && !p->captured)
		look_late(in, rec->pid);
	p->captured = true;
}

/*
 * Looks up the kernel's name while the process is alive. Skips the record if the process has the
 * agent, which records all dispatches.
 */
static void on_dispatch(struct intake *in, const struct rt_rec_dispatch *rec)
{
	struct dispatch_item item;

	if (agent_set__reads(in->agents, rec->h.pid))
		return;
	doorbell_dispatches__drained(in->dispatches, rec, &item);
	push(in, rec->h.ts, &item, sizeof(item));
}

/*
 * A thread is cut off in calls that the kernel has seen, or ends: those of its agent inside of them
 * come first.
 */
static void end_agent_calls(struct intake *in, const struct rt_rec *rec, uint64_t since)
{
	const struct thread *th;

	if (!agent_set__capturing(in->agents, rec->pid))
		return;
	th = processes__find_thread(in->trace->tasks, rec->pid, rec->tid);
	agent_set__end_calls_of(in->agents, rec->pid,
				th && th->ns_key ? (uint32_t)th->ns_key : rec->tid, since, rec->ts);
}

static void end_process(struct intake *in, const struct rt_rec *rec)
{
	if (in->absent)
		agentless__ended(in->absent, rec->pid, rec->ts);
	agent_set__end_calls(in->agents, rec->pid, rec->ts);
	targets__exit(in->targets, rec->pid);
	symbols__forget(in->trace->symbols, rec->pid);
	processes__end_process(in->trace->tasks, rec->pid, rec->ts);
}

/* A call that has been completed. */
static void look_for_agent(struct intake *in, const struct rt_rec *rec)
{
	const struct rt_rec_span *span = (const void *)rec;
	const struct function *fn = NULL;

	if (in->absent && rec->kind == RT_REC_SPAN)
		fn = functions__by_id(in->trace->fns, span->func);
	if (fn)
		agentless__call(in->absent, rec->pid, fn, span);
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
		agent_set__ended(in->agents, data);
		return;
	case RT_REC_EXEC:
		on_exec(in, rec);
		break;
	case RT_REC_TASK:
		on_first_call(in, rec);
		break;
	case RT_REC_FORK:
		if (!in->stopping)
			targets__forked(in->targets, ((const struct rt_rec_fork *)data)->child,
					rec->ts);
		break;
	case RT_REC_SPAN:
		if (rec->flags & RT_SPAN_UNFINISHED)
			end_agent_calls(in, rec, ((const struct rt_rec_span *)data)->begin);
		break;
	case RT_REC_EXIT:
		end_agent_calls(in, rec, 0);
		if (rec->flags & RT_EXIT_LAST)
			end_process(in, rec);
		else if (rec->flags & RT_EXIT_FIRST && !in->stopping)
			targets__first_thread_ended(in->targets, rec->pid, rec->ts);
		break;
	}
	rec = completed(in, rec, &copy);
	look_for_agent(in, rec);
	push(in, rec->ts, rec, rec->size);
}

static void on_agent_record(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
	struct agent_item item = {.h.kind = RT_REC_FROM_AGENT, .view = v, .rec = *rec};
	struct intake *in = arg;
	uint64_t now = clock__boot_ns();

	/* A process may write any time it likes there: none is in the future. */
	item.h.ts = item.rec.time = rec->time < now ? rec->time : now;
	/*
	 * The agent may have recorded more after the BPF program read this end. So this end is
	 * ordered after all of the agent's records.
	 */
	if (rec->flags & RT_AGENT_F_AGAIN)
		item.h.ts = now;
	if (reorder_buffer__push(in->order, item.h.ts, &item, sizeof(item))) {
		in->trace->stats.lost_other++;
		agent_memory__done_with(v);
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
	own.span.h.pid = agent_memory__pid(v);
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

	c->functions += !agent_calls__add(c->spans, fn, way);
}

static void capture_library(const struct library *lib, uint64_t base, void *arg)
{
	const struct capturing *c = arg;

	if (!c->only || c->only == lib)
		entry_code__each(lib, base, capture_function, arg);
}

static void capture_libraries(struct intake *in, const struct agent_view *v,
			      const struct library *only)
{
	struct capturing c = {.spans = agent_memory__spans(v), .only = only};

	targets__each_library(in->targets, agent_memory__pid(v), capture_library, &c);
	agent_calls__want(c.spans, true);
	log_info("agent: process %d: captures calls of %zu functions", agent_memory__pid(v),
		 c.functions);
}

/* What the process has mapped by now; the rest when it is found, see on_use. */
static void on_agent_capture(struct agent_view *v, void *arg)
{
	struct rt_agent_calls calls = agent_calls__place(agent_memory__spans(v));
	struct intake *in = arg;

	if (!capture__watch_calls(in->capture, agent_memory__pid(v),
				  &calls)) /* else its probes serve */
		capture_libraries(in, v, NULL);
}

/* From now on the kernel reports its new names: what it is called now is not known otherwise. */
static void read_name(struct intake *in, pid_t pid)
{
	struct process *p = processes__find_running(in->trace->tasks, pid);
	char comm[RT_COMM_LEN];

	procfs__comm(pid, comm, sizeof(comm));
	if (p && strcmp(comm, "?"))
		task_names__rename_process(p, comm);
}

/* Without it, the last ends of the process are lost if it is killed. */
static void on_agent_placed(pid_t pid, uint64_t address, void *arg)
{
	struct intake *in = arg;
	int err = capture__watch_agent(in->capture, pid, address);

	if (address)
		read_name(in, pid);
	else
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
	log_warn("process %d: %s", agent_memory__pid(v), name);
	merge__gap(in->merge, agent_memory__pid(v), name, begin, end);
}

static void on_taken(pid_t pid, uint64_t at, void *arg)
{
	struct intake *in = arg;

	merge__gap(in->merge, pid, "from here on another tracer has the GPU times", at, at);
}

static void on_blinded(pid_t pid, uint64_t begin, uint64_t end, void *arg)
{
	struct intake *in = arg;

	merge__gap(in->merge, pid, "another tracer had calls captured by the agent", begin, end);
}

/* An agent goes dormant without heartbeats, so a round that takes long sends them too. */
static void beat(struct intake *in, uint64_t now)
{
	if (now - in->last_beat < TICK_NS)
		return;
	agent_set__heartbeat(in->agents);
	in->last_beat = now;
}

/* ---- what the targets report ---- */

static void on_use(pid_t pid, const struct library *lib, void *arg)
{
	struct intake *in = arg;
	struct process *p = processes__running_process(in->trace->tasks, pid);
	struct agent_view *capturing = agent_set__capturing(in->agents, pid);
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

void intake__gap(pid_t pid, const char *what, uint64_t begin, uint64_t end, void *arg)
{
	struct intake *in = arg;

	merge__gap(in->merge, pid, what, begin, end);
}

static bool takes(pid_t pid, void *arg)
{
	struct intake *in = arg;

	return capture__takes(in->capture, pid);
}

struct targets_callbacks intake__targets_callbacks(struct intake *in)
{
	return (struct targets_callbacks){on_use, intake__gap, takes, in};
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
	struct intake *in = arg;

	if (++in->records % BEAT_EVERY == 0)
		beat(in, clock__boot_ns());
	if (rec->kind == RT_REC_FROM_AGENT) {
		gpu_operations__record(in->operations, item->view, &item->rec);
		agent_memory__done_with(item->view);
	} else if (rec->kind == RT_REC_AGENT_GONE) {
		gpu_operations__agent_gone(in->operations, item->view);
		agent_set__release(in->agents, item->view);
	} else if (rec->kind == RT_REC_DISPATCH) {
		doorbell_dispatches__submitted(in->dispatches, data);
	} else if (rec->kind == RT_REC_SIGNAL) {
		doorbell_dispatches__signal(in->dispatches, data);
	} else {
		if (in->dispatches && is_end_of_program(rec))
			doorbell_dispatches__process_gone(in->dispatches, rec->pid);
		merge__kernel(in->merge, rec);
	}
}

static void look_for_agent_again(struct intake *in, pid_t pid)
{
	uint64_t now;

	if (in->filtered || agent_set__reads(in->agents, pid) || !agent_set__look(in->agents, pid))
		return;
	now = clock__boot_ns();
	merge__gap(in->merge, pid, "no GPU operations: its agent was found late", in->last_tick,
		   now);
	if (in->absent)
		agentless__has_agent(in->absent, pid, now);
}

static int look_again(pid_t pid, void *arg)
{
	struct intake *in = arg;

	if (!capture__takes(in->capture, pid))
		return 0;
	targets__look(in->targets, pid, in->last_tick);
	look_for_agent_again(in, pid);
	return 0;
}

/* Since the last tick, the kernel may have left out libraries and agents that came. */
static void look_for_missed(struct intake *in)
{
	if (in->stopping || !capture__has_missed(in->capture))
		return;
	log_info("the kernel left out programs of the tracer: looks at all processes again");
	procfs__processes(look_again, in);
}

/* Returns true if no source is held up. */
static bool drain(struct intake *in)
{
	bool complete = capture__drain(in->capture, on_kernel_record, in);

	if (holds__has_kept_off(&in->holds))
		holds__each_kept_off(&in->holds, on_held, in);
	return agent_set__drain(in->agents) && complete;
}

/* One round that began `now`, when last_round's had begun before. */
static void release(struct intake *in, uint64_t now, bool complete)
{
	if (!complete && now - in->last_round < HELD_UP_NS)
		return;
	reorder_buffer__release(in->order, in->last_round, on_released, in);
	targets__drained(in->targets, in->last_round);
	gpu_operations__time(in->operations);
	if (in->dispatches)
		doorbell_dispatches__round(in->dispatches, in->last_round);
	in->last_round = now;
}

void intake__round(struct intake *in)
{
	uint64_t now = clock__boot_ns();
	bool complete = drain(in);

	if (now - in->last_tick >= TICK_NS) {
		agent_set__reap(in->agents);
		look_for_missed(in);
		if (in->absent)
			agentless__tick(in->absent, now);
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
		if (complete && round >= 3 && !gpu_operations__running(in->operations))
			break;
		poll(NULL, 0, 1);
	}
}

/* The calls are in the buffer by now: what agents have left is released as it comes. */
static void drain_agents(struct intake *in)
{
	uint64_t until = clock__boot_ns() + LAST_NS;
	bool complete;

	while (!(complete = agent_set__drain_last(in->agents)) && clock__boot_ns() < until)
		reorder_buffer__release(in->order, UINT64_MAX, on_released, in);
	if (!complete)
		agent_set__give_up(in->agents);
}

void intake__drain_last(struct intake *in)
{
	int rounds = HELD_UP_NS / INTAKE_ROUND_NS;

	while (!drain(in) && --rounds)
		poll(NULL, 0, 1);
	agent_set__reap(in->agents); /* all records of the processes that ended were read by now */
	if (!capture__drain(in->capture, on_kernel_record, in))
		in->trace->stats.lost_other++; /* at least */
	targets__drained(in->targets, UINT64_MAX);
	drain_agents(in);
	reorder_buffer__release(in->order, UINT64_MAX, on_released, in);
	if (in->dispatches)
		doorbell_dispatches__finish(in->dispatches);
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
		.taken = on_taken,
		.blinded = on_blinded,
		.arg = in,
	};
}

void intake__free(struct intake *in)
{
	reorder_buffer__free(in->order);
	in->order = NULL;
}
