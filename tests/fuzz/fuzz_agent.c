// SPDX-License-Identifier: MIT
/*
 * Fuzzes the reading of agents' memory, from the ring to the sinks: one process writes into its
 * memory whatever the input says, another one is honest beside it. Of the honest one each call and
 * each operation must come out once, right and soon, whatever the other does; and what is written
 * must be JSON, or text without control bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/world.h"
#include "tests/fuzz/written.h"
#include "user/record/intake.h"
#include "user/base/log.h"
#include "user/merge/task_names.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct subject hostile, honest;

/* ---- the honest process, and what is reported of it ---- */

static struct expected {
	uint64_t corr;		 /* of the call, as reported */
	uint64_t cause;		 /* of the operation, likewise */
	uint64_t begin, end;	 /* of the operation */
	unsigned int calls, ops; /* reported */
} expected[CALLS_MAX];
static size_t expected_count;

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void wrong(const struct event *ev, const struct expected *e)
{
	fprintf(stderr,
		"operation %lu %s: corr %lu (%lu), begin %ld ns off, end %ld, flags %x, told %u "
		"times\n",
		ev->gpu.op, ev->name, e->cause, e->corr, ev->begin - e->begin, ev->end - e->end,
		ev->flags, e->ops);
	abort();
}

static void check_op(const struct event *ev)
{
	struct expected *e = &expected[ev->gpu.op - 1];

	if (ev->gpu.op - 1 >= expected_count)
		abort();
	e->cause = ev->corr;
	if (e->ops++ || ev->flags & (EV_F_NO_TIMES | EV_F_UNCORRELATED) ||
	    strcmp(ev->name, KERNEL_NAME) || ev->gpu.device || ev->gpu.queue != QUEUE ||
	    distance(ev->begin, e->begin) > 100 || distance(ev->end, e->end) > 100)
		wrong(ev, e);
}

static void check_call(const struct event *ev, struct expected *e)
{
	e->calls++;
	e->corr = ev->corr;
	if (ev->depth || ev->parent || ev->root != ev->corr || ev->tid != (uint32_t)honest.pid)
		wrong(ev, e);
}

static void check_event(struct sink *sink, const struct event *ev)
{
	if (ev->begin > ev->end)
		abort();
	if (ev->pid != (uint32_t)honest.pid)
		return;
	if (ev->kind == EV_DISPATCH)
		check_op(ev);
	else if (ev->kind == EV_SPAN && ev->args[0] < expected_count)
		check_call(ev, &expected[ev->args[0]]);
	else if (ev->kind != EV_GAP)
		abort();
}

static void check_device(struct sink *sink, const struct device_info *info)
{
	if (info->pid == (uint32_t)honest.pid && (info->device || strcmp(info->name, "gfx906 ")))
		abort();
}

static struct sink *check_open(const struct sink_target *to, const struct trace_origin *origin);

static void check_all_told(void)
{
	for (size_t i = 0; i < expected_count; i++) {
		if (expected[i].calls == 1 && expected[i].ops == 1 &&
		    expected[i].cause == expected[i].corr)
			continue;
		fprintf(stderr,
			"call %zu: told %u times as %lx, its operation %u times as of %lx\n", i,
			expected[i].calls, expected[i].corr, expected[i].ops, expected[i].cause);
		abort();
	}
}

static int check_close(struct sink *sink, const struct trace_stats *stats)
{
	free(sink);
	check_all_told();
	return 0;
}

static const struct sink_ops sink_check_honest = {
	.name = "check",
	.open = check_open,
	.process = sink__ignore_process,
	.thread = sink__ignore_thread,
	.device = check_device,
	.event = check_event,
	.close = check_close,
};

static struct sink *check_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	if (sink)
		sink->ops = &sink_check_honest;
	return sink;
}

static void tell_done(void)
{
	struct rt_agent_rec done;
	const struct expected *e;

	if (!honest.running)
		return;
	e = &expected[expected_count - 1];
	done = (struct rt_agent_rec){.kind = RT_AGENT_DONE,
				     .flags = RT_AGENT_F_TICKS,
				     .time = world_now,
				     .op = honest.ops};
	done.done.agent = GPU;
	done.done.gpu_begin = world__ticks_at(e->begin);
	done.done.gpu_end = world__ticks_at(e->end);
	subject__put(&honest, &done);
	honest.running = false;
}

static bool has_room(const struct subject *s)
{
	return s->state->head - s->control->tail + 4 < SLOTS;
}

static void captured_by_agent(uint64_t begin, uint64_t corr, uint64_t arg)
{
	const struct rt_span_rec rec = {
		.size = sizeof(rec) + sizeof(arg),
		.arg_count = 1,
		.begin = begin,
		.end = world_now,
		.corr = corr,
		.root = corr,
	};

	if (!subject__put_span(&honest, &rec, &arg, sizeof(arg)))
		abort();
}

/*
 * A call that submits a kernel, which runs at once; its end is reported later. The agent captures
 * the call, and marks the operation as such, or the kernel captures it.
 */
static void honest_call(uint64_t function, bool by_agent)
{
	struct rt_agent_rec rec = {.kind = RT_AGENT_DISPATCH, .tid = honest.pid};
	uint64_t begin = world_now;
	struct expected *e;

	if (expected_count == CALLS_MAX || !has_room(&honest))
		return;
	tell_done();
	world_now += 2 * US;
	e = &expected[expected_count];
	*e = (struct expected){.begin = world_now + US - world_now % 10,
			       .end = world_now + 9 * US - world_now % 10};
	rec.time = world_now;
	rec.op = ++honest.ops;
	rec.corr = rec.root = by_agent ? honest.ops : 0;
	rec.dispatch.agent = GPU;
	rec.dispatch.queue = QUEUE;
	rec.dispatch.kernel = KERNEL_ID;
	subject__put(&honest, &rec);
	honest.running = true;
	world_now += 2 * US;
	if (by_agent)
		captured_by_agent(begin, honest.ops, expected_count);
	else
		world__put_call(&honest, begin, 0, function)->args[0] = expected_count;
	expected_count++;
	world_now += 20 * US;
}

/* ---- the other one ---- */

struct input {
	const uint8_t *data;
	size_t size;
};

static void take(struct input *in, void *to, size_t size)
{
	size_t n = size < in->size ? size : in->size;

	memset(to, 0, size);
	memcpy(to, in->data, n);
	in->data += n;
	in->size -= n;
}

static uint8_t take_byte(struct input *in)
{
	uint8_t byte;

	take(in, &byte, 1);
	return byte;
}

static uint64_t take_number(struct input *in)
{
	uint64_t value = 0;
	uint8_t shift;

	take(in, &value, 2);
	shift = take_byte(in);
	value <<= shift & 63;
	return shift & 64 ? -value : value;
}

/* A time near world_now, or any. */
static uint64_t take_time(struct input *in)
{
	uint8_t how = take_byte(in);

	return how & 1 ? take_number(in) : world_now - (uint64_t)how * US;
}

static void write_somewhere(struct input *in)
{
	uint32_t at = (uint16_t)take_number(in);
	uint8_t size = take_byte(in);

	if (at < RT_AGENT_FLIGHTS) /* where the first pages have contents */
		at = (at & 0x3000) + (at & 0xff);
	else /* the tracer does not read the operations in flight */
		at += RT_AGENT_META - RT_AGENT_FLIGHTS;
	if (at + size < SIZE)
		take(in, hostile.base + at, size);
}

static void write_record(struct input *in)
{
	struct rt_agent_rec rec = {};
	uint8_t how = take_byte(in);

	rec.kind = how & 15;
	rec.flags = take_byte(in);
	rec.tid = how & 16 ? take_number(in) : (uint32_t)hostile.pid;
	rec.time = take_time(in);
	rec.op = how & 32 ? take_number(in) : hostile.ops + (rec.kind != RT_AGENT_DONE);
	hostile.ops = rec.op;
	take(in, rec._size, take_byte(in) % sizeof(rec._size));
	subject__put(&hostile, &rec);
}

static void write_done(struct input *in)
{
	struct rt_agent_rec rec = {
		.kind = RT_AGENT_DONE, .flags = RT_AGENT_F_TICKS, .time = world_now};

	rec.op = hostile.ops;
	rec.done.agent = take_byte(in);
	rec.done.gpu_begin = world__ticks_at(take_time(in));
	rec.done.gpu_end = world__ticks_at(take_time(in));
	subject__put(&hostile, &rec);
}

/* What the kernel reads as a process dies is the process' to write, too. */
static void end_in_dying(struct input *in)
{
	const struct rt_rec_ended end = {
		.op = hostile.ops - take_byte(in),
		.begin_ticks = world__ticks_at(take_time(in)),
		.end_ticks = world__ticks_at(take_time(in)),
		.value = take_number(in),
		.agent = take_byte(in),
	};

	world__put_end(&hostile, &end);
}

static void write_name(struct input *in)
{
	char bytes[512] = {};
	struct rt_meta_hdr *h = (void *)bytes;
	uint8_t kind = take_byte(in) % 10, len;

	take(in, bytes, take_byte(in));
	len = take_byte(in);
	*h = (struct rt_meta_hdr){kind, sizeof(bytes)};
	if (kind == RT_META_KERNEL) {
		struct rt_meta_kernel *kernel = (void *)bytes;

		take(in, kernel->name, len);
		kernel->name_len = len;
		h->size = (sizeof(*kernel) + len + 7) & ~7u;
	} else if (kind == RT_META_CODE) {
		struct rt_meta_code *code = (void *)bytes;

		take(in, code->uri, len);
		code->uri_len = len;
		h->size = (sizeof(*code) + len + 7) & ~7u;
	}
	subject__put_meta(&hostile, bytes, h->size);
}

/* Its size is sealed; that pages can be taken out of it, is not. */
static void cut_memory(struct input *in)
{
	uint64_t at = take_byte(in) * 1024;

	if ((at != SIZE && !ftruncate(hostile.fd, at)) || !ftruncate(hostile.fd, SIZE + 4096))
		abort();
	if (at < SIZE)
		fallocate(hostile.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, 8192);
}

/* A record of a call, or what claims to be one. */
static void write_span(struct input *in)
{
	uint8_t how = take_byte(in), bytes[256];
	struct rt_span_rec rec = {
		.size = sizeof(rec) + take_byte(in),
		.func = how & 1 ? take_number(in) : 0,
		.flags = take_byte(in),
		.depth = how & 4 ? take_byte(in) : 0,
		.arg_count = take_byte(in) % 8,
		.begin = take_time(in),
		.end = take_time(in),
		.corr = how & 8 ? take_number(in) : hostile.ops + 1,
		.parent = take_number(in),
		.root = how & 16 ? take_number(in) : hostile.ops + 1,
	};

	take(in, bytes, sizeof(bytes));
	subject__put_span(&hostile, &rec, bytes, how & 32 ? take_byte(in) : rec.size - sizeof(rec));
}

/* In the pages of control, state, threads and chunks that are looked at. */
static void write_in_spans(struct input *in)
{
	static const uint64_t begins[] = {RT_SPANS_CONTROL, RT_SPANS_STATE, RT_SPANS_OWNED,
					  RT_SPANS_THREADS, RT_SPANS_CHUNKS};
	uint64_t at = begins[take_byte(in) % 5] + (take_number(in) & 0x3fff);
	uint8_t size = take_byte(in);

	if (at < RT_SPANS_THREADS + 2 * sizeof(struct rt_span_thread) || at >= RT_SPANS_CHUNKS)
		take(in, hostile.spans + at, size);
}

static void hostile_call(struct input *in, uint64_t function)
{
	uint64_t begin = world_now, root = take_byte(in) & 1 ? world__next_call(1) : 0;

	if (!world__has_room())
		return;
	world_now += 5 * US;
	if (root) {
		world__put_call(&hostile, begin + US, root, function);
		world_now += US;
	}
	world__put_call(&hostile, begin, 0, function);
	world_now += US;
}

/* ---- one trace ---- */

struct session {
	struct trace trace;
	struct selection selection;
	struct intake in;
	uint64_t function;
};

static const struct capture_filter no_filter;
static int texts[2]; /* what the text and JSON sinks write */

static void add_sinks(struct output *out)
{
	const struct output_keys keys = {};
	char path[2][64];

	for (int i = 0; i < 2; i++)
		snprintf(path[i], sizeof(path[i]), "/proc/self/fd/%d", texts[i]);
	if (output_set__add(out, &sink_check_honest, "/dev/null", &keys) ||
	    output_set__add(out, &sink_text, path[0], &keys) ||
	    output_set__add(out, &sink_json, path[1], &keys) ||
	    output_set__add(out, &sink_pftrace, "/dev/null", &keys) ||
	    output_set__add(out, &sink_summary, "/dev/null", &keys) ||
	    output_set__add(out, &sink_stats, "/dev/null", &keys))
		abort();
}

static void begin(struct session *s)
{
	static struct output_names names;
	struct agents_callbacks callbacks = intake__callbacks(&s->in);
	struct trace *t = &s->trace;

	world__begin(&hostile, &honest);
	expected_count = 0;
	honest.running = false;
	selection__all(&s->selection);
	s->selection.barriers = true;
	trace_state__open(t, &s->selection);
	names = task_names__of(t->tasks);
	t->out = output_set__new(&names, NULL);
	add_sinks(t->out);
	world_function = functions__get(t->fns, "hipModuleLaunchKernel");
	s->function = world_function->id;
	s->in.trace = t;
	s->in.order = reorder_buffer__new();
	s->in.operations = gpu_operations__new(t);
	s->in.merge = merge__new(t, s->in.operations);
	s->in.agents = agent_set__new(t->strings, &callbacks, true);
	s->in.filter = &no_filter;
	agent_set__capture_calls(s->in.agents);
	agent_set__begin(s->in.agents, 0);
	subject__fill(&hostile);
	subject__fill(&honest);
	agent_set__created(s->in.agents, hostile.pid, hostile.fd, world_now);
	agent_set__created(s->in.agents, honest.pid, honest.fd, world_now);
	intake__round(&s->in);
}

static void step(struct session *s, struct input *in)
{
	struct intake *intake = &s->in;
	uint8_t what = take_byte(in);

	if (what >= 248) {
		if (what & 1)
			write_span(in);
		else
			write_in_spans(in);
		return;
	}
	switch (what % 16) {
	case 0:
	case 1:
		honest_call(s->function, what & 16);
		break;
	case 2:
	case 3:
		write_somewhere(in);
		break;
	case 4:
	case 5:
		write_record(in);
		break;
	case 6:
		write_name(in);
		break;
	case 7:
		hostile.state->head = take_number(in);
		break;
	case 8:
		hostile.state->meta_tail = take_number(in);
		break;
	case 9:
		cut_memory(in);
		break;
	case 10:
		write_done(in);
		break;
	case 11:
		hostile_call(in, s->function);
		break;
	case 12: /* another agent, or another program, or neither */
		if (take_byte(in) & 1)
			agent_set__exec(intake->agents, hostile.pid, world_now);
		agent_set__created(intake->agents, hostile.pid, hostile.fd, world_now);
		break;
	case 13: /* time passes */
		world_now += take_byte(in) * 10 * MS;
		subject__put_clock(&hostile);
		if (has_room(&honest)) {
			tell_done();
			subject__put_clock(&honest);
		}
		break;
	case 14:
		end_in_dying(in);
		break;
	default:
		intake__round(intake);
		world_now += MS;
	}
}

static void free_all(struct session *s)
{
	struct trace *t = &s->trace;

	agent_set__free(s->in.agents);
	merge__free(s->in.merge);
	gpu_operations__free(s->in.operations);
	intake__free(&s->in);
	trace_state__close(t);
}

/* Whatever the other one does: everything of the honest one is reported soon. */
static void check_liveness(struct session *s)
{
	intake__round(&s->in);
	tell_done();
	for (int round = 0; round < 200; round++) {
		world_now += 20 * MS;
		if (round % 5 == 0)
			subject__put_clock(&honest);
		intake__round(&s->in);
	}
	check_all_told();
}

/* As the recorder ends. */
static void end(struct session *s)
{
	check_liveness(s);
	agent_set__stop(s->in.agents, 1);
	intake__drain_for(&s->in, 10);
	s->in.stopping = true;
	intake__drain_last(&s->in);
	merge__finish(s->in.merge, world_now);
	output_set__close(s->trace.out, &s->trace.stats);
	free_all(s);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_level = -1;
	subject__make(&hostile);
	subject__make(&honest);
	subject__start(&hostile);
	subject__start(&honest);
	for (int i = 0; i < 2; i++)
		texts[i] = memfd_create("text", 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct session s = {};

	begin(&s);
	while (in.size)
		step(&s, &in);
	end(&s);
	written__check(texts[0], written__is_text);
	written__check(texts[1], written__is_json);
	return 0;
}
