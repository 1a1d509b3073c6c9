// SPDX-License-Identifier: MIT
/*
 * The JSON sink: Chrome's trace event format, the object form, written as events come.
 *
 * What becomes what:
 *   calls             "X" on the thread
 *   roctx push..pop   "X" on a track beside the thread: they need not nest with the calls
 *   roctx start..stop "b" and "e", which may overlap
 *   roctx marks       "i" on the track of the push..pop ranges
 *   GPU operations    "X" in a process of their own for each GPU of each process, on a track for
 *                     each queue and each direction of copies, with more tracks where they overlap;
 *                     "i" where their end was not recorded
 *   resources         "i" on a track of their device; "C" for the memory of it that is in use
 *   causes            "s" on the thread when the operation was submitted, which is inside the call
 *                     that did it, and "f" on the operation
 *
 * The format knows only processes and threads, so the tracks that are neither get numbers above all
 * that the kernel gives out. Times are microseconds, written with three decimals so that no
 * nanosecond is lost.
 */
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "user/api/call_arguments.h"
#include "common/format.h"
#include "user/formats/track_lanes.h"

#define MADE_UP_ID  (1u << 31)	 /* above processes and threads, of merged recordings too */
#define EXACT_U64   (1ULL << 53) /* readers that keep numbers as doubles are exact up to here */
#define STRING_SIZE 512

struct json {
	struct sink sink;
	yajl_gen gen;
	struct tracks tracks;
	struct utf8_buf utf8;
	struct textbuf text;
	uint64_t flows;
};

static void check(struct json *j, yajl_gen_status status)
{
	if (status != yajl_gen_status_ok)
		sink__fail(&j->sink, -EIO);
}

/* ---- members of an object; without a key, of an array ---- */

static void put_text(struct json *j, const char *text)
{
	check(j, yajl_gen_string(j->gen, (const unsigned char *)text, strlen(text)));
}

static void put_key(struct json *j, const char *key)
{
	if (key)
		put_text(j, key);
}

static void put_string(struct json *j, const char *key, const char *value)
{
	const char *clean = utf8__clean(&j->utf8, value);

	if (!clean)
		sink__fail(&j->sink, -ENOMEM);
	put_key(j, key);
	put_text(j, clean ? clean : "");
}

static void put_number(struct json *j, const char *key, const char *digits)
{
	put_key(j, key);
	check(j, yajl_gen_number(j->gen, digits, strlen(digits)));
}

static void put_u64(struct json *j, const char *key, uint64_t value)
{
	char buf[FORMAT_LEN];

	snprintf(buf, sizeof(buf), "%" PRIu64, value);
	if (value <= EXACT_U64)
		put_number(j, key, buf);
	else
		put_string(j, key, buf);
}

static void put_hex(struct json *j, const char *key, uint64_t value)
{
	char buf[FORMAT_LEN];

	snprintf(buf, sizeof(buf), "0x%" PRIx64, value);
	put_string(j, key, buf);
}

static void put_us(struct json *j, const char *key, uint64_t ns)
{
	char buf[FORMAT_LEN];

	snprintf(buf, sizeof(buf), "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
	put_number(j, key, buf);
}

static void open_map(struct json *j, const char *key)
{
	put_key(j, key);
	check(j, yajl_gen_map_open(j->gen));
}

static void close_map(struct json *j)
{
	check(j, yajl_gen_map_close(j->gen));
}

static void open_array(struct json *j, const char *key)
{
	put_key(j, key);
	check(j, yajl_gen_array_open(j->gen));
}

static void close_array(struct json *j)
{
	check(j, yajl_gen_array_close(j->gen));
}

static void put_sizes(struct json *j, const char *key, const uint32_t sizes[3])
{
	open_array(j, key);
	for (int i = 0; i < 3; i++)
		put_u64(j, NULL, sizes[i]);
	close_array(j);
}

/* ---- trace events ---- */

/* The two numbers that place an event. */
struct place {
	uint32_t pid, tid;
};

static void open_event(struct json *j, const char *phase, const char *name, struct place place)
{
	open_map(j, NULL);
	put_string(j, "ph", phase);
	put_string(j, "name", name);
	put_u64(j, "pid", place.pid);
	put_u64(j, "tid", place.tid);
}

static void close_event(struct json *j)
{
	close_map(j);
	fputc('\n', j->sink.out);
	sink__check(&j->sink);
}

static void put_metadata(struct json *j, const char *what, struct place place, const char *key,
			 const char *value)
{
	open_event(j, "M", what, place);
	open_map(j, "args");
	put_string(j, key, value);
	close_map(j);
	close_event(j);
}

/* The members that all slices and instants have. */
static void open_timed(struct json *j, const char *phase, struct place place,
		       const struct event *ev, uint64_t ts)
{
	open_event(j, phase, event__name(ev), place);
	put_string(j, "cat", event__domain_name(ev->domain));
	put_us(j, "ts", ts);
}

static void put_flags(struct json *j, uint32_t flags)
{
	char buf[FORMAT_LEN];

	if (flags)
		put_string(j, "flags", event__flags_text(buf, flags));
}

static void put_common(struct json *j, const struct event *ev)
{
	if (ev->flags & EV_F_EXTERNAL)
		put_u64(j, "external", ev->external);
	put_flags(j, ev->flags);
}

static void put_value(const struct arg_value *value, void *arg)
{
	put_string(arg, value->name, value->text);
}

/* What is known of the arguments, by name, as text. */
static void put_call(struct json *j, const struct event *ev)
{
	if (ev->kernel)
		put_string(j, "kernel", ev->kernel);
	if (ev->stack_depth) {
		open_array(j, "stack");
		for (uint32_t i = 0; i < ev->stack_depth; i++)
			put_string(j, NULL, ev->stack[i]);
		close_array(j);
	}
	if (!ev->api)
		return;
	open_map(j, "call");
	call_arguments__each(&j->text, ev->api, ev->values, ARGS_TEXTS, put_value, j);
	close_map(j);
	call_arguments__return(&j->text, ev->api, ev->values, put_value, j);
}

static void put_span_args(struct json *j, const struct event *ev)
{
	open_map(j, "args");
	put_u64(j, "corr", ev->corr);
	put_u64(j, "parent", ev->parent);
	if (ev->in_range)
		put_u64(j, "range", ev->in_range);
	open_array(j, "args");
	for (int i = 0; i < 6; i++)
		put_hex(j, NULL, ev->args[i]);
	close_array(j);
	put_hex(j, "ret", ev->ret);
	put_call(j, ev);
	put_common(j, ev);
	close_map(j);
}

static void put_range_args(struct json *j, const struct event *ev)
{
	open_map(j, "args");
	if (ev->kind == EV_RANGE)
		put_u64(j, "range", ev->range.id);
	if (ev->parent)
		put_u64(j, "parent", ev->parent);
	put_flags(j, ev->flags);
	close_map(j);
}

static void put_dispatch(struct json *j, const struct gpu_info *gpu)
{
	put_u64(j, "queue", gpu->queue);
	put_sizes(j, "grid", gpu->grid);
	put_sizes(j, "block", gpu->workgroup);
	put_u64(j, "lds", gpu->lds);
	put_u64(j, "scratch", gpu->scratch);
	if (gpu->vgprs) {
		put_u64(j, "vgprs", gpu->vgprs);
		put_u64(j, "accum_vgprs", gpu->accum_vgprs);
		put_u64(j, "sgprs", gpu->sgprs);
	}
	if (gpu->code)
		put_u64(j, "code", gpu->code);
}

static void put_copy(struct json *j, const struct gpu_info *gpu)
{
	put_u64(j, "bytes", gpu->bytes);
	if (gpu->engine)
		put_u64(j, "engine", gpu->engine);
}

static void put_resource(struct json *j, const struct event *ev)
{
	const struct resource_info *r = &ev->gpu.resource;

	put_us(j, "begin", ev->begin);
	if (r->id)
		put_u64(j, ev->kind == EV_CODE ? "code" : "queue", r->id);
	if (r->address)
		put_hex(j, "address", r->address);
	if (r->bytes_known)
		put_u64(j, "bytes", r->bytes);
	if (r->in_use_known)
		put_u64(j, "in_use", r->in_use);
	if (r->count)
		put_u64(j, event__count_name(ev->kind), r->count);
	if (r->text)
		put_string(j, ev->kind == EV_CODE ? "uri" : "version", r->text);
}

static void put_gpu_args(struct json *j, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;

	open_map(j, "args");
	put_u64(j, "corr", ev->corr);
	put_u64(j, "root", ev->root);
	if (ev->in_range)
		put_u64(j, "range", ev->in_range);
	put_key(j, "device");
	check(j, yajl_gen_integer(j->gen, gpu->device));
	put_u64(j, "op", gpu->op);
	put_us(j, "submit", gpu->submit);
	if (gpu->stream != STREAM_NONE)
		put_u64(j, "stream", gpu->stream);
	if (ev->corr && ev_is_operation(ev->kind))
		put_u64(j, "ordinal", gpu->ordinal);
	if (ev->kind == EV_DISPATCH)
		put_dispatch(j, gpu);
	else if (ev->kind == EV_BARRIER)
		put_u64(j, "queue", gpu->queue);
	else if (ev->kind == EV_COPY)
		put_copy(j, gpu);
	else
		put_resource(j, ev);
	put_common(j, ev);
	close_map(j);
}

static void put_flow(struct json *j, const char *phase, struct place place, uint64_t ts)
{
	open_event(j, phase, "submit", place);
	put_string(j, "cat", "submit");
	put_hex(j, "id", j->flows);
	put_us(j, "ts", ts);
	if (*phase == 'f')
		put_string(j, "bp", "e"); /* the slice that begins at this time, not the next one */
	close_event(j);
}

/* ---- places ---- */

static struct track *get_track(struct json *j, enum track_kind kind, uint32_t pid, uint32_t owner,
			       uint32_t unit, bool *fresh)
{
	struct track_key key = {.kind = kind, .pid = pid, .owner = owner, .unit = unit};
	struct track *track = track_lanes__get(&j->tracks, key, fresh);

	if (!track)
		sink__fail(&j->sink, -ENOMEM);
	return track;
}

/* `name`: what it is, "" if not known. */
static void name_gpu(struct json *j, uint32_t made_up, uint32_t pid, int32_t device,
		     const char *name)
{
	char text[STRING_SIZE];

	if (device < 0)
		snprintf(text, sizeof(text), "CPU copies (pid %" PRIu32 ")", pid);
	else
		snprintf(text, sizeof(text), "GPU %" PRId32 "%s%s (pid %" PRIu32 ")", device,
			 *name ? " " : "", name, pid);
	put_metadata(j, "process_name", (struct place){made_up, 0}, "name", text);
}

/* The made-up process that represents a GPU. */
static bool place_gpu(struct json *j, uint32_t pid, int32_t device, const char *name,
		      uint32_t *made_up)
{
	bool fresh;
	struct track *track = get_track(j, TRACK_GPU, pid, device, 0, &fresh);

	if (!track)
		return false;
	*made_up = MADE_UP_ID + track->number;
	if (fresh)
		name_gpu(j, *made_up, pid, device, name);
	return true;
}

static void name_lane(struct json *j, struct place place, const struct event *ev, uint32_t lane)
{
	char text[STRING_SIZE], extra[FORMAT_LEN] = "";

	if (lane)
		snprintf(extra, sizeof(extra), " (%" PRIu32 ")", lane + 1);
	if (ev->kind == EV_COPY)
		snprintf(text, sizeof(text), "%s%s", event__copy_title(ev->gpu.dir), extra);
	else
		snprintf(text, sizeof(text), "queue %" PRIu32 "%s", ev->gpu.queue, extra);
	put_metadata(j, "thread_name", place, "name", text);
}

static bool place_op(struct json *j, const struct event *ev, struct place *place)
{
	bool copy = ev->kind == EV_COPY, fresh;
	struct track_lane *lane;
	struct track *track;

	if (!place_gpu(j, ev->pid, ev->gpu.device, "", &place->pid))
		return false;
	track = get_track(j, copy ? TRACK_COPIES : TRACK_QUEUE, ev->pid, ev->gpu.device,
			  copy ? ev->gpu.dir : ev->gpu.queue, &fresh);
	if (!track)
		return false;
	if (ev->flags & EV_F_NO_TIMES)
		lane = track_lanes__first_lane(&j->tracks, track, &fresh);
	else
		lane = track_lanes__place(&j->tracks, track, ev->begin, ev->end, &fresh);
	if (!lane) {
		sink__fail(&j->sink, -ENOMEM);
		return false;
	}
	place->tid = MADE_UP_ID + lane->number;
	if (fresh)
		name_lane(j, *place, ev, lane - track->lanes);
	return true;
}

/* Beside the queues of the GPU; a resource of no GPU is placed in the process itself. */
static bool place_resource(struct json *j, const struct event *ev, struct place *place)
{
	int32_t device = ev->gpu.device;
	struct track *track;
	bool fresh;

	place->pid = ev->pid;
	if (device >= 0 && !place_gpu(j, ev->pid, device, "", &place->pid))
		return false;
	track = get_track(j, TRACK_RESOURCES, ev->pid, device, 0, &fresh);
	if (!track)
		return false;
	place->tid = MADE_UP_ID + track->number;
	if (fresh)
		put_metadata(j, "thread_name", *place, "name",
			     device == DEVICE_CPU ? "resources of the CPU" : "resources");
	return true;
}

static bool place_roctx(struct json *j, const struct event *ev, struct place *place)
{
	char text[FORMAT_LEN];
	bool fresh;
	struct track *track = get_track(j, TRACK_ROCTX, ev->pid, ev->tid, 0, &fresh);

	if (!track)
		return false;
	place->pid = ev->pid;
	place->tid = MADE_UP_ID + track->number;
	if (!fresh)
		return true;
	snprintf(text, sizeof(text), "roctx of thread %" PRIu32, ev->tid);
	put_metadata(j, "thread_name", *place, "name", text);
	return true;
}

/* ---- events ---- */

static void put_span(struct json *j, const struct event *ev)
{
	open_timed(j, "X", (struct place){ev->pid, ev->tid}, ev, ev->begin);
	put_us(j, "dur", ev->end - ev->begin);
	put_span_args(j, ev);
	close_event(j);
}

static void put_gap(struct json *j, const struct event *ev)
{
	struct place place = {ev->pid, ev->tid};

	open_timed(j, "b", place, ev, ev->begin);
	put_hex(j, "id", ev->begin);
	close_event(j);
	open_timed(j, "e", place, ev, ev->end);
	put_hex(j, "id", ev->begin);
	close_event(j);
}

static void put_thread_range(struct json *j, const struct event *ev)
{
	bool mark = ev->kind == EV_MARK;
	struct place place;

	if (!place_roctx(j, ev, &place))
		return;
	open_timed(j, mark ? "i" : "X", place, ev, ev->begin);
	if (mark)
		put_string(j, "s", "t");
	else
		put_us(j, "dur", ev->end - ev->begin);
	put_range_args(j, ev);
	close_event(j);
}

static void put_process_range(struct json *j, const struct event *ev)
{
	struct place place = {ev->pid, ev->tid};

	open_timed(j, "b", place, ev, ev->begin);
	put_hex(j, "id", ev->range.id);
	put_range_args(j, ev);
	close_event(j);
	open_timed(j, "e", place, ev, ev->end);
	put_hex(j, "id", ev->range.id);
	close_event(j);
}

static void put_op(struct json *j, const struct event *ev)
{
	bool seen = !(ev->flags & EV_F_NO_TIMES);
	struct place place;

	if (!place_op(j, ev, &place))
		return;
	open_timed(j, seen ? "X" : "i", place, ev, ev->begin);
	if (seen)
		put_us(j, "dur", ev->end - ev->begin);
	else
		put_string(j, "s", "t");
	put_gpu_args(j, ev);
	close_event(j);
	if (!seen || ev->flags & EV_F_UNCORRELATED)
		return;
	j->flows++;
	put_flow(j, "s", (struct place){ev->pid, ev->tid}, ev->gpu.submit);
	put_flow(j, "f", place, ev->begin);
}

static void put_in_use(struct json *j, const struct event *ev, struct place place)
{
	open_timed(j, "C", place, ev, ev->end);
	open_map(j, "args");
	put_u64(j, "bytes", ev->gpu.resource.in_use);
	close_map(j);
	close_event(j);
}

static void put_resource_event(struct json *j, const struct event *ev)
{
	struct event counter = *ev;
	struct place place;

	if (!place_resource(j, ev, &place))
		return;
	open_timed(j, "i", place, ev, ev->end);
	put_string(j, "s", "t");
	put_gpu_args(j, ev);
	close_event(j);
	if (!ev->gpu.resource.in_use_known || ev->gpu.device < 0)
		return;
	counter.name = "device memory in use";
	put_in_use(j, &counter, place);
}

static void json_event(struct sink *sink, const struct event *ev)
{
	struct json *j = (struct json *)sink;

	if (ev->kind == EV_SPAN)
		put_span(j, ev);
	else if (ev_is_operation(ev->kind))
		put_op(j, ev);
	else if (ev_is_resource(ev->kind))
		put_resource_event(j, ev);
	else if (ev->kind == EV_GAP)
		put_gap(j, ev);
	else if (ev->flags & EV_F_PROCESS && ev->kind == EV_RANGE)
		put_process_range(j, ev);
	else
		put_thread_range(j, ev);
}

/* Where the process lives and what of ROCm it uses, as the viewer's labels. */
static void put_labels(struct json *j, struct place place, const struct process_info *info)
{
	char text[2048];
	int n = 0;

	if (info->ns_pid)
		n = snprintf(text, sizeof(text), "pid %" PRIu32 " in its namespace, cgroup %s",
			     info->ns_pid, info->cgroup ? info->cgroup : "?");
	if (info->libraries && *info->libraries && n < (int)sizeof(text))
		n += snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", info->libraries);
	if (n)
		put_metadata(j, "process_labels", place, "labels", text);
}

static void json_process(struct sink *sink, const struct process_info *info)
{
	struct json *j = (struct json *)sink;
	struct place place = {info->pid, info->pid};

	put_metadata(j, "process_name", place, "name", info->comm);
	if (*info->cmdline)
		put_metadata(j, "process_labels", place, "labels", info->cmdline);
	put_labels(j, place, info);
}

static void json_thread(struct sink *sink, const struct thread_info *info)
{
	struct place place = {info->pid, info->tid};

	put_metadata((struct json *)sink, "thread_name", place, "name", info->comm);
}

static void json_device(struct sink *sink, const struct device_info *info)
{
	struct json *j = (struct json *)sink;
	uint32_t made_up;

	if (!place_gpu(j, info->pid, info->device, info->name, &made_up))
		return;
	if (!info->details) /* the name that the user has given, which counts from now on */
		name_gpu(j, made_up, info->pid, info->device, info->name);
	else if (*info->details)
		put_metadata(j, "process_labels", (struct place){made_up, 0}, "labels",
			     info->details);
}

/* ---- open and close ---- */

static void write_out(void *arg, const char *text, size_t len)
{
	struct json *j = arg;

	/* Called for every comma: the cost of locking would show. */
	fwrite_unlocked(text, 1, len, j->sink.out);
}

static struct sink *json_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct json *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->sink.ops = &sink_json;
	j->sink.out = to->out;
	j->gen = yajl_gen_alloc(NULL);
	if (!j->gen) {
		free(j);
		errno = ENOMEM;
		return NULL;
	}
	yajl_gen_config(j->gen, yajl_gen_print_callback, write_out, j);
	open_map(j, NULL);
	open_array(j, "traceEvents");
	return &j->sink;
}

static int json_close(struct sink *sink, const struct trace_stats *stats)
{
	struct json *j = (struct json *)sink;
	const char *name;
	uint64_t value;
	int err;

	close_array(j);
	put_string(j, "displayTimeUnit", "ns");
	open_map(j, "otherData");
	put_string(j, "producer", "rtrace " RTRACE_VERSION);
	put_string(j, "clock", "CLOCK_BOOTTIME");
	for (unsigned int i = 0; (name = trace_stats__field(stats, i, &value)); i++)
		put_u64(j, name, value);
	close_map(j);
	close_map(j);
	fputc('\n', sink->out);
	err = sink__finish(sink);
	yajl_gen_free(j->gen);
	track_lanes__free(&j->tracks);
	text_buffer__free(&j->text);
	utf8__free(&j->utf8);
	free(j);
	return err;
}

const struct sink_ops sink_json = {
	.name = "json",
	.help = "Chrome trace events, for chrome://tracing, Perfetto and scripts",
	.open = json_open,
	.process = json_process,
	.thread = json_thread,
	.device = json_device,
	.event = json_event,
	.close = json_close,
};
