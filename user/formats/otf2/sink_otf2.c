// SPDX-License-Identifier: MIT
/*
 * The OTF2 sink: an archive of the Open Trace Format 2, for Vampir and its like; see otf2.md.
 *
 * The format wants the events of a location in the order of time, and all definitions after them.
 * So slices are kept in files (slice_store.h). The archive is made of them at the end, one location
 * after the other, and only one location at a time is in memory.
 */
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/format.h"
#include "user/formats/otf2/otf2archive.h"
#include "user/formats/otf2/otf2files.h"
#include "user/formats/otf2/otf2regions.h"
#include "user/base/output_folder.h"
#include "user/formats/rocprof_names.h"
#include "user/formats/otf2/slice_store.h"
#include "user/formats/track_lanes.h"

#define LOCATIONS_MAX 65536

/* Locations and groups of them, by the numbers of their tracks. */
struct place {
	enum { NOTHING, LOCATION, GROUP } what;
	bool gpu;
	uint32_t group;	 /* of a location, or the one that a group belongs to */
	uint64_t slices; /* of a location */
	uint32_t number; /* of a group, among those that are defined: readers want no holes */
	char name[FORMAT_LEN];
};

struct otf2 {
	struct sink sink;
	struct outfolder folder;
	struct slices *slices;
	struct tracks tracks;
	struct otf2regions *regions;
	struct place *places;
	uint32_t place_count;
	uint64_t first, last; /* times */
	bool empty;
	struct trace_origin origin;
	struct otf2archive archive;
};

static void check(struct otf2 *o, int err)
{
	if (err)
		sink__fail(&o->sink, err);
}

/* ---- locations and groups ---- */

static struct place *get_place(struct otf2 *o, uint32_t number)
{
	uint32_t count = number + number / 2 + 16;
	struct place *places;

	if (number < o->place_count)
		return &o->places[number];
	places = number > LOCATIONS_MAX ? NULL : realloc(o->places, count * sizeof(*places));
	if (!places) {
		check(o, -ENOMEM);
		return NULL;
	}
	memset(places + o->place_count, 0, (count - o->place_count) * sizeof(*places));
	o->places = places;
	o->place_count = count;
	return &places[number];
}

static struct place *set_place(struct otf2 *o, uint32_t number, int what, bool gpu, uint32_t group)
{
	struct place *p = get_place(o, number);

	if (!p)
		return NULL;
	p->what = what;
	p->gpu = gpu;
	p->group = group;
	return p;
}

/* The text as far as there is room, and harmless. */
static void put_name(struct place *p, const char *text)
{
	size_t len = strlen(text), n, used = 0;
	uint32_t code;

	for (; len; len -= n, text += n) {
		n = utf8__decode(text, len, &code);
		if (used + 4 >= sizeof(p->name))
			break;
		if (n && !text__is_unsafe(code)) {
			memcpy(p->name + used, text, n);
			used += n;
		} else {
			p->name[used++] = '?';
			n += !n;
		}
	}
	p->name[used] = '\0';
}

static struct track *get_track(struct otf2 *o, struct track_key key, bool *fresh)
{
	struct track *track = track_lanes__get(&o->tracks, key, fresh);

	if (!track)
		check(o, -ENOMEM);
	return track;
}

/* The number of the group of a process, 0: no memory. `comm`: it is called that now. */
static uint32_t process_group(struct otf2 *o, uint32_t pid, const char *comm)
{
	bool fresh;
	struct track *track =
		get_track(o, (struct track_key){.kind = TRACK_PROCESS, .pid = pid}, &fresh);
	char name[FORMAT_LEN];
	struct place *p;

	if (!track || (!fresh && !comm))
		return track ? track->number : 0;
	p = set_place(o, track->number, GROUP, false, 0);
	snprintf(name, sizeof(name), "%.64s (%" PRIu32 ")", comm ? comm : "?", pid);
	if (p)
		put_name(p, name);
	return p ? track->number : 0;
}

static uint32_t device_group(struct otf2 *o, uint32_t pid, int32_t device, const char *details)
{
	struct track_key key = {.kind = TRACK_GPU, .pid = pid, .owner = device};
	uint32_t process = process_group(o, pid, NULL);
	bool fresh;
	struct track *track = get_track(o, key, &fresh);
	char name[FORMAT_LEN];
	struct place *p;

	if (!track || (!fresh && !details))
		return track ? track->number : 0;
	p = set_place(o, track->number, GROUP, true, process);
	if (device < 0)
		snprintf(name, sizeof(name), "CPU");
	else
		snprintf(name, sizeof(name), "GPU %" PRId32 "%s%.64s", device, details ? " " : "",
			 details ? details : "");
	if (p)
		put_name(p, name);
	return p ? track->number : 0;
}

static uint32_t thread_location(struct otf2 *o, uint32_t pid, uint32_t tid, const char *comm)
{
	struct track_key key = {.kind = TRACK_THREAD, .pid = pid, .owner = tid};
	uint32_t process = process_group(o, pid, NULL);
	bool fresh;
	struct track *track = get_track(o, key, &fresh);
	char name[FORMAT_LEN];
	struct place *p;

	if (!track || (!fresh && !comm))
		return track ? track->number : 0;
	p = set_place(o, track->number, LOCATION, false, process);
	snprintf(name, sizeof(name), "Thread %" PRIu32 "%s%.64s", tid, comm && *comm ? " " : "",
		 comm ? comm : "");
	if (p)
		put_name(p, name);
	return p ? track->number : 0;
}

/* Names a location; one of several lanes, for slices that overlap, gets the lane's number too. */
static void name_lane(struct place *p, const struct event *ev, const struct track *track)
{
	char name[FORMAT_LEN];
	int n;

	if (ev->kind == EV_COPY)
		n = snprintf(name, sizeof(name), "Copy %s", event__name(ev));
	else if (ev->kind == EV_MEMORY)
		n = snprintf(name, sizeof(name), "Memory operations");
	else if (ev->kind == EV_RANGE)
		n = snprintf(name, sizeof(name), "Ranges");
	else
		n = snprintf(name, sizeof(name), "Queue %" PRIu32, ev->gpu.queue);
	if (track->lane_count > 1)
		snprintf(name + n, sizeof(name) - n, " (%" PRIu32 ")", track->lane_count);
	put_name(p, name);
}

static uint32_t lane_location(struct otf2 *o, const struct event *ev, struct track_key key,
			      uint32_t group, bool gpu)
{
	bool fresh;
	struct track *track = get_track(o, key, &fresh);
	struct track_lane *lane =
		track ? track_lanes__place(&o->tracks, track, ev->begin, ev->end, &fresh) : NULL;
	struct place *p;

	if (!lane) {
		check(o, -ENOMEM);
		return 0;
	}
	if (fresh) {
		p = set_place(o, lane->number, LOCATION, gpu, group);
		if (!p)
			return 0;
		name_lane(p, ev, track);
	}
	return lane->number;
}

static uint32_t gpu_location(struct otf2 *o, const struct event *ev)
{
	struct track_key key = {.kind = TRACK_QUEUE,
				.pid = ev->pid,
				.owner = ev->gpu.device,
				.unit = ev->gpu.queue};

	if (ev->kind == EV_COPY) {
		key.kind = TRACK_COPIES;
		key.unit = ev->gpu.dir;
	} else if (ev->kind == EV_MEMORY) {
		key.kind = TRACK_RESOURCES;
		key.unit = 0;
	}
	return lane_location(o, ev, key, device_group(o, ev->pid, ev->gpu.device, NULL), true);
}

static void otf2_process(struct sink *sink, const struct process_info *info)
{
	process_group((struct otf2 *)sink, info->pid, info->comm);
}

static void otf2_thread(struct sink *sink, const struct thread_info *info)
{
	thread_location((struct otf2 *)sink, info->pid, info->tid, info->comm);
}

static void otf2_device(struct sink *sink, const struct device_info *info)
{
	device_group((struct otf2 *)sink, info->pid, info->device, info->name);
}

/* ---- events ---- */

static const enum otf2_category categories[] = {
	[DOMAIN_HIP] = OTF2_HIP_API,	       [DOMAIN_HSA] = OTF2_HSA_API,
	[DOMAIN_KFD] = OTF2_KFD_API,	       [DOMAIN_ROCTX] = OTF2_MARKER_API,
	[DOMAIN_GPU] = OTF2_MEMORY_ALLOCATION, [DOMAIN_ROCTRACER] = OTF2_ROCTRACER_API,
};

static void add(struct otf2 *o, uint32_t location, const struct event *ev, const char *name,
		enum otf2_category category, struct slice slice)
{
	const struct otf2region *region;

	if (!location)
		return;
	region = otf2regions__get(o->regions, category, name);
	if (!region) {
		check(o, -ENOMEM);
		return;
	}
	slice.begin = ev->begin;
	slice.end = ev->end;
	slice.kind = region->number;
	o->first = ev->begin < o->first ? ev->begin : o->first;
	o->last = ev->end > o->last ? ev->end : o->last;
	o->places[location].slices++;
	check(o, slice_store__add(o->slices, location, &slice));
}

static void add_operation(struct otf2 *o, const struct event *ev)
{
	const char *name = event__name(ev);
	enum otf2_category category = OTF2_KERNEL_DISPATCH;

	if (ev->flags & EV_F_NO_TIMES)
		return;
	if (ev->kind == EV_COPY) {
		category = OTF2_MEMORY_COPY;
		name = rocprof__copy_operation(ev->gpu.dir);
	} else if (ev->kind == EV_MEMORY) {
		category = OTF2_MEMORY_ALLOCATION;
		name = rocprof__resource_operation(ev->gpu.resource.what);
		if (!name)
			return;
	} else if (ev->kind == EV_BARRIER) {
		category = OTF2_BARRIER;
	}
	add(o, gpu_location(o, ev), ev, name, category, (struct slice){.value = ev->corr});
}

/* Calls and ranges of a thread nest in each other: the lowest bit keeps their numbers distinct. */
static uint64_t call_id(uint64_t corr)
{
	return corr << 1;
}

static uint64_t range_id(uint64_t id)
{
	return id ? id << 1 | 1 : 0;
}

static void add_call(struct otf2 *o, const struct event *ev)
{
	const struct slice slice = {
		.id = call_id(ev->corr),
		.parent = ev->parent ? call_id(ev->parent) : range_id(ev->in_range),
		.value = ev->corr,
	};

	add(o, thread_location(o, ev->pid, ev->tid, NULL), ev, event__name(ev),
	    categories[ev->domain], slice);
}

static void add_range(struct otf2 *o, const struct event *ev)
{
	const struct slice slice = {
		.id = range_id(ev->range.id),
		.parent = range_id(ev->parent),
	};
	struct track_key key = {.kind = TRACK_RANGES, .pid = ev->pid};
	uint32_t location;

	if (ev->flags & EV_F_PROCESS)
		location = lane_location(o, ev, key, process_group(o, ev->pid, NULL), false);
	else
		location = thread_location(o, ev->pid, ev->tid, NULL);
	add(o, location, ev, event__name(ev), OTF2_MARKER_API,
	    ev->flags & EV_F_PROCESS ? (struct slice){} : slice);
}

static void otf2_event(struct sink *sink, const struct event *ev)
{
	struct otf2 *o = (struct otf2 *)sink;

	if (sink->error)
		return;
	if (ev->kind == EV_SPAN)
		add_call(o, ev);
	else if (ev->kind == EV_RANGE)
		add_range(o, ev);
	else if (ev_is_operation(ev->kind) || ev->kind == EV_MEMORY)
		add_operation(o, ev);
}

/* ---- events of the archive ---- */

static int write_edge(void *arg, const struct slice_edge *edge)
{
	struct otf2 *o = arg;
	const struct otf2region *region = otf2regions__at(o->regions, edge->kind);

	if (!edge->begins)
		return otf2archive__leave(&o->archive, edge->time, region->number);
	return otf2archive__enter(&o->archive, edge->time, region->number, region->category,
				  edge->value);
}

static int write_location(struct otf2 *o, uint32_t number)
{
	int err = otf2archive__begin_location(&o->archive, number);

	if (err)
		return err;
	err = slice_store__read(o->slices, number, write_edge, o);
	return otf2archive__end_location(&o->archive) ?: err;
}

/* Is the place a location that is written? */
static bool is_used(const struct otf2 *o, uint32_t number)
{
	return o->places[number].what == LOCATION && (o->places[number].slices || o->empty);
}

/* Readers want a location: without events all do, and there is one. */
static void note_empty(struct otf2 *o)
{
	o->empty = o->first > o->last;
	if (o->empty && !o->tracks.numbers)
		thread_location(o, 0, 0, NULL);
}

static int write_events(struct otf2 *o)
{
	int err = 0;

	for (uint32_t i = 0; i < o->place_count && !err; i++)
		if (is_used(o, i))
			err = write_location(o, i);
	return err;
}

/* ---- definitions ---- */

static const struct {
	const char *name;
	OTF2_Paradigm paradigm;
	OTF2_RegionRole role;
} kinds[OTF2_CATEGORIES] = {
	[OTF2_HIP_API] = {"hip_api", OTF2_PARADIGM_HIP, OTF2_REGION_ROLE_FUNCTION},
	[OTF2_HSA_API] = {"hsa_api", OTF2_PARADIGM_HIP, OTF2_REGION_ROLE_FUNCTION},
	[OTF2_KFD_API] = {"kfd_api", OTF2_PARADIGM_HIP, OTF2_REGION_ROLE_FUNCTION},
	[OTF2_MARKER_API] = {"marker_api", OTF2_PARADIGM_USER, OTF2_REGION_ROLE_FUNCTION},
	[OTF2_ROCTRACER_API] = {"roctracer_api", OTF2_PARADIGM_HIP, OTF2_REGION_ROLE_FUNCTION},
	[OTF2_KERNEL_DISPATCH] = {"kernel_dispatch", OTF2_PARADIGM_HIP, OTF2_REGION_ROLE_FUNCTION},
	[OTF2_BARRIER] = {"barrier", OTF2_PARADIGM_HIP, OTF2_REGION_ROLE_BARRIER},
	[OTF2_MEMORY_COPY] = {"memory_copy", OTF2_PARADIGM_HIP, OTF2_REGION_ROLE_DATA_TRANSFER},
	[OTF2_MEMORY_ALLOCATION] = {"memory_allocation", OTF2_PARADIGM_HIP,
				    OTF2_REGION_ROLE_ALLOCATE},
};

/* The first strings, which events name by their categories' numbers. */
static void define_categories(struct otf2 *o)
{
	for (int i = 0; i < OTF2_CATEGORIES; i++)
		otf2archive__string(&o->archive, kinds[i].name);
}

static void define_attributes(struct otf2 *o)
{
	OTF2_GlobalDefWriter *w = o->archive.definitions;
	uint32_t name = otf2archive__string(&o->archive, "category"),
		 what = otf2archive__string(&o->archive, "tracing category");

	OTF2_GlobalDefWriter_WriteAttribute(w, OTF2_ATTRIBUTE_CATEGORY, name, what,
					    OTF2_TYPE_STRING);
	name = otf2archive__string(&o->archive, "corr_id");
	what = otf2archive__string(&o->archive, "correlation ID");
	OTF2_GlobalDefWriter_WriteAttribute(w, OTF2_ATTRIBUTE_CORR, name, what, OTF2_TYPE_UINT64);
}

/* CLOCK_REALTIME of the first time, by the clocks at the begin of the trace. */
static void define_clock(struct otf2 *o)
{
	const struct trace_clocks *c = &o->origin.clocks;

	if (o->first > o->last)
		o->first = o->last = c->boot_ns;
	OTF2_GlobalDefWriter_WriteClockProperties(o->archive.definitions, 1000000000, o->first,
						  o->last - o->first,
						  c->real_ns + (o->first - c->boot_ns));
}

static void define_regions(struct otf2 *o, uint32_t none)
{
	for (uint32_t i = 0; i < otf2regions__count(o->regions); i++) {
		const struct otf2region *r = otf2regions__at(o->regions, i);
		uint32_t name = otf2archive__string(&o->archive, r->name);

		OTF2_GlobalDefWriter_WriteRegion(o->archive.definitions, r->number, name, name,
						 none, kinds[r->category].role,
						 kinds[r->category].paradigm, OTF2_REGION_FLAG_NONE,
						 none, 0, 0);
	}
}

static void define_group(struct otf2 *o, struct place *p, uint32_t number)
{
	uint32_t name = otf2archive__string(&o->archive, p->name);

	p->number = number;
	OTF2_GlobalDefWriter_WriteLocationGroup(
		o->archive.definitions, number, name,
		p->gpu ? OTF2_LOCATION_GROUP_TYPE_ACCELERATOR : OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
		p->gpu ? o->places[p->group].number : OTF2_UNDEFINED_LOCATION_GROUP);
}

static void define_location(struct otf2 *o, uint32_t number, const struct place *p)
{
	uint32_t name = otf2archive__string(&o->archive, p->name);

	OTF2_GlobalDefWriter_WriteLocation(o->archive.definitions, number, name,
					   p->gpu ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
						  : OTF2_LOCATION_TYPE_CPU_THREAD,
					   2 * p->slices, o->places[p->group].number);
}

static void define_machine(struct otf2 *o)
{
	uint32_t name = otf2archive__string(&o->archive, o->origin.hostname),
		 class = otf2archive__string(&o->archive, "node");

	OTF2_GlobalDefWriter_WriteSystemTreeNode(o->archive.definitions, 0, name, class,
						 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
}

/* Processes before their GPUs, groups before their locations. */
static void define_places(struct otf2 *o)
{
	uint32_t groups = 0;

	for (int gpu = 0; gpu < 2; gpu++)
		for (uint32_t i = 0; i < o->place_count; i++)
			if (o->places[i].what == GROUP && o->places[i].gpu == gpu)
				define_group(o, &o->places[i], groups++);
	for (uint32_t i = 0; i < o->place_count; i++)
		if (is_used(o, i))
			define_location(o, i, &o->places[i]);
}

static int write_definitions(struct otf2 *o)
{
	uint64_t *locations = calloc(o->place_count + 1, sizeof(*locations));
	size_t count = 0;
	int err;

	if (!locations)
		return -ENOMEM;
	for (uint32_t i = 0; i < o->place_count; i++)
		if (is_used(o, i))
			locations[count++] = i;
	err = otf2archive__begin_definitions(&o->archive, locations, count);
	free(locations);
	if (err)
		return err;
	define_categories(o);
	define_clock(o);
	define_attributes(o);
	define_machine(o);
	define_regions(o, otf2archive__string(&o->archive, ""));
	define_places(o);
	return 0;
}

/* ---- open and close ---- */

static void free_otf2(struct otf2 *o)
{
	slice_store__free(o->slices);
	otf2regions__free(o->regions);
	track_lanes__free(&o->tracks);
	free(o->places);
	free(o);
}

static int make_files(struct otf2 *o, const char *path)
{
	int err = output_folder__open(&o->folder, path);

	if (err)
		return err;
	err = otf2files__remove(o->folder.fd);
	if (!err) {
		o->slices = slice_store__new(o->folder.fd);
		err = o->slices ? 0 : -errno;
	}
	if (err)
		output_folder__close(&o->folder, true);
	return err;
}

static struct sink *otf2_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct otf2 *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return NULL;
	o->sink.ops = &sink_otf2;
	o->origin = *origin;
	o->first = UINT64_MAX;
	o->regions = otf2regions__new();
	err = o->regions ? make_files(o, to->path) : -ENOMEM;
	if (!err)
		return &o->sink;
	free_otf2(o);
	errno = -err;
	return NULL;
}

static int write_archive(struct otf2 *o)
{
	int err = otf2archive__open(&o->archive, o->folder.fd), e;

	note_empty(o);
	err = err ? err : write_events(o);
	err = err ? err : write_definitions(o);
	e = otf2archive__close(&o->archive);
	otf2files__give(o->folder.fd);
	return err ? err : e;
}

static int otf2_close(struct sink *sink, const struct trace_stats *stats)
{
	struct otf2 *o = (struct otf2 *)sink;
	int err;

	if (!sink->error)
		check(o, write_archive(o));
	err = sink->error;
	if (err)
		otf2files__remove(o->folder.fd);
	output_folder__close(&o->folder, err);
	free_otf2(o);
	return err;
}

static void otf2_discard(struct sink *sink)
{
	struct otf2 *o = (struct otf2 *)sink;

	output_folder__close(&o->folder, true);
	free_otf2(o);
}

/* The archive is made at the end: there is nothing that could be looked at before. */
static void otf2_flush(struct sink *sink, const struct trace_stats *stats)
{
}

const struct sink_ops sink_otf2 = {
	.name = "otf2",
	.help = "OTF2 archive, for Vampir and other readers of Score-P's traces",
	.own_files = "/" OTF2FILES_NAME ".otf2",
	.open = otf2_open,
	.process = otf2_process,
	.thread = otf2_thread,
	.device = otf2_device,
	.event = otf2_event,
	.flush = otf2_flush,
	.close = otf2_close,
	.discard = otf2_discard,
};
