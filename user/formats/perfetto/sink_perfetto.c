// SPDX-License-Identifier: MIT
/*
 * The Perfetto sink: events as slices and instants on tracks.
 *
 *   process
 *     GPU 0                one for each device that the process uses
 *       queue 1            kernels; several tracks of this name where they overlap
 *       copy HtoD          copies to or from the device
 *       resources          instants: memory, queues, code objects
 *       device memory in use, queue depth, kernels/s, copy bandwidth      counters
 *     roctx ranges         start..stop ranges, likewise
 *     thread               calls
 *       roctx              push..pop ranges and marks of the thread
 *   GPU 0                  the same kernels and copies of all processes, see render_stages.h
 *   rtrace                 one instant that carries the numbers of the trace, with what was lost
 *     events lost          so far: a counter, if any were
 *
 * A flow with the correlation ID joins a call to the GPU operations that it caused.
 */
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "user/formats/perfetto/render_stages.h"
#include "user/formats/perfetto/perfetto_packets.h"
#include "user/formats/track_lanes.h"

struct perfetto {
	struct pftrace writer; /* its first member is the sink */
	struct tracks tracks;
	struct pf_stages stages;
	uint64_t begun; /* when the trace was */
	uint64_t lost;	/* events, so far */
};

static void fail_memory(struct perfetto *p)
{
	sink__fail(&p->writer.sink, -ENOMEM);
}

/* ---- tracks ---- */

static uint64_t uuid_of(const struct perfetto *p, uint32_t number)
{
	return p->writer.uuid_base + number;
}

static struct track *get_track(struct perfetto *p, struct track_key key, bool *fresh)
{
	struct track *track = track_lanes__get(&p->tracks, key, fresh);

	if (!track)
		fail_memory(p);
	return track;
}

/* The UUID of the process's track, 0 if out of memory. Without `info`, describes it if need be. */
static uint64_t process_track(struct perfetto *p, uint32_t pid, const struct process_info *info)
{
	const struct process_info unknown = {.pid = pid};
	bool fresh;
	struct track *track =
		get_track(p, (struct track_key){.kind = TRACK_PROCESS, .pid = pid}, &fresh);
	size_t begun;

	if (!track)
		return 0;
	if (fresh || info) {
		begun = pf__track_begin(&p->writer, uuid_of(p, track->number), 0, NULL, NULL);
		pf__track_process(&p->writer, info ? info : &unknown);
		pf__track_end(&p->writer, begun);
		if (!fresh)
			pf__rename_process(&p->writer, info);
	}
	return uuid_of(p, track->number);
}

/* Likewise the thread's; NULL if out of memory. */
static struct track *thread_track(struct perfetto *p, uint32_t pid, uint32_t tid, const char *comm)
{
	const struct thread_info info = {.pid = pid, .tid = tid, .comm = comm};
	bool fresh;
	struct track *track = get_track(
		p, (struct track_key){.kind = TRACK_THREAD, .pid = pid, .owner = tid}, &fresh);
	uint64_t process;
	size_t begun;

	if (!track || (!fresh && !comm))
		return track;
	process = process_track(p, pid, NULL);
	begun = pf__track_begin(&p->writer, uuid_of(p, track->number), process, NULL, NULL);
	pf__track_thread(&p->writer, &info);
	pf__track_end(&p->writer, begun);
	return track;
}

static struct track *roctx_track(struct perfetto *p, uint32_t pid, uint32_t tid)
{
	struct track *thread = thread_track(p, pid, tid, NULL), *track;
	bool fresh;

	if (!thread)
		return NULL;
	track = get_track(p, (struct track_key){.kind = TRACK_ROCTX, .pid = pid, .owner = tid},
			  &fresh);
	if (track && fresh)
		pf__track(&p->writer, uuid_of(p, track->number), uuid_of(p, thread->number),
			  "roctx");
	return track;
}

/* The UUID of the GPU's track, 0 if out of memory. `name`: what it is, "" if not known. */
static uint64_t gpu_track(struct perfetto *p, uint32_t pid, int32_t device, const char *name,
			  const char *details)
{
	struct track_key key = {.kind = TRACK_GPU, .pid = pid, .owner = device};
	char text[256];
	bool fresh;
	struct track *track = get_track(p, key, &fresh);
	uint64_t process;

	if (!track)
		return 0;
	if (!fresh && details) /* without: the name that the user has given counts from now on */
		return uuid_of(p, track->number);
	if (device < 0)
		snprintf(text, sizeof(text), "CPU copies");
	else
		snprintf(text, sizeof(text), "GPU %" PRId32 "%s%s", device, *name ? " " : "", name);
	process = process_track(p, pid, NULL);
	pf__track_end(&p->writer, pf__track_begin(&p->writer, uuid_of(p, track->number), process,
						  text, details && *details ? details : NULL));
	return uuid_of(p, track->number);
}

/* What resources of a device hang below; those of none are the process's. */
static uint64_t device_track(struct perfetto *p, const struct event *ev)
{
	if (ev->gpu.device < 0)
		return process_track(p, ev->pid, NULL);
	return gpu_track(p, ev->pid, ev->gpu.device, "", "");
}

static void describe_lane(struct perfetto *p, const struct track_lane *lane, const struct event *ev,
			  uint64_t parent)
{
	char name[FORMAT_LEN] = "roctx ranges";

	if (ev->kind == EV_COPY)
		snprintf(name, sizeof(name), "%s", event__copy_title(ev->gpu.dir));
	else if (ev_is_operation(ev->kind))
		snprintf(name, sizeof(name), "queue %" PRIu32, ev->gpu.queue);
	pf__track(&p->writer, uuid_of(p, lane->number), parent, name);
}

/* The UUID of a lane with room for the event, 0 if out of memory. */
static uint64_t place(struct perfetto *p, struct track_key key, const struct event *ev,
		      uint64_t parent)
{
	bool fresh;
	struct track *track = get_track(p, key, &fresh);
	struct track_lane *lane;

	if (!track)
		return 0;
	if (ev->flags & EV_F_NO_TIMES)
		lane = track_lanes__first_lane(&p->tracks, track, &fresh);
	else
		lane = track_lanes__place(&p->tracks, track, ev->begin, ev->end, &fresh);
	if (!lane) {
		fail_memory(p);
		return 0;
	}
	if (fresh)
		describe_lane(p, lane, ev, parent);
	return uuid_of(p, lane->number);
}

static uint64_t place_op(struct perfetto *p, const struct event *ev)
{
	struct track_key key = {.kind = TRACK_COPIES, .pid = ev->pid, .owner = ev->gpu.device};
	uint64_t gpu = gpu_track(p, ev->pid, ev->gpu.device, "", "");

	if (ev->kind != EV_COPY) {
		key.kind = TRACK_QUEUE;
		key.unit = ev->gpu.queue;
	} else {
		key.unit = ev->gpu.dir;
	}
	return place(p, key, ev, gpu);
}

static uint64_t place_range(struct perfetto *p, const struct event *ev)
{
	struct track_key key = {.kind = TRACK_RANGES, .pid = ev->pid};

	return place(p, key, ev, process_track(p, ev->pid, NULL));
}

/* ---- events ---- */

static void note_dispatch(struct pftrace *p, const struct gpu_info *gpu)
{
	pf__note_u64(p, NOTE_QUEUE, gpu->queue);
	pf__note_sizes(p, NOTE_GRID, gpu->grid);
	pf__note_sizes(p, NOTE_BLOCK, gpu->workgroup);
	pf__note_u64(p, NOTE_LDS, gpu->lds);
	pf__note_u64(p, NOTE_SCRATCH, gpu->scratch);
	if (gpu->vgprs) {
		pf__note_u64(p, NOTE_VGPRS, gpu->vgprs);
		pf__note_u64(p, NOTE_ACCUM_VGPRS, gpu->accum_vgprs);
		pf__note_u64(p, NOTE_SGPRS, gpu->sgprs);
	}
	if (gpu->code)
		pf__note_u64(p, NOTE_CODE, gpu->code);
}

static void note_copy(struct pftrace *p, const struct gpu_info *gpu)
{
	pf__note_u64(p, NOTE_BYTES, gpu->bytes);
	if (gpu->engine)
		pf__note_u64(p, NOTE_ENGINE, gpu->engine);
}

static void note_resource(struct pftrace *p, const struct event *ev)
{
	const struct resource_info *r = &ev->gpu.resource;

	pf__note_u64(p, NOTE_BEGIN, ev->begin);
	if (r->id)
		pf__note_u64(p, ev->kind == EV_CODE ? NOTE_CODE : NOTE_QUEUE, r->id);
	if (r->address)
		pf__note_hex(p, NOTE_ADDRESS, r->address);
	if (r->bytes_known)
		pf__note_u64(p, NOTE_BYTES, r->bytes);
	if (r->in_use_known)
		pf__note_u64(p, NOTE_IN_USE, r->in_use);
	if (r->count)
		pf__note_u64(p, NOTE_COUNT, r->count);
	if (r->text)
		pf__note_text(p, NOTE_TEXT, r->text);
}

static void note_op(struct pftrace *p, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;

	pf__note_u64(p, NOTE_CORR, ev->corr);
	pf__note_u64(p, NOTE_ROOT, ev->root);
	pf__note_int(p, NOTE_DEVICE, gpu->device);
	pf__note_u64(p, NOTE_OP, gpu->op);
	pf__note_u64(p, NOTE_SUBMIT, gpu->submit);
	if (gpu->stream != STREAM_NONE)
		pf__note_u64(p, NOTE_STREAM, gpu->stream);
	if (ev->corr && ev_is_operation(ev->kind))
		pf__note_u64(p, NOTE_ORDINAL, gpu->ordinal);
	if (ev->kind == EV_DISPATCH)
		note_dispatch(p, gpu);
	else if (ev->kind == EV_BARRIER)
		pf__note_u64(p, NOTE_QUEUE, gpu->queue);
	else if (ev->kind == EV_COPY)
		note_copy(p, gpu);
	else
		note_resource(p, ev);
	if (ev->corr && ev_is_operation(ev->kind))
		pf__flow(p, ev->corr);
}

static void note_span(struct pftrace *p, const struct event *ev)
{
	pf__note_u64(p, NOTE_CORR, ev->corr);
	pf__note_u64(p, NOTE_PARENT, ev->parent);
	pf__note_call(p, ev);
	if (ev->kernel)
		pf__note_text(p, NOTE_KERNEL, ev->kernel);
	if (ev->flags & EV_F_LAUNCHED)
		pf__flow(p, ev->corr);
}

static void note_range(struct pftrace *p, const struct event *ev)
{
	if (ev->kind == EV_RANGE)
		pf__note_u64(p, NOTE_RANGE, ev->range.id);
	if (ev->parent)
		pf__note_u64(p, NOTE_PARENT, ev->parent);
}

/* Puts all that is known of the event into the writer's event. */
static void make_event(struct perfetto *p, const struct event *ev)
{
	bool text = ev->kind == EV_RANGE || ev->kind == EV_MARK || ev->kind == EV_GAP;
	struct pftrace *w = &p->writer;
	char flags[FORMAT_LEN];

	pf__event_begin(w, ev->domain);
	/* Messages may all differ, functions and kernels recur. */
	pf__event_name(w, event__name(ev), !text);
	if (ev->kind == EV_SPAN)
		note_span(w, ev);
	else if (text)
		note_range(w, ev);
	else
		note_op(w, ev);
	if (ev->in_range && !text)
		pf__note_u64(w, NOTE_RANGE, ev->in_range);
	if (ev->flags & EV_F_EXTERNAL)
		pf__note_u64(w, NOTE_EXTERNAL, ev->external);
	if (ev->flags)
		pf__note_text(w, NOTE_FLAGS, event__flags_text(flags, ev->flags));
}

static void write_made(struct perfetto *p, enum pf_event_type type, uint64_t track, uint64_t time)
{
	pf__event_write(&p->writer, type, track, time, p->writer.event.data, p->writer.event.len);
}

static void write_end(struct perfetto *p, uint64_t track, uint64_t time)
{
	pf__event_write(&p->writer, PF_SLICE_END, track, time, NULL, 0);
}

static void write_instant(struct perfetto *p, const struct event *ev, uint64_t track)
{
	make_event(p, ev);
	write_made(p, PF_INSTANT, track, ev_is_resource(ev->kind) ? ev->end : ev->begin);
}

/* What slice_order__write's functions get. */
struct nested {
	struct perfetto *p;
	uint64_t track;
};

static void nested_begin(void *arg, uint64_t time, const void *data, size_t len)
{
	const struct nested *n = arg;

	pf__event_write(&n->p->writer, PF_SLICE_BEGIN, n->track, time, data, len);
}

static void nested_end(void *arg, uint64_t time)
{
	const struct nested *n = arg;

	write_end(n->p, n->track, time);
}

static void write_nested(struct perfetto *p, struct track *track)
{
	struct nested arg = {p, uuid_of(p, track->number)};

	slice_order__write(&track->nest, nested_begin, nested_end, &arg);
}

static void add_nested(struct perfetto *p, struct track *track, const struct event *ev)
{
	int complete;

	make_event(p, ev);
	complete = slice_order__add(&track->nest, ev, p->writer.event.data, p->writer.event.len);
	if (complete < 0)
		fail_memory(p);
	else if (complete)
		write_nested(p, track);
}

static void add_rates(struct perfetto *p, const struct event *ev)
{
	struct track_key key = {.kind = TRACK_GPU, .pid = ev->pid, .owner = ev->gpu.device};
	bool fresh;
	struct track *track = ev->gpu.device < 0 ? NULL : get_track(p, key, &fresh);

	if (!track)
		return;
	track->rates.from = p->begun;
	if (rate_curves__add(&track->rates, ev))
		fail_memory(p);
}

static void put_placed(struct perfetto *p, const struct event *ev, uint64_t track)
{
	if (!track)
		return;
	if (ev->flags & EV_F_NO_TIMES) {
		write_instant(p, ev, track);
		return;
	}
	make_event(p, ev);
	write_made(p, PF_SLICE_BEGIN, track, ev->begin);
	write_end(p, track, ev->end);
	if (!ev_is_operation(ev->kind))
		return;
	render_stages__add(&p->stages, &p->writer, ev);
	add_rates(p, ev);
}

static void counter_track(struct perfetto *p, const struct track *track, uint64_t parent,
			  const char *name, const char *unit)
{
	size_t begun = pf__track_begin(&p->writer, uuid_of(p, track->number), parent, name, NULL);

	pf__track_counter(&p->writer, unit);
	pf__track_end(&p->writer, begun);
}

static void put_resource(struct perfetto *p, const struct event *ev)
{
	struct track_key key = {.kind = TRACK_RESOURCES, .pid = ev->pid, .owner = ev->gpu.device};
	uint64_t parent = device_track(p, ev);
	struct track *track;
	bool fresh;

	track = get_track(p, key, &fresh);
	if (!track)
		return;
	if (fresh)
		pf__track(&p->writer, uuid_of(p, track->number), parent,
			  ev->gpu.device == DEVICE_CPU ? "resources of the CPU" : "resources");
	write_instant(p, ev, uuid_of(p, track->number));
	if (!ev->gpu.resource.in_use_known || ev->gpu.device < 0)
		return;
	key.kind = TRACK_IN_USE;
	track = get_track(p, key, &fresh);
	if (!track)
		return;
	if (fresh)
		counter_track(p, track, parent, "device memory in use", NULL);
	pf__count(&p->writer, uuid_of(p, track->number), ev->end, ev->gpu.resource.in_use);
}

static void perfetto_event(struct sink *sink, const struct event *ev)
{
	struct perfetto *p = (struct perfetto *)sink;
	struct track *track;

	if (ev_is_operation(ev->kind)) {
		put_placed(p, ev, place_op(p, ev));
		return;
	}
	if (ev_is_resource(ev->kind)) {
		put_resource(p, ev);
		return;
	}
	if (ev->kind == EV_GAP || (ev->kind == EV_RANGE && ev->flags & EV_F_PROCESS)) {
		put_placed(p, ev, place_range(p, ev));
		return;
	}
	if (ev->kind == EV_SPAN)
		track = thread_track(p, ev->pid, ev->tid, NULL);
	else
		track = roctx_track(p, ev->pid, ev->tid);
	if (!track)
		return;
	if (ev->kind == EV_MARK)
		write_instant(p, ev, uuid_of(p, track->number));
	else
		add_nested(p, track, ev);
}

static void perfetto_process(struct sink *sink, const struct process_info *info)
{
	process_track((struct perfetto *)sink, info->pid, info);
}

static void perfetto_thread(struct sink *sink, const struct thread_info *info)
{
	thread_track((struct perfetto *)sink, info->pid, info->tid, info->comm);
}

static void perfetto_device(struct sink *sink, const struct device_info *info)
{
	struct perfetto *p = (struct perfetto *)sink;

	gpu_track(p, info->pid, info->device, info->name, info->details);
	render_stages__device(&p->stages, info);
}

/* ---- open and close ---- */

static struct sink *perfetto_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct perfetto *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->writer.sink.ops = &sink_pftrace;
	p->writer.sink.out = to->out;
	p->writer.uuid_base = origin->clocks.real_ns;
	p->begun = origin->clocks.boot_ns;
	pf__begin(&p->writer);
	pf__clocks(&p->writer, &origin->clocks);
	return &p->writer.sink;
}

/* The UUID of the trace's own track, 0 if out of memory. */
static uint64_t trace_track(struct perfetto *p)
{
	bool fresh;
	struct track *track = get_track(p, (struct track_key){.kind = TRACK_TRACE}, &fresh);

	if (!track)
		return 0;
	if (fresh)
		pf__track(&p->writer, uuid_of(p, track->number), 0, "rtrace");
	return uuid_of(p, track->number);
}

static void write_lost(struct perfetto *p, const struct trace_stats *stats)
{
	uint64_t lost = trace_stats__lost(stats), parent;
	struct track *track;
	bool fresh;

	if (lost == p->lost || !stats->ended.boot_ns)
		return;
	parent = trace_track(p);
	track = get_track(p, (struct track_key){.kind = TRACK_LOST}, &fresh);
	if (!track)
		return;
	if (fresh) {
		counter_track(p, track, parent, "events lost", "events");
		pf__count(&p->writer, uuid_of(p, track->number), p->begun, 0);
	}
	pf__count(&p->writer, uuid_of(p, track->number), stats->ended.boot_ns, lost);
	p->lost = lost;
}

static void perfetto_flush(struct sink *sink, const struct trace_stats *stats)
{
	write_lost((struct perfetto *)sink, stats);
	if (fflush(sink->out))
		sink__fail(sink, -errno);
}

static void write_stats(struct perfetto *p, const struct trace_stats *stats)
{
	uint64_t track = trace_track(p);
	const char *name;
	uint64_t value;

	if (!track)
		return;
	pf__event_begin(&p->writer, DOMAIN_COUNT);
	pf__event_name(&p->writer, "trace statistics", false);
	for (unsigned int i = 0; (name = trace_stats__field(stats, i, &value)); i++)
		pf__note_u64(&p->writer, NOTE_STATS + i, value);
	write_made(p, PF_INSTANT, track, p->writer.last);
}

/* ---- curves ---- */

static double queue_depth(const struct rates *r, size_t n, double before)
{
	return before + r->all[n].submitted - r->all[n].ended;
}

static double kernel_rate(const struct rates *r, size_t n, double before)
{
	return r->all[n].kernels * 1e9 / r->width;
}

static double copy_rate(const struct rates *r, size_t n, double before)
{
	return r->all[n].bytes * 1e9 / r->width;
}

static const struct curve {
	const char *name, *unit;
	double (*value)(const struct rates *r, size_t n, double before);
	bool at_end; /* of the stretch; else it is that of the whole of it */
} curves[] = {
	{"queue depth", "operations", queue_depth, true},
	{"kernels/s", "1/s", kernel_rate, false},
	{"copy bandwidth", "B/s", copy_rate, false},
};

/* Where it changes. */
static void write_curve(struct perfetto *p, const struct curve *c, const struct rates *r,
			uint64_t track)
{
	double value, before = 0;

	pf__measure(&p->writer, track, r->from, 0);
	for (size_t i = 0; i < r->count; i++) {
		value = c->value(r, i, before);
		if (value != before)
			pf__measure(&p->writer, track, rate_curves__at(r, i + c->at_end), value);
		before = value;
	}
	if (before && !c->at_end)
		pf__measure(&p->writer, track, rate_curves__at(r, r->count), 0);
}

static void write_curves(struct perfetto *p, const struct track *gpu)
{
	for (uint32_t i = 0; gpu->rates.all && i < sizeof(curves) / sizeof(curves[0]); i++) {
		const struct track_key key = {TRACK_RATE, gpu->key.pid, gpu->key.owner, i};
		bool fresh;
		struct track *track = get_track(p, key, &fresh);

		if (!track)
			return;
		counter_track(p, track, uuid_of(p, gpu->number), curves[i].name, curves[i].unit);
		write_curve(p, &curves[i], &gpu->rates, uuid_of(p, track->number));
	}
}

static int perfetto_close(struct sink *sink, const struct trace_stats *stats)
{
	struct perfetto *p = (struct perfetto *)sink;
	int err;

	for (struct track *track = p->tracks.all; track; track = track->hh.next)
		write_nested(p, track);
	for (struct track *track = p->tracks.all; track; track = track->hh.next)
		write_curves(p, track);
	render_stages__close(&p->stages, &p->writer);
	write_lost(p, stats);
	write_stats(p, stats);
	if (stats->ended.boot_ns)
		pf__clocks(&p->writer, &stats->ended);
	err = sink__finish(sink);
	pf__free(&p->writer);
	track_lanes__free(&p->tracks);
	free(p);
	return err;
}

const struct sink_ops sink_pftrace = {
	.name = "pftrace",
	.help = "Perfetto trace, for ui.perfetto.dev and trace_processor",
	.open = perfetto_open,
	.process = perfetto_process,
	.thread = perfetto_thread,
	.device = perfetto_device,
	.event = perfetto_event,
	.flush = perfetto_flush,
	.close = perfetto_close,
};
