// SPDX-License-Identifier: MIT
/*
 * The Perfetto sink, read back by protoc and by a reader that sorts and stacks slices as viewers
 * do.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "tests/unit/perfetto.pb-c.h"
#include "user/formats/track_lanes.h"

#define STACK_MAX 16

/* A track as a viewer builds it up. */
struct seen_track {
	uint64_t uuid;
	char name[32];
	const Pf__TrackEvent *stack[STACK_MAX];
	uint64_t begins[STACK_MAX];
	int depth;
};

struct reader {
	struct seen_track tracks[32];
	int track_count;
	const char *names[32]; /* interned */
	char *slices; /* "track/depth:name+duration " of every slice, in the order of ends */
};

static struct seen_track *find_track(struct reader *r, uint64_t uuid)
{
	for (int i = 0; i < r->track_count; i++)
		if (r->tracks[i].uuid == uuid)
			return &r->tracks[i];
	return NULL;
}

static void see_descriptor(struct reader *r, const Pf__TrackDescriptor *d)
{
	struct seen_track *track = find_track(r, d->uuid);

	assert_true(d->has_uuid && d->uuid);
	if (!track) {
		assert_true(r->track_count < 32);
		track = &r->tracks[r->track_count++];
	}
	if (d->has_parent_uuid)
		assert_non_null(find_track(r, d->parent_uuid));
	track->uuid = d->uuid;
	snprintf(track->name, sizeof(track->name), "%s",
		 d->process  ? "process"
		 : d->thread ? "thread"
			     : d->name);
}

static void see_interned(struct reader *r, const Pf__InternedData *data)
{
	for (size_t i = 0; i < data->n_event_names; i++) {
		assert_in_range(data->event_names[i]->iid, 1, 31);
		r->names[data->event_names[i]->iid] = data->event_names[i]->name;
	}
}

static void end_slice(struct reader *r, struct seen_track *track, uint64_t time)
{
	const Pf__TrackEvent *ev;
	const char *name;
	char *more;

	assert_true(track->depth > 0);
	ev = track->stack[--track->depth];
	name = ev->has_name_iid ? r->names[ev->name_iid] : ev->name;
	assert_non_null(name);
	assert_true(asprintf(&more, "%s%s/%d:%.9s+%" PRIu64 " ", r->slices ? r->slices : "",
			     track->name, track->depth, name,
			     time - track->begins[track->depth]) > 0);
	free(r->slices);
	r->slices = more;
}

static void see_event(struct reader *r, const Pf__TracePacket *packet)
{
	const Pf__TrackEvent *ev = packet->track_event;
	struct seen_track *track = find_track(r, ev->track_uuid);

	assert_true(packet->has_timestamp);
	assert_non_null(track);
	if (ev->type == PF__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN) {
		assert_true(track->depth < STACK_MAX);
		track->begins[track->depth] = packet->timestamp;
		track->stack[track->depth++] = ev;
	} else if (ev->type == PF__TRACK_EVENT__TYPE__TYPE_SLICE_END) {
		end_slice(r, track, packet->timestamp);
	}
}

/* The packets with events, in the order of time, of the file where times are equal. Their number.
 */
static size_t sort_events(Pf__Trace *trace, Pf__TracePacket **events)
{
	size_t count = 0, first;

	for (size_t i = 0; i < trace->n_packet; i++)
		if (trace->packet[i]->track_event)
			events[count++] = trace->packet[i];
	/* a stable sort: insertion */
	for (size_t i = 1; i < count; i++) {
		Pf__TracePacket *packet = events[i];

		for (first = i; first && events[first - 1]->timestamp > packet->timestamp; first--)
			events[first] = events[first - 1];
		events[first] = packet;
	}
	return count;
}

static Pf__Trace *read_trace(void)
{
	Pf__Trace *trace;
	size_t size;
	char *text = read_file(&size);

	trace = pf__trace__unpack(NULL, size, (const uint8_t *)text);
	assert_non_null(trace);
	free(text);
	return trace;
}

static void test_pftrace_slices(void **state)
{
	Pf__TracePacket **events;
	struct reader r = {0};
	Pf__Trace *trace;
	size_t count;

	write_trace("pftrace", feed);
	trace = read_trace();
	events = calloc(trace->n_packet, sizeof(*events));
	for (size_t i = 0; i < trace->n_packet; i++) {
		if (trace->packet[i]->track_descriptor)
			see_descriptor(&r, trace->packet[i]->track_descriptor);
		if (trace->packet[i]->interned_data)
			see_interned(&r, trace->packet[i]->interned_data);
	}
	count = sort_events(trace, events);
	for (size_t i = 0; i < count; i++)
		see_event(&r, events[i]);
	for (int i = 0; i < r.track_count; i++)
		assert_int_equal(r.tracks[i].depth, 0);
	assert_string_equal(r.slices,
			    "roctx/1:inner+100 roctx ranges/0:first+2000 thread/0:hipMalloc+2000 "
			    "thread/1:hsaInner+500 thread/0:hipMemcpy+1000 "
			    "roctx/0:a\x1b[31m\"\\\n+4400 "
			    "copy HtoD/0:HtoD+500 queue 1/0:vadd+3000 queue 1/0:kkkkkkkkk+3000 "
			    "queue 1/0:vadd+0 roctx ranges/0:second+8000 thread/0:hipOpen+999 "
			    "thread/0:hipLong+18446744073709541615 ");
	free(r.slices);
	free(events);
	pf__trace__free_unpacked(trace, NULL);
}

static void test_pftrace_packets(void **state)
{
	const Pf__TracePacket *first;
	Pf__Trace *trace;
	size_t clocks = 0;

	write_trace("pftrace", feed);
	trace = read_trace();
	first = trace->packet[0];
	assert_true(first->sequence_flags & 1);
	assert_int_equal(first->trace_packet_defaults->timestamp_clock_id, 6);
	for (size_t i = 0; i < trace->n_packet; i++) {
		assert_int_equal(trace->packet[i]->trusted_packet_sequence_id, 1);
		if (trace->packet[i]->clock_snapshot)
			clocks += trace->packet[i]->clock_snapshot->n_clocks;
	}
	assert_int_equal(clocks, 6);
	pf__trace__free_unpacked(trace, NULL);
}

/* protoc needs the schema's source: run from the root of the tree. */
static void test_pftrace_protoc(void **state)
{
	require("protoc");
	if (access("tests/unit/perfetto.proto", R_OK)) {
		print_message("needs tests/unit/perfetto.proto\n");
		skip();
	}
	write_trace("pftrace", feed);
	assert_output("protoc --decode=pf.Trace tests/unit/perfetto.proto >/dev/null", "");
#define COUNT(what) \
	"protoc --decode=pf.Trace tests/unit/perfetto.proto | grep -c '" what "' || true"
	assert_output(COUNT("type: TYPE_SLICE_BEGIN"), "13\n");
	assert_output(COUNT("type: TYPE_SLICE_END"), "13\n");
	assert_output(COUNT("type: TYPE_INSTANT"), "3\n");
	assert_output(COUNT("flow_ids: 2$"), "5\n");
	assert_output(COUNT("pointer_value: 18446744073709551615"), "5\n");
	assert_output(COUNT("string_value: \"no-times"), "0\n");
	assert_output(COUNT("string_value: \"uncorrelated,no-times\""), "1\n");
	/* a field that the schema does not know would be shown by its number */
	assert_output(COUNT("^ *[0-9]*: \\|^ *[0-9]* {"), "0\n");
#undef COUNT
}

static void test_pftrace_empty(void **state)
{
	Pf__Trace *trace;

	write_trace("pftrace", NULL);
	trace = read_trace();
	/* Words, clocks, track, what was lost (track, at first, at the end), statistics, clocks. */
	assert_int_equal(trace->n_packet, 8);
	assert_int_equal(trace->packet[4]->track_event->counter_value, 0);
	assert_int_equal(trace->packet[5]->track_event->counter_value, trace_stats__lost(&stats));
	assert_int_equal(trace->packet[5]->timestamp, stats.ended.boot_ns);
	/* Each member of the numbers, which are all of one size but for the last. */
	assert_int_equal(trace->packet[6]->track_event->n_debug_annotations,
			 offsetof(struct trace_stats, ended) / sizeof(uint64_t));
	pf__trace__free_unpacked(trace, NULL);
}

/* Each has a lane of its own as long as there are not too many; then they share. */
static void test_lanes_are_limited(void **state)
{
	struct tracks tracks = {};
	bool fresh;
	struct track *track =
		track_lanes__get(&tracks, (struct track_key){.kind = TRACK_QUEUE}, &fresh);

	for (uint64_t i = 0; i < 3000; i++) {
		assert_non_null(track_lanes__place(&tracks, track, i, 100000 + i, &fresh));
		assert_int_equal(fresh, i < 1024);
	}
	assert_non_null(track_lanes__place(&tracks, track, 200000, 200001, &fresh));
	assert_false(fresh);
	track_lanes__free(&tracks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pftrace_slices),	  cmocka_unit_test(test_pftrace_packets),
		cmocka_unit_test(test_pftrace_protoc),	  cmocka_unit_test(test_pftrace_empty),
		cmocka_unit_test(test_lanes_are_limited),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
