// SPDX-License-Identifier: MIT
/*
 * The Perfetto sink: events as slices and instants on tracks.
 *
 *   process
 *     GPU 0                one for each device that the process uses
 *       queue 1            kernels; several tracks of this name where they overlap
 *       copy HtoD          copies to or from the device
 *       resources          instants: memory, queues, code objects
 *       memory in use      a counter
 *     roctx ranges         start..stop ranges, likewise
 *     thread               calls
 *       roctx              push..pop ranges and marks of the thread
 *   rtrace                 one instant that carries the numbers of the trace, with what was lost
 *
 * A flow with the correlation ID joins a call to the GPU operations that it caused.
 */
#include "user/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "user/pftrace.h"
#include "user/tracks.h"

#define INSTANT PF__TRACK_EVENT__TYPE__TYPE_INSTANT

struct perfetto {
	struct pftrace writer; /* whose first member is the sink */
	struct tracks tracks;
};

static void fail_memory(struct perfetto *p)
{
	sink_fail(&p->writer.sink, -ENOMEM);
}

/* ---- tracks ---- */

static uint64_t uuid_of(const struct perfetto *p, uint32_t number)
{
	return p->writer.uuid_base + number;
}

static struct track *get_track(struct perfetto *p, struct track_key key, bool *fresh)
{
	struct track *track = tracks_get(&p->tracks, key, fresh);

	if (!track)
		fail_memory(p);
	return track;
}

/* The UUID of the process's track, 0 if out of memory. Without `info`, describes it if need be. */
static uint64_t process_track(struct perfetto *p, uint32_t pid, const struct process_info *info)
{
	Pf__ProcessDescriptor process = PF__PROCESS_DESCRIPTOR__INIT;
	struct utf8_buf comm = {0}, cmdline = {0};
	char *cmdlines[1];
	bool fresh;
	struct track *track =
		get_track(p, (struct track_key){.kind = TRACK_PROCESS, .pid = pid}, &fresh);

	if (!track)
		return 0;
	process.has_pid = true;
	process.pid = (int32_t)pid;
	if (info) {
		process.process_name = (char *)utf8_clean(&comm, info->comm);
		cmdlines[0] = (char *)utf8_clean(&cmdline, info->cmdline);
		process.cmdline = cmdlines;
		process.n_cmdline = cmdlines[0] && *cmdlines[0];
	}
	if (fresh || info)
		pf_track(&p->writer, uuid_of(p, track->number), 0, NULL, &process, NULL);
	utf8_free(&comm);
	utf8_free(&cmdline);
	return uuid_of(p, track->number);
}

/* Likewise the thread's; NULL if out of memory. */
static struct track *thread_track(struct perfetto *p, uint32_t pid, uint32_t tid, const char *comm)
{
	Pf__ThreadDescriptor thread = PF__THREAD_DESCRIPTOR__INIT;
	struct utf8_buf utf8 = {0};
	bool fresh;
	struct track *track = get_track(
		p, (struct track_key){.kind = TRACK_THREAD, .pid = pid, .owner = tid}, &fresh);

	if (!track || (!fresh && !comm))
		return track;
	thread.has_pid = true;
	thread.pid = (int32_t)pid;
	thread.has_tid = true;
	thread.tid = tid;
	thread.thread_name = comm ? (char *)utf8_clean(&utf8, comm) : NULL;
	pf_track(&p->writer, uuid_of(p, track->number), process_track(p, pid, NULL), NULL, NULL,
		 &thread);
	utf8_free(&utf8);
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
		pf_track(&p->writer, uuid_of(p, track->number), uuid_of(p, thread->number), "roctx",
			 NULL, NULL);
	return track;
}

/* The UUID of the GPU's track, 0 if out of memory. `name`: what it is, "" if nobody said. */
static uint64_t gpu_track(struct perfetto *p, uint32_t pid, int32_t device, const char *name,
			  const char *details)
{
	struct track_key key = {.kind = TRACK_GPU, .pid = pid, .owner = device};
	char text[256];
	bool fresh;
	struct track *track = get_track(p, key, &fresh);

	if (!track)
		return 0;
	if (device < 0)
		snprintf(text, sizeof(text), "CPU copies");
	else
		snprintf(text, sizeof(text), "GPU %" PRId32 "%s%s", device, *name ? " " : "", name);
	if (fresh || !details) /* the name that the user has given counts from now on */
		pf_track_described(&p->writer, uuid_of(p, track->number),
				   process_track(p, pid, NULL), text, details ? details : "");
	return uuid_of(p, track->number);
}

/* What resources of a device hang below; those of none are the process's. */
static uint64_t device_track(struct perfetto *p, const struct event *ev)
{
	if (ev->gpu.device < 0)
		return process_track(p, ev->pid, NULL);
	return gpu_track(p, ev->pid, ev->gpu.device, "", "");
}

/* The UUID of a lane with room for the event, 0 if out of memory. */
static uint64_t place(struct perfetto *p, struct track_key key, const struct event *ev,
		      uint64_t parent, const char *name)
{
	bool fresh;
	struct track *track = get_track(p, key, &fresh);
	struct track_lane *lane;

	if (!track)
		return 0;
	if (ev->flags & EV_F_NO_TIMES)
		lane = tracks_first_lane(&p->tracks, track, &fresh);
	else
		lane = tracks_place(&p->tracks, track, ev->begin, ev->end, &fresh);
	if (!lane) {
		fail_memory(p);
		return 0;
	}
	if (fresh)
		pf_track(&p->writer, uuid_of(p, lane->number), parent, name, NULL, NULL);
	return uuid_of(p, lane->number);
}

static uint64_t place_op(struct perfetto *p, const struct event *ev)
{
	struct track_key key = {.kind = TRACK_COPIES, .pid = ev->pid, .owner = ev->gpu.device};
	uint64_t gpu = gpu_track(p, ev->pid, ev->gpu.device, "", "");
	char name[FORMAT_LEN];

	if (ev->kind != EV_COPY) {
		key.kind = TRACK_QUEUE;
		key.unit = ev->gpu.queue;
		snprintf(name, sizeof(name), "queue %" PRIu32, ev->gpu.queue);
	} else {
		key.unit = ev->gpu.dir;
		snprintf(name, sizeof(name), "copy %s", ev_name(ev));
	}
	return place(p, key, ev, gpu, name);
}

static uint64_t place_range(struct perfetto *p, const struct event *ev)
{
	struct track_key key = {.kind = TRACK_RANGES, .pid = ev->pid};

	return place(p, key, ev, process_track(p, ev->pid, NULL), "roctx ranges");
}

/* ---- events ---- */

static void note_dispatch(struct pf_event *e, const struct gpu_info *gpu)
{
	pf_note_u64(e, NOTE_QUEUE, gpu->queue);
	pf_note_sizes(e, NOTE_GRID, gpu->grid);
	pf_note_sizes(e, NOTE_BLOCK, gpu->workgroup);
	pf_note_u64(e, NOTE_LDS, gpu->lds);
	pf_note_u64(e, NOTE_SCRATCH, gpu->scratch);
	if (gpu->vgprs) {
		pf_note_u64(e, NOTE_VGPRS, gpu->vgprs);
		pf_note_u64(e, NOTE_ACCUM_VGPRS, gpu->accum_vgprs);
		pf_note_u64(e, NOTE_SGPRS, gpu->sgprs);
	}
	if (gpu->code)
		pf_note_u64(e, NOTE_CODE, gpu->code);
}

static void note_copy(struct pf_event *e, const struct gpu_info *gpu)
{
	pf_note_u64(e, NOTE_BYTES, gpu->bytes);
	if (gpu->engine)
		pf_note_u64(e, NOTE_ENGINE, gpu->engine);
}

static void note_resource(struct pf_event *e, const struct event *ev)
{
	const struct resource_info *r = &ev->gpu.resource;

	pf_note_u64(e, NOTE_BEGIN, ev->begin);
	if (r->id)
		pf_note_u64(e, ev->kind == EV_CODE ? NOTE_CODE : NOTE_QUEUE, r->id);
	if (r->address)
		pf_note_hex(e, NOTE_ADDRESS, r->address);
	if (r->bytes_known)
		pf_note_u64(e, NOTE_BYTES, r->bytes);
	if (r->in_use_known)
		pf_note_u64(e, NOTE_IN_USE, r->in_use);
	if (r->count)
		pf_note_u64(e, NOTE_COUNT, r->count);
	if (r->text)
		pf_note_text(e, NOTE_TEXT, r->text);
}

static void note_op(struct pf_event *e, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;

	pf_note_u64(e, NOTE_CORR, ev->corr);
	pf_note_u64(e, NOTE_ROOT, ev->root);
	pf_note_int(e, NOTE_DEVICE, gpu->device);
	pf_note_u64(e, NOTE_OP, gpu->op);
	pf_note_u64(e, NOTE_SUBMIT, gpu->submit);
	if (gpu->stream != STREAM_NONE)
		pf_note_u64(e, NOTE_STREAM, gpu->stream);
	if (ev->corr && ev_is_operation(ev->kind))
		pf_note_u64(e, NOTE_ORDINAL, gpu->ordinal);
	if (ev->kind == EV_DISPATCH)
		note_dispatch(e, gpu);
	else if (ev->kind == EV_BARRIER)
		pf_note_u64(e, NOTE_QUEUE, gpu->queue);
	else if (ev->kind == EV_COPY)
		note_copy(e, gpu);
	else
		note_resource(e, ev);
	if (ev->corr && ev_is_operation(ev->kind))
		pf_flow(e, ev->corr);
}

static void note_span(struct pf_event *e, const struct event *ev)
{
	pf_note_u64(e, NOTE_CORR, ev->corr);
	pf_note_u64(e, NOTE_PARENT, ev->parent);
	pf_note_registers(e, NOTE_ARGS, ev->args, 6);
	pf_note_hex(e, NOTE_RET, ev->ret);
	if (ev->kernel)
		pf_note_text(e, NOTE_KERNEL, ev->kernel);
	if (ev->flags & EV_F_LAUNCHED)
		pf_flow(e, ev->corr);
}

static void note_range(struct pf_event *e, const struct event *ev)
{
	if (ev->kind == EV_RANGE)
		pf_note_u64(e, NOTE_RANGE, ev->range.id);
	if (ev->parent)
		pf_note_u64(e, NOTE_PARENT, ev->parent);
}

/* The begin of a slice, or an instant: carries all there is to say. */
static void write_first(struct perfetto *p, const struct event *ev, Pf__TrackEvent__Type type,
			uint64_t track)
{
	bool text = ev->kind == EV_RANGE || ev->kind == EV_MARK || ev->kind == EV_GAP;
	char flags[FORMAT_LEN];
	struct pf_event e;

	pf_event_init(&e, type, track, ev->domain);
	if (ev->kind == EV_SPAN)
		note_span(&e, ev);
	else if (text)
		note_range(&e, ev);
	else
		note_op(&e, ev);
	if (ev->in_range && !text)
		pf_note_u64(&e, NOTE_RANGE, ev->in_range);
	if (ev->flags & EV_F_EXTERNAL)
		pf_note_u64(&e, NOTE_EXTERNAL, ev->external);
	if (ev->flags)
		pf_note_text(&e, NOTE_FLAGS, format_flags(flags, ev->flags));
	/* Messages may all differ, functions and kernels recur. */
	pf_event_write(&p->writer, &e, ev_is_resource(ev->kind) ? ev->end : ev->begin, ev_name(ev),
		       !text);
}

static void write_begin(struct perfetto *p, const struct event *ev, uint64_t track)
{
	write_first(p, ev, PF__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, track);
}

static void write_end(struct perfetto *p, const struct event *ev, uint64_t track)
{
	struct pf_event e;

	pf_event_init(&e, PF__TRACK_EVENT__TYPE__TYPE_SLICE_END, track, ev->domain);
	pf_event_write(&p->writer, &e, ev->end, NULL, false);
}

/* What nest_write's functions get. */
struct nested {
	struct perfetto *p;
	uint64_t track;
};

static void nested_begin(void *arg, const struct event *ev)
{
	struct nested *n = arg;

	write_begin(n->p, ev, n->track);
}

static void nested_end(void *arg, const struct event *ev)
{
	struct nested *n = arg;

	write_end(n->p, ev, n->track);
}

static void write_nested(struct perfetto *p, struct track *track)
{
	struct nested arg = {p, uuid_of(p, track->number)};

	nest_write(&track->nest, nested_begin, nested_end, &arg);
}

static void add_nested(struct perfetto *p, struct track *track, const struct event *ev)
{
	int complete = nest_add(&track->nest, ev);

	if (complete < 0)
		fail_memory(p);
	else if (complete)
		write_nested(p, track);
}

static void put_placed(struct perfetto *p, const struct event *ev, uint64_t track)
{
	if (!track)
		return;
	if (ev->flags & EV_F_NO_TIMES) {
		write_first(p, ev, INSTANT, track);
		return;
	}
	write_begin(p, ev, track);
	write_end(p, ev, track);
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
		pf_track(&p->writer, uuid_of(p, track->number), parent,
			 ev->gpu.device == DEVICE_CPU ? "resources of the CPU" : "resources", NULL,
			 NULL);
	write_first(p, ev, INSTANT, uuid_of(p, track->number));
	if (!ev->gpu.resource.in_use_known || ev->gpu.device < 0)
		return;
	key.kind = TRACK_IN_USE;
	track = get_track(p, key, &fresh);
	if (!track)
		return;
	if (fresh)
		pf_track_bytes(&p->writer, uuid_of(p, track->number), parent,
			       "device memory in use");
	pf_bytes(&p->writer, uuid_of(p, track->number), ev->end, ev->gpu.resource.in_use);
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
		write_first(p, ev, INSTANT, uuid_of(p, track->number));
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
	gpu_track((struct perfetto *)sink, info->pid, info->device, info->name, info->details);
}

/* ---- open and close ---- */

static struct sink *perfetto_open(FILE *out)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	struct timespec now;

	if (!p)
		return NULL;
	p->writer.sink.ops = &sink_pftrace;
	p->writer.sink.out = out;
	clock_gettime(CLOCK_REALTIME, &now);
	p->writer.uuid_base = now.tv_sec * 1000000000ULL + now.tv_nsec;
	pf_begin(&p->writer);
	pf_clocks(&p->writer);
	return &p->writer.sink;
}

static void write_stats(struct perfetto *p, const struct trace_stats *stats)
{
	bool fresh;
	struct track *track = get_track(p, (struct track_key){.kind = TRACK_TRACE}, &fresh);
	const char *name;
	struct pf_event e;
	uint64_t value;

	if (!track)
		return;
	pf_track(&p->writer, uuid_of(p, track->number), 0, "rtrace", NULL, NULL);
	pf_event_init(&e, INSTANT, uuid_of(p, track->number), DOMAIN_GPU);
	e.msg.n_category_iids = 0;
	for (unsigned int i = 0; (name = trace_stats_field(stats, i, &value)); i++)
		pf_note_u64(&e, NOTE_STATS + i, value);
	pf_event_write(&p->writer, &e, p->writer.last, "trace statistics", false);
}

static int perfetto_close(struct sink *sink, const struct trace_stats *stats)
{
	struct perfetto *p = (struct perfetto *)sink;
	int err;

	for (struct track *track = p->tracks.all; track; track = track->hh.next)
		write_nested(p, track);
	write_stats(p, stats);
	pf_clocks(&p->writer);
	err = sink_finish(sink);
	pf_free(&p->writer);
	tracks_free(&p->tracks);
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
	.close = perfetto_close,
};
