// SPDX-License-Identifier: MIT
/*
 * Turns records of the kernel into events: calls into spans, roctx calls into ranges and marks. The
 * contents of other calls (kernels, external IDs, switching on and off, names) go into later
 * events.
 */
#include "user/merge/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "user/merge/correlate.h"
#include "user/api/span_items.h"
#include "user/merge/roctx_ranges.h"
#include "user/merge/runtime_threads.h"
#include "user/merge/task_names.h"

/* Where both address and size are multiples of it, HIP fills with one kernel. */
#define BLIT_ALIGNMENT 16

struct merge {
	struct trace *trace;
	struct operations *operations;
};

struct merge *merge__new(struct trace *trace, struct operations *operations)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->trace = trace;
	m->operations = operations;
	return m;
}

void merge__free(struct merge *m)
{
	free(m);
}

/* A call, with all that is needed to understand it. */
struct call {
	const struct rt_rec_span *rec;
	const struct function *fn;
	struct process *process;
	struct thread *thread;
	struct nesting_place place;
	bool quiet; /* tracing was off when it began */
	struct event ev;
	struct call_values values;
};

static bool has_returned(const struct call *c)
{
	return !(c->rec->h.flags & (RT_SPAN_UNFINISHED | RT_SPAN_UNWOUND | RT_SPAN_ENTRY));
}

/* ---- what calls say ---- */

/* Copies the string that the argument points to; NULL: it was not read. */
static const char *string_arg(const struct call *c, uint8_t word, char text[RT_DATA_MAX + 1])
{
	const struct rt_item *item = span_items__read(c->rec, &c->fn->plan, RT_READ_STRING, word);
	size_t len;

	if (!item || item->flags & RT_ITEM_FAULT)
		return NULL;
	len = item->len < RT_DATA_MAX ? item->len : RT_DATA_MAX;
	memcpy(text, span_items__data(item), len);
	text[len] = '\0';
	return text;
}

static bool is_cut(const struct call *c, uint8_t word)
{
	const struct rt_item *item = span_items__read(c->rec, &c->fn->plan, RT_READ_STRING, word);

	return item && item->flags & RT_ITEM_CUT;
}

static const char *kernel_arg(struct merge *m, const struct call *c, uint8_t word)
{
	const struct rt_item *item = span_items__read(c->rec, &c->fn->plan, RT_READ_STRING, word);

	if (!item || item->flags & RT_ITEM_FAULT || !item->len || is_cut(c, word))
		return NULL;
	return string_pool__keep_kernel(m->trace->strings, span_items__data(item), item->len);
}

static void on_range(const struct event *ev, void *arg)
{
	trace_state__tell(arg, ev);
}

/* A range is shown if tracing was on at one of its ends; a mark, if it was on. */
static void on_range_call(struct merge *m, struct call *c)
{
	char text[RT_DATA_MAX + 1];
	const char *message = string_arg(c, 0, text);
	struct trace *t = m->trace;

	if (!message && (c->fn->role != ROLE_RANGE_POP && c->fn->role != ROLE_RANGE_STOP)) {
		t->stats.unreadable++;
		message = "(unreadable)";
	}
	if (is_cut(c, 0))
		c->ev.flags |= EV_F_CUT;
	if (roctx_ranges__call(c->process, c->thread, &c->ev, c->fn, c->quiet, message, on_range,
			       t))
		t->stats.lost_other++;
}

/* __hipRegisterFunction(modules, host function, name, ...) */
static void on_register_kernel(struct merge *m, const struct call *c)
{
	const char *name = kernel_arg(m, c, 2);

	if (name)
		kernel_handles__learn(m->trace->handles, c->rec->h.pid, c->rec->args[1], name);
}

/* hipModuleGetFunction(where the function goes, module, name) */
static void on_get_kernel(struct merge *m, const struct call *c)
{
	const struct rt_item *out = span_items__read(c->rec, &c->fn->plan, RT_READ_BYTES, 0);
	const char *name = kernel_arg(m, c, 2);
	uint64_t handle;

	if (!name || !out || out->len < sizeof(handle) || (uint32_t)c->rec->ret)
		return;
	memcpy(&handle, span_items__data(out), sizeof(handle));
	kernel_handles__learn(m->trace->handles, c->rec->h.pid, handle, name);
}

/* rocprofiler's take a context, a thread id and the ID. */
static void on_external(struct merge *m, const struct call *c)
{
	struct tasks *tasks = m->trace->tasks;
	struct thread *th = c->thread;

	if ((uint32_t)c->rec->ret)
		return;
	if (c->fn->role == ROLE_EXTERNAL_PUSH_THREAD || c->fn->role == ROLE_EXTERNAL_POP_THREAD)
		th = processes__thread_by_ns_tid(tasks, c->rec->h.pid, c->rec->args[1]);
	if (!th)
		return;
	if (c->fn->role == ROLE_EXTERNAL_PUSH)
		external_ids__push(&th->external, c->rec->args[0], c->rec->h.ts);
	else if (c->fn->role == ROLE_EXTERNAL_PUSH_THREAD)
		external_ids__push(&th->external, c->rec->args[2], c->rec->h.ts);
	else
		external_ids__pop(&th->external);
}

static void on_name_thread(struct merge *m, const struct call *c)
{
	char text[RT_DATA_MAX + 1];
	const char *name = string_arg(c, 0, text);

	if (!name)
		return;
	snprintf(c->thread->comm, sizeof(c->thread->comm), "%s", name);
	c->thread->named = true;
	c->thread->told = false;
}

/* roctxNameHipDevice(name, device) */
static void on_name_device(struct merge *m, const struct call *c)
{
	char text[RT_DATA_MAX + 1];
	struct device_info info = {
		.pid = c->rec->h.pid,
		.device = (int32_t)c->rec->args[1],
		.name = string_arg(c, 0, text),
	};

	if (c->process && c->process->devices_told)
		info.device = agent_memory__hip_device(c->process->devices_told, info.device);
	if (info.name && info.device >= 0)
		output_set__device(m->trace->out, &info);
}

/* roctxNameHipStream(name, stream): launches name their streams. */
static void on_name_stream(struct merge *m, const struct call *c)
{
	char text[RT_DATA_MAX + 1];
	const char *name = string_arg(c, 0, text);

	if (name)
		kernel_handles__learn(m->trace->handles, c->rec->h.pid, c->rec->args[1],
				      string_pool__keep(m->trace->strings, name, strlen(name)));
}

static void follow(struct merge *m, struct call *c)
{
	if (c->fn->role == ROLE_CONTROL)
		trace_control__call(m->trace->tasks, c->process, c->fn->plan.control, c->rec);
	if (!has_returned(c))
		return;
	switch (c->fn->role) {
	case ROLE_RANGE_PUSH:
	case ROLE_RANGE_POP:
	case ROLE_RANGE_START:
	case ROLE_RANGE_STOP:
	case ROLE_MARK:
		on_range_call(m, c);
		break;
	case ROLE_EXTERNAL_PUSH:
	case ROLE_EXTERNAL_POP:
	case ROLE_EXTERNAL_PUSH_THREAD:
	case ROLE_EXTERNAL_POP_THREAD:
		on_external(m, c);
		break;
	case ROLE_REGISTER_KERNEL:
		on_register_kernel(m, c);
		break;
	case ROLE_GET_KERNEL:
		on_get_kernel(m, c);
		break;
	case ROLE_SET_DEVICE:
		if (!(uint32_t)c->rec->ret)
			c->thread->device = c->rec->args[0];
		break;
	case ROLE_NAME_THREAD:
		on_name_thread(m, c);
		break;
	case ROLE_NAME_DEVICE:
		on_name_device(m, c);
		break;
	case ROLE_NAME_STREAM:
		on_name_stream(m, c);
		break;
	default:
		break;
	}
}

/* ---- calls ---- */

static uint32_t event_flags(const struct rt_rec_span *rec)
{
	uint32_t flags = 0;

	if (rec->h.flags & RT_SPAN_UNFINISHED)
		flags |= EV_F_UNFINISHED;
	if (rec->h.flags & RT_SPAN_UNWOUND)
		flags |= EV_F_UNWOUND;
	if (rec->h.flags & RT_SPAN_ENTRY)
		flags |= EV_F_ENTRY;
	return flags;
}

static void fill_event(struct call *c)
{
	const struct rt_rec_span *rec = c->rec;
	struct event *ev = &c->ev;

	*ev = (struct event){
		.kind = EV_SPAN,
		.domain = c->fn->domain,
		.flags = event_flags(rec),
		.pid = rec->h.pid,
		.tid = c->thread->tid,
		.begin = rec->begin,
		.end = rec->h.ts,
		.corr = rec->corr,
		.parent = c->place.parent,
		.root = c->place.root,
		.name = c->fn->name,
		.ret = rec->ret,
		.depth = c->place.depth,
		.api = c->fn->api,
		.values = &c->values,
	};
	/* Other registers hold no arguments of the call. */
	for (int i = 0; i < RT_ARGS; i++)
		ev->args[i] = c->fn->registers & 1u << i ? rec->args[i] : 0;
	call_values__from_record(&c->values, rec, rec->h.size);
}

/* The agent knows the launched kernel, even where no call has given the handle's name before. */
static const char *launched_kernel(struct merge *m, const struct call *c)
{
	struct thread *th = c->thread;
	const char *name;

	if (c->fn->role != ROLE_LAUNCH_HOST && c->fn->role != ROLE_LAUNCH_MODULE)
		return NULL;
	name = kernel_handles__find(m->trace->handles, c->rec->h.pid, c->rec->args[0]);
	if (!name && th->launched_kernel && th->launched_root == c->place.root && has_returned(c) &&
	    !call_arguments__failed(c->fn->api, &c->values)) {
		name = th->launched_kernel;
		kernel_handles__learn(m->trace->handles, c->rec->h.pid, c->rec->args[0], name);
	}
	return name;
}

/* ---- streams ---- */

/* The stream that the call has made; NULL: not recorded. */
static struct stream *created_stream(const struct call *c)
{
	const struct rt_item *out = span_items__read(c->rec, &c->fn->plan, RT_READ_BYTES, 0);
	uint64_t handle;

	if (!out || out->len < sizeof(handle) || (uint32_t)c->rec->ret)
		return NULL;
	memcpy(&handle, span_items__data(out), sizeof(handle));
	return hip_streams__created(&c->process->streams, handle);
}

/* The stream that a HIP call works on: the default one if it names none. */
static struct stream *stream_of(const struct call *c)
{
	const struct api_param *p = c->fn->api ? api__stream_param(c->fn->api) : NULL;
	uint64_t handle = 0;

	if (c->fn->domain != DOMAIN_HIP)
		return NULL;
	if (c->fn->role == ROLE_CREATE_STREAM)
		return created_stream(c);
	if (p && !call_arguments__word(p, &c->values, &handle))
		return NULL;
	return hip_streams__get(&c->process->streams, handle, c->thread->device, c->thread->tid);
}

/* Copies and fills say how much. */
static uint64_t bytes_of(const struct call *c)
{
	const struct api_function *fn = c->fn->api;
	uint64_t bytes = 0;

	/* There the first size is a pitch, or is in a struct. */
	if (strpbrk(c->fn->name, "23") || strstr(c->fn->name, "Array"))
		return 0;
	for (unsigned int i = 0; fn && i < fn->param_count; i++) {
		const struct api_param *p = &fn->params[i];

		if (p->type->kind == API_UINT && p->type->size == sizeof(bytes))
			return call_arguments__word(p, &c->values, &bytes) ? bytes : 0;
	}
	return 0;
}

static void follow_stream(struct merge *m, struct call *c, struct stream *stream)
{
	struct worked w = {
		.ev = &c->ev,
		.stream = stream,
		.kind = c->fn->launches,
		.caused = c->thread->caused_root == c->ev.corr,
	};

	if (w.kind == LAUNCH_COPY || w.kind == LAUNCH_FILL)
		w.bytes = bytes_of(c);
	w.aligned = !((w.bytes | c->rec->args[0]) % BLIT_ALIGNMENT);
	if (!has_returned(c) || call_arguments__failed(c->fn->api, &c->values))
		w.kind = LAUNCH_NONE;
	runtime_threads__call(c->process, &w, gpu_operations__settled, m->operations);
}

static void show(struct merge *m, struct call *c)
{
	struct stream *stream = stream_of(c);
	struct trace *t = m->trace;
	struct event *ev = &c->ev;

	ev->stream = stream ? stream->number : STREAM_NONE;
	if (c->fn->domain == DOMAIN_HIP)
		c->process->calls_hip = c->thread->calls_hip = true;
	if (c->fn->launches == LAUNCH_KERNEL) {
		c->thread->launching_corr = ev->corr;
		c->thread->launching_kernel =
			kernel_handles__find(t->handles, c->rec->h.pid, c->rec->args[0]);
	}
	if (correlate__span(c->thread, ev, gpu_operations__settled, m->operations))
		ev->flags |= EV_F_LAUNCHED;
	ev->in_range = roctx_ranges__at(c->thread, ev->begin);
	if (external_ids__at(&c->thread->external, ev->begin, &ev->external))
		ev->flags |= EV_F_EXTERNAL;
	ev->stack = user_stacks__find(t->stacks, c->rec, c->process->programs, &ev->stack_depth);
	ev->kernel = c->values.kernel = launched_kernel(m, c);
	if (stream && !ev->depth)
		follow_stream(m, c, stream);
	trace_state__tell(t, ev);
}

static bool is_range_role(enum function_role role)
{
	return role >= ROLE_RANGE_PUSH && role <= ROLE_MARK;
}

static struct thread *thread_of(struct merge *m, const struct rt_rec *rec)
{
	if (rec->flags & RT_REC_BY_AGENT)
		return processes__thread_by_ns_tid(m->trace->tasks, rec->pid, rec->tid);
	return processes__thread(m->trace->tasks, rec->pid, rec->tid);
}

/* The kernel sends none of such calls unless they are needed; an agent captures all. */
static bool was_off(const struct merge *m, const struct call *c)
{
	if (c->rec->h.flags & RT_SPAN_QUIET)
		return true;
	return c->rec->h.flags & RT_REC_BY_AGENT &&
	       trace_control__was_off(&m->trace->off, c->process, c->thread, c->rec->begin);
}

static void on_open(struct merge *m, const struct rt_rec_open *rec)
{
	struct thread *th = thread_of(m, &rec->h);

	if (th && !th->nesting)
		th->nesting = calloc(1, sizeof(*th->nesting));
	if (th && th->nesting)
		call_nesting__opened(th->nesting, rec);
}

static void on_span(struct merge *m, const struct rt_rec_span *rec)
{
	struct trace *t = m->trace;
	struct call c = {.rec = rec};

	c.process = processes__process(t->tasks, rec->h.pid);
	c.thread = thread_of(m, &rec->h);
	c.fn = functions__by_id(t->fns, rec->func);
	if (!c.process || !c.thread || !c.fn || rec->begin > rec->h.ts) {
		t->stats.lost_other++;
		return;
	}
	c.place = call_nesting__ended(c.thread->nesting, rec);
	c.quiet = was_off(m, &c);
	if (c.quiet && !(c.fn->plan.flags & RT_PLAN_KEEP)) {
		correlate__left_out(c.thread, rec->corr, gpu_operations__settled, m->operations);
		return;
	}
	fill_event(&c);
	if (rec->h.ts >= t->begin && rec->begin <= t->end) {
		if (c.fn->shown && !c.quiet)
			show(m, &c);
		else if (!c.place.depth)
			correlate__hidden(c.thread, rec->corr, gpu_operations__settled,
					  m->operations);
	} else if (is_range_role(c.fn->role)) {
		return;
	}
	follow(m, &c); /* also what is said just before the trace begins */
}

/* ---- tasks ---- */

static void on_task(struct merge *m, const struct rt_rec_task *rec)
{
	struct thread *th = thread_of(m, &rec->h);

	if (!th)
		return;
	th->makes_calls = true;
	task_names__rename_thread(th, rec->comm);
	if (!(rec->h.flags & RT_REC_BY_AGENT))
		processes__set_ns_tid(m->trace->tasks, th, rec->ns_tid);
}

/* A thread, and with its first thread the process. */
static void on_name(struct merge *m, const struct rt_rec_task *rec)
{
	struct tasks *tasks = m->trace->tasks;
	struct thread *th = processes__find_thread(tasks, rec->h.pid, rec->h.tid);
	struct process *p = NULL;

	if (rec->h.pid == rec->h.tid)
		p = processes__find_process(tasks, rec->h.pid);
	if (p)
		task_names__rename_process(p, rec->comm);
	if (th)
		task_names__rename_thread(th, rec->comm);
}

struct end {
	struct merge *m;
	const struct rt_rec *rec;
};

static void end_thread(struct thread *th, void *arg)
{
	const struct end *e = arg;

	if (th->pid != e->rec->pid)
		return;
	correlate__give_up(th, gpu_operations__settled, e->m->operations);
	roctx_ranges__cut_thread(th, e->rec->ts, on_range, e->m->trace);
	task_names__give_new_of_thread(e->m->trace->out, th);
	processes__remove_thread(e->m->trace->tasks, th);
}

static void dump_killed(struct merge *m, uint32_t pid)
{
	char why[64];

	snprintf(why, sizeof(why), "process %" PRIu32 " was killed", pid);
	output_set__dump(m->trace->out, why);
}

/* The end of a thread without calls is not recorded: all threads end with the process. */
static void end_process(struct merge *m, struct end *e)
{
	struct tasks *tasks = m->trace->tasks;
	struct process *p = processes__find_process(tasks, e->rec->pid);

	processes__each_thread(tasks, end_thread, e);
	if (p) {
		roctx_ranges__cut_process(p, e->rec->ts, on_range, m->trace);
		runtime_threads__give_up(p, gpu_operations__settled, m->operations);
		runtime_threads__forget(p);
		task_names__give_new_of_process(m->trace->out, p);
	}
	if (e->rec->flags & RT_EXIT_KILLED)
		dump_killed(m, e->rec->pid);
	output_set__ended(m->trace->out, e->rec->pid);
	processes__remove_process(tasks, e->rec->pid);
	kernel_handles__forget(m->trace->handles, e->rec->pid);
	user_stacks__forget(m->trace->stacks, e->rec->pid);
}

static void on_thread_end(struct merge *m, const struct rt_rec *rec)
{
	struct thread *th = rec->flags & RT_REC_BY_AGENT
				    ? thread_of(m, rec)
				    : processes__find_thread(m->trace->tasks, rec->pid, rec->tid);
	struct end e = {m, rec};

	if (rec->flags & RT_EXIT_LAST)
		end_process(m, &e);
	else if (th)
		end_thread(th, &e);
}

static void on_new_thread(struct merge *m, const struct rt_rec_fork *rec)
{
	struct process *p = processes__process(m->trace->tasks, rec->h.pid);
	struct thread *th = thread_of(m, &rec->h);
	uint64_t root = rec->corr;

	if (th && th->nesting && th->nesting->count)
		root = th->nesting->open[0].root;
	else if (!root)
		root = rec->agent_corr;
	if (p)
		runtime_threads__born(p, rec->child, root);
}

static void on_fork(struct merge *m, const struct rt_rec_fork *rec)
{
	kernel_handles__fork(m->trace->handles, rec->h.pid, rec->child);
	processes__fork(m->trace->tasks, rec->h.pid, rec->h.tid, rec->child);
}

struct exec {
	struct merge *m;
	const struct rt_rec *rec;
};

static void end_of_thread(struct thread *th, void *arg)
{
	const struct exec *e = arg;

	if (th->pid != e->rec->pid)
		return;
	correlate__give_up(th, gpu_operations__settled, e->m->operations);
	roctx_ranges__cut_thread(th, e->rec->ts, on_range, e->m->trace);
}

/* What the old program had open ends with it. */
static void on_exec(struct merge *m, const struct rt_rec *rec)
{
	struct process *p = processes__find_process(m->trace->tasks, rec->pid);
	struct exec e = {m, rec};

	processes__each_thread(m->trace->tasks, end_of_thread, &e);
	if (p) {
		roctx_ranges__cut_process(p, rec->ts, on_range, m->trace);
		runtime_threads__give_up(p, gpu_operations__settled, m->operations);
		runtime_threads__forget(p);
		p->calls_hip = false;
		p->programs++;
	}
	kernel_handles__forget(m->trace->handles, rec->pid);
	processes__exec(m->trace->tasks, rec->pid, rec->tid, rec->ts);
	if (p)
		p->renamed = p->told;
}

void merge__kernel(struct merge *m, const struct rt_rec *rec)
{
	switch (rec->kind) {
	case RT_REC_SPAN:
		on_span(m, (const void *)rec);
		break;
	case RT_REC_OPEN:
		on_open(m, (const void *)rec);
		break;
	case RT_REC_TASK:
		on_task(m, (const void *)rec);
		break;
	case RT_REC_NAME:
		on_name(m, (const void *)rec);
		break;
	case RT_REC_FORK:
		on_fork(m, (const void *)rec);
		break;
	case RT_REC_THREAD:
		on_new_thread(m, (const void *)rec);
		break;
	case RT_REC_EXEC:
		on_exec(m, rec);
		break;
	case RT_REC_EXIT:
		on_thread_end(m, rec);
		break;
	default: /* the recorder's business */
		break;
	}
}

void merge__gap(struct merge *m, uint32_t pid, const char *name, uint64_t begin, uint64_t end)
{
	struct event ev = {
		.kind = EV_GAP,
		.domain = DOMAIN_HIP,
		.pid = pid,
		.tid = pid,
		.begin = begin,
		.end = end,
		.name = string_pool__keep(m->trace->strings, name, strlen(name)),
	};

	if (end < m->trace->begin || begin > m->trace->end)
		return;
	trace_state__tell(m->trace, &ev);
}

/* ---- the end ---- */

struct finish {
	struct merge *m;
	uint64_t now;
};

static void finish_thread(struct thread *th, void *arg)
{
	struct finish *f = arg;

	correlate__give_up(th, gpu_operations__settled, f->m->operations);
	roctx_ranges__cut_thread(th, f->now, on_range, f->m->trace);
}

static void finish_process(struct process *p, void *arg)
{
	struct finish *f = arg;

	roctx_ranges__cut_process(p, f->now, on_range, f->m->trace);
	runtime_threads__give_up(p, gpu_operations__settled, f->m->operations);
	runtime_threads__forget(p);
}

void merge__finish(struct merge *m, uint64_t now)
{
	struct finish f = {.m = m, .now = now};

	processes__each_thread(m->trace->tasks, finish_thread, &f);
	processes__each_process(m->trace->tasks, finish_process, &f);
	gpu_operations__finish(m->operations);
}
