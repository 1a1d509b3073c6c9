// SPDX-License-Identifier: MIT
/*
 * Perfetto trace packets: building, interning, packing.
 */
#define HASH_NONFATAL_OOM 1
#include "user/pftrace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#define SEQUENCE     1	   /* all packets form one sequence */
#define INTERNED_MAX 65536 /* bounds the memory; later names are written out each time */

/*
 * Keyed by where the name is, not by what it says: names live until the sinks close, and one name
 * in two places costs only a second number.
 */
struct interned {
	const char *name;
	uint64_t iid;
	UT_hash_handle hh;
};

static const char *const note_names[NOTE_STATS] = {
	[NOTE_CORR] = "corr",	    [NOTE_PARENT] = "parent",
	[NOTE_ROOT] = "root",	    [NOTE_RANGE] = "range",
	[NOTE_ARGS] = "args",	    [NOTE_RET] = "ret",
	[NOTE_DEVICE] = "device",   [NOTE_QUEUE] = "queue",
	[NOTE_OP] = "op",	    [NOTE_SUBMIT] = "submit",
	[NOTE_GRID] = "grid",	    [NOTE_BLOCK] = "block",
	[NOTE_LDS] = "lds",	    [NOTE_SCRATCH] = "scratch",
	[NOTE_BYTES] = "bytes",	    [NOTE_FLAGS] = "flags",
	[NOTE_KERNEL] = "kernel",   [NOTE_EXTERNAL] = "external",
	[NOTE_VGPRS] = "vgprs",	    [NOTE_ACCUM_VGPRS] = "accum_vgprs",
	[NOTE_SGPRS] = "sgprs",	    [NOTE_CODE] = "code",
	[NOTE_ENGINE] = "engine",   [NOTE_BEGIN] = "begin",
	[NOTE_ADDRESS] = "address", [NOTE_IN_USE] = "in_use",
	[NOTE_COUNT] = "count",	    [NOTE_TEXT] = "text",
	[NOTE_STREAM] = "stream",   [NOTE_ORDINAL] = "ordinal",
};

/* ---- packets ---- */

/* A trace of one packet is a piece of a longer trace: messages of one type can be joined end to
 * end. */
static void write_packet(struct pftrace *p, Pf__TracePacket *packet)
{
	Pf__TracePacket *packets[] = {packet};
	Pf__Trace trace = PF__TRACE__INIT;
	size_t size;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->has_sequence_flags = true;
	packet->sequence_flags |= PF__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	trace.n_packet = 1;
	trace.packet = packets;
	size = pf__trace__get_packed_size(&trace);
	if (size > p->packed_size) {
		uint8_t *packed = realloc(p->packed, size);

		if (!packed) {
			sink_fail(&p->sink, -ENOMEM);
			return;
		}
		p->packed = packed;
		p->packed_size = size;
	}
	pf__trace__pack(&trace, p->packed);
	fwrite(p->packed, 1, size, p->sink.out);
	sink_check(&p->sink);
}

/* The interned names that are known from the start: categories and annotations. */
static void intern_fixed(Pf__EventCategory *categories, Pf__DebugAnnotationName *notes,
			 size_t count)
{
	static const struct trace_stats none;
	const char *name;
	uint64_t value;

	for (size_t i = 0; i < DOMAIN_COUNT; i++) {
		pf__event_category__init(&categories[i]);
		categories[i].has_iid = true;
		categories[i].iid = i + 1;
		categories[i].name = (char *)ev_domain_name((enum ev_domain)i);
	}
	for (size_t i = 0; i < count; i++) {
		size_t iid = i + 1;

		name = iid < NOTE_STATS ? note_names[iid]
					: trace_stats_field(&none, iid - NOTE_STATS, &value);
		pf__debug_annotation_name__init(&notes[i]);
		notes[i].has_iid = true;
		notes[i].iid = iid;
		notes[i].name = (char *)name;
	}
}

static size_t count_stats(void)
{
	static const struct trace_stats none;
	unsigned int n = 0;
	uint64_t value;

	while (trace_stats_field(&none, n, &value))
		n++;
	return n;
}

void pf_begin(struct pftrace *p)
{
	size_t note_count = NOTE_STATS - 1 + count_stats();
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TracePacketDefaults defaults = PF__TRACE_PACKET_DEFAULTS__INIT;
	Pf__InternedData interned = PF__INTERNED_DATA__INIT;
	Pf__EventCategory categories[DOMAIN_COUNT], *category_list[DOMAIN_COUNT];
	Pf__DebugAnnotationName notes[note_count], *note_list[note_count];

	intern_fixed(categories, notes, note_count);
	for (size_t i = 0; i < DOMAIN_COUNT; i++)
		category_list[i] = &categories[i];
	for (size_t i = 0; i < note_count; i++)
		note_list[i] = &notes[i];
	interned.n_event_categories = DOMAIN_COUNT;
	interned.event_categories = category_list;
	interned.n_debug_annotation_names = note_count;
	interned.debug_annotation_names = note_list;
	defaults.has_timestamp_clock_id = true;
	defaults.timestamp_clock_id = PF__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME;
	packet.has_first_packet_on_sequence = true;
	packet.first_packet_on_sequence = true;
	packet.sequence_flags = PF__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	packet.trace_packet_defaults = &defaults;
	packet.interned_data = &interned;
	write_packet(p, &packet);
}

void pf_clocks(struct pftrace *p)
{
	static const struct {
		clockid_t clock;
		uint32_t id;
	} clocks[] = {
		{CLOCK_BOOTTIME, PF__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME},
		{CLOCK_MONOTONIC, PF__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC},
		{CLOCK_REALTIME, PF__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME},
	};
	enum { COUNT = sizeof(clocks) / sizeof(clocks[0]) };
	Pf__ClockSnapshot__Clock readings[COUNT], *list[COUNT];
	Pf__ClockSnapshot snapshot = PF__CLOCK_SNAPSHOT__INIT;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	struct timespec now[COUNT];

	for (int i = 0; i < COUNT; i++)
		clock_gettime(clocks[i].clock, &now[i]);
	for (int i = 0; i < COUNT; i++) {
		list[i] = &readings[i];
		pf__clock_snapshot__clock__init(list[i]);
		list[i]->has_clock_id = true;
		list[i]->clock_id = clocks[i].id;
		list[i]->has_timestamp = true;
		list[i]->timestamp = now[i].tv_sec * 1000000000ULL + now[i].tv_nsec;
	}
	snapshot.n_clocks = COUNT;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = PF__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME;
	packet.clock_snapshot = &snapshot;
	write_packet(p, &packet);
}

static char *clean(struct pftrace *p, const char *text)
{
	const char *utf8 = utf8_clean(&p->utf8, text);

	if (!utf8)
		sink_fail(&p->sink, -ENOMEM);
	return (char *)(utf8 ? utf8 : "?");
}

void pf_track(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name,
	      Pf__ProcessDescriptor *process, Pf__ThreadDescriptor *thread)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;

	track.has_uuid = true;
	track.uuid = uuid;
	track.has_parent_uuid = parent != 0;
	track.parent_uuid = parent;
	track.name = name ? clean(p, name) : NULL;
	track.process = process;
	track.thread = thread;
	packet.track_descriptor = &track;
	write_packet(p, &packet);
}

void pf_track_described(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name,
			const char *description)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	struct utf8_buf utf8 = {0};

	track.has_uuid = true;
	track.uuid = uuid;
	track.has_parent_uuid = parent != 0;
	track.parent_uuid = parent;
	track.name = clean(p, name);
	track.description = *description ? (char *)utf8_clean(&utf8, description) : NULL;
	packet.track_descriptor = &track;
	write_packet(p, &packet);
	utf8_free(&utf8);
}

void pf_track_bytes(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	Pf__CounterDescriptor counter = PF__COUNTER_DESCRIPTOR__INIT;

	counter.has_unit = true;
	counter.unit = PF__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES;
	track.has_uuid = true;
	track.uuid = uuid;
	track.has_parent_uuid = parent != 0;
	track.parent_uuid = parent;
	track.name = clean(p, name);
	track.counter = &counter;
	packet.track_descriptor = &track;
	write_packet(p, &packet);
}

void pf_bytes(struct pftrace *p, uint64_t track, uint64_t time, uint64_t bytes)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TrackEvent event = PF__TRACK_EVENT__INIT;

	event.has_type = true;
	event.type = PF__TRACK_EVENT__TYPE__TYPE_COUNTER;
	event.has_track_uuid = true;
	event.track_uuid = track;
	event.has_counter_value = true;
	event.counter_value = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.track_event = &event;
	write_packet(p, &packet);
	if (time > p->last)
		p->last = time;
}

/* ---- events ---- */

void pf_event_init(struct pf_event *e, Pf__TrackEvent__Type type, uint64_t track,
		   enum ev_domain domain)
{
	pf__track_event__init(&e->msg);
	e->msg.has_type = true;
	e->msg.type = type;
	e->msg.has_track_uuid = true;
	e->msg.track_uuid = track;
	e->msg.debug_annotations = e->note_list;
	e->value_count = 0;
	if (type == PF__TRACK_EVENT__TYPE__TYPE_SLICE_END)
		return;
	e->category = domain + 1;
	e->msg.category_iids = &e->category;
	e->msg.n_category_iids = 1;
}

static Pf__DebugAnnotation *new_note(struct pf_event *e, unsigned int note)
{
	size_t n = e->msg.n_debug_annotations++;
	Pf__DebugAnnotation *item = &e->notes[n];

	assert(n < NOTES_MAX);
	pf__debug_annotation__init(item);
	item->has_name_iid = true;
	item->name_iid = note;
	e->note_list[n] = item;
	return item;
}

static Pf__DebugAnnotation *new_value(struct pf_event *e, Pf__DebugAnnotation *array)
{
	size_t n = e->value_count++;
	Pf__DebugAnnotation *item = &e->values[n];

	assert(n < VALUES_MAX);
	pf__debug_annotation__init(item);
	e->value_list[n] = item;
	if (!array->n_array_values++)
		array->array_values = &e->value_list[n];
	return item;
}

void pf_note_u64(struct pf_event *e, enum note note, uint64_t value)
{
	Pf__DebugAnnotation *item = new_note(e, note);

	item->has_uint_value = true;
	item->uint_value = value;
}

void pf_note_int(struct pf_event *e, enum note note, int64_t value)
{
	Pf__DebugAnnotation *item = new_note(e, note);

	item->has_int_value = true;
	item->int_value = value;
}

void pf_note_hex(struct pf_event *e, enum note note, uint64_t value)
{
	Pf__DebugAnnotation *item = new_note(e, note);

	item->has_pointer_value = true;
	item->pointer_value = value;
}

void pf_note_text(struct pf_event *e, enum note note, const char *text)
{
	new_note(e, note)->string_value = (char *)text;
}

void pf_note_sizes(struct pf_event *e, enum note note, const uint32_t sizes[3])
{
	Pf__DebugAnnotation *array = new_note(e, note);

	for (int i = 0; i < 3; i++) {
		Pf__DebugAnnotation *item = new_value(e, array);

		item->has_uint_value = true;
		item->uint_value = sizes[i];
	}
}

void pf_note_registers(struct pf_event *e, enum note note, const uint64_t *values, size_t count)
{
	Pf__DebugAnnotation *array = new_note(e, note);

	for (size_t i = 0; i < count; i++) {
		Pf__DebugAnnotation *item = new_value(e, array);

		item->has_pointer_value = true;
		item->pointer_value = values[i];
	}
}

void pf_flow(struct pf_event *e, uint64_t id)
{
	e->flow = id;
	e->msg.flow_ids = &e->flow;
	e->msg.n_flow_ids = 1;
}

/* The name's number; 0: write it out. *fresh: its text must be told along. */
static uint64_t intern(struct pftrace *p, const char *name, bool *fresh)
{
	struct interned *in;

	*fresh = false;
	HASH_FIND_PTR(p->names, &name, in);
	if (in)
		return in->iid;
	if (HASH_COUNT(p->names) >= INTERNED_MAX)
		return 0;
	in = calloc(1, sizeof(*in));
	if (!in)
		return 0;
	in->name = name;
	in->iid = HASH_COUNT(p->names) + 1;
	HASH_ADD_PTR(p->names, name, in);
	if (!in->hh.tbl) {
		free(in);
		return 0;
	}
	*fresh = true;
	return in->iid;
}

void pf_event_write(struct pftrace *p, struct pf_event *e, uint64_t time, const char *name,
		    bool recurs)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__InternedData interned = PF__INTERNED_DATA__INIT;
	Pf__EventName entry = PF__EVENT_NAME__INIT, *entries[] = {&entry};
	bool fresh = false;
	uint64_t iid = recurs ? intern(p, name, &fresh) : 0;

	if (iid) {
		e->msg.has_name_iid = true;
		e->msg.name_iid = iid;
	} else if (name) {
		e->msg.name = clean(p, name);
	}
	if (fresh) {
		entry.has_iid = true;
		entry.iid = iid;
		entry.name = clean(p, name);
		interned.n_event_names = 1;
		interned.event_names = entries;
		packet.interned_data = &interned;
	}
	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.track_event = &e->msg;
	write_packet(p, &packet);
	if (time > p->last)
		p->last = time;
}

void pf_free(struct pftrace *p)
{
	struct interned *in, *next;

	HASH_ITER (hh, p->names, in, next) {
		HASH_DEL(p->names, in);
		free(in);
	}
	free(p->packed);
	utf8_free(&p->utf8);
}
