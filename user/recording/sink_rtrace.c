// SPDX-License-Identifier: MIT
/*
 * The rtrace sink: the recording that `rtrace-bpf export` and `report` read. See recording.md.
 */
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "user/recording/chunk_writer.h"
#include "user/clock/clock_map.h"
#include "user/recording/encode.h"
#include "user/base/log.h"

#define CHUNK_BYTES (1u << 20) /* then a new one is begun, or after a part of a small file */
#define CHUNK_LEAST (16u << 10)
#define FILE_PART   4

struct recording_sink {
	struct sink sink;
	struct encoder *encoder;
	struct chunk_writer *writer;
	struct encoded chunk; /* holds the buffer for the next one */
	bool open;	      /* there is something in the chunk */
	uint64_t lost;	      /* events, by the last numbers */
	struct rec_limits limits;
	size_t chunk_bytes;
	bool dumps;	 /* what is held is wanted, ... */
	char why[96];	 /* ... and why */
	uint64_t dumped; /* when that was last for a call that failed */
};

static void put_pair(struct bytes *b, const char *key, const char *value)
{
	byte_buffer__put_string(b, key);
	byte_buffer__put_string(b, value);
}

static void put_figure(struct bytes *b, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_pair(b, key, text);
}

static void put_info(struct recording_sink *r, const struct trace_origin *origin)
{
	struct encoded info = {};

	put_pair(&info.bytes, "hostname", origin->hostname);
	put_pair(&info.bytes, "kernel", origin->kernel);
	put_pair(&info.bytes, "boot_id", origin->boot_id);
	put_pair(&info.bytes, "rtrace", RTRACE_VERSION);
	if (origin->real_error_ns)
		put_figure(&info.bytes, "real_error_ns", origin->real_error_ns);
	if (origin->nodes)
		put_figure(&info.bytes, "nodes", origin->nodes);
	if (r->limits.keep_ns)
		put_figure(&info.bytes, "keep_ns", r->limits.keep_ns);
	chunk_writer__put(r->writer, CHUNK_INFO, &info);
	byte_buffer__free(&info.bytes);
}

/* Files should not become much larger than they may. */
static size_t chunk_bytes(const struct rec_limits *l)
{
	uint64_t least = l->rotate_bytes ? l->rotate_bytes : UINT64_MAX;

	if (l->max_bytes && l->max_bytes < least)
		least = l->max_bytes;
	if (least / FILE_PART >= CHUNK_BYTES)
		return CHUNK_BYTES;
	return least / FILE_PART > CHUNK_LEAST ? least / FILE_PART : CHUNK_LEAST;
}

static struct sink *rtrace_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct recording_sink *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->sink.ops = &sink_rtrace;
	r->sink.out = to->out;
	r->encoder = encoder__new();
	if (to->settings)
		r->limits = to->settings->limits;
	r->chunk_bytes = chunk_bytes(&r->limits);
	if (r->encoder)
		r->writer = chunk_writer__new(to->out, to->path, &r->limits, origin);
	if (r->writer) {
		put_info(r, origin);
		return &r->sink;
	}
	encoder__free(r->encoder);
	free(r);
	return NULL;
}

static void rtrace_process(struct sink *sink, const struct process_info *info)
{
	encoder__process(((struct recording_sink *)sink)->encoder, info);
}

static void rtrace_thread(struct sink *sink, const struct thread_info *info)
{
	encoder__thread(((struct recording_sink *)sink)->encoder, info);
}

static void rtrace_device(struct sink *sink, const struct device_info *info)
{
	encoder__device(((struct recording_sink *)sink)->encoder, info);
}

static void rtrace_ended(struct sink *sink, uint32_t pid)
{
	encoder__ended(((struct recording_sink *)sink)->encoder, pid);
}

static void end_chunk(struct recording_sink *r)
{
	if (encoder__take(r->encoder, &r->chunk))
		sink__fail(&r->sink, -ENOMEM);
	chunk_writer__put(r->writer, CHUNK_EVENTS, &r->chunk);
	r->open = false;
}

/* Of the application's own calls: runtimes ask for what a driver does not have, and do without. */
static void look_for_failure(struct recording_sink *r, const struct event *ev)
{
	if (r->dumps || ev->kind != EV_SPAN || ev->depth ||
	    !call_arguments__failed(ev->api, ev->values))
		return;
	r->dumps = true;
	snprintf(r->why, sizeof(r->why), "%s failed in process %" PRIu32, ev->name, ev->pid);
}

static void rtrace_event(struct sink *sink, const struct event *ev)
{
	struct recording_sink *r = (struct recording_sink *)sink;

	r->open = true;
	if (r->limits.dump_on_error)
		look_for_failure(r, ev);
	encoder__event(r->encoder, ev);
	if (encoder__size(r->encoder) >= r->chunk_bytes)
		end_chunk(r);
}

static void put_stats(struct recording_sink *r, enum chunk_type type,
		      const struct trace_stats *stats)
{
	struct encoded end = {};
	const char *name;
	uint64_t value;

	for (unsigned int i = 0; (name = trace_stats__field(stats, i, &value)); i++)
		put_figure(&end.bytes, name, value);
	put_figure(&end.bytes, "boot_ns", stats->ended.boot_ns);
	put_figure(&end.bytes, "mono_ns", stats->ended.mono_ns);
	put_figure(&end.bytes, "real_ns", stats->ended.real_ns);
	chunk_writer__put(r->writer, type, &end);
	byte_buffer__free(&end.bytes);
}

static void rtrace_dump(struct sink *sink, const char *why)
{
	struct recording_sink *r = (struct recording_sink *)sink;

	if (!r->limits.keep_ns)
		return;
	if (r->open)
		end_chunk(r);
	chunk_writer__dump(r->writer, why);
}

/* One that fails at every call must not fill the disk: once in the time that is held. */
static void dump_failure(struct recording_sink *r)
{
	uint64_t now = clock__boot_ns();

	if (!r->dumps || (r->dumped && now - r->dumped < r->limits.keep_ns))
		return;
	r->dumps = false;
	r->dumped = now;
	rtrace_dump(&r->sink, r->why);
}

static void rtrace_flush(struct sink *sink, const struct trace_stats *stats)
{
	struct recording_sink *r = (struct recording_sink *)sink;
	const uint64_t lost = trace_stats__lost(stats);
	bool open = r->open;
	int err = chunk_writer__error(r->writer);

	if (err)
		sink__fail(sink, err);
	if (open)
		end_chunk(r);
	if (open || r->limits.keep_ns || lost != r->lost)
		put_stats(r, CHUNK_NUMBERS, stats);
	r->lost = lost;
	dump_failure(r);
	if (r->limits.max_bytes && !r->limits.rotate_bytes && !r->limits.rotate_ns &&
	    chunk_writer__bytes(r->writer) >= r->limits.max_bytes && !sink->full) {
		log_say("the recording has reached --max-size: tracing ends");
		sink->full = true;
	}
}

static int rtrace_close(struct sink *sink, const struct trace_stats *stats)
{
	struct recording_sink *r = (struct recording_sink *)sink;
	int err;

	if (r->open)
		end_chunk(r);
	put_stats(r, CHUNK_END, stats);
	err = chunk_writer__close(r->writer);
	if (err)
		sink__fail(sink, err);
	err = sink__finish(sink);
	byte_buffer__free(&r->chunk.bytes);
	encoder__free(r->encoder);
	free(r);
	return err;
}

const struct sink_ops sink_rtrace = {
	.name = "rtrace",
	.help = "a recording, for rtrace-bpf export",
	.open = rtrace_open,
	.process = rtrace_process,
	.thread = rtrace_thread,
	.device = rtrace_device,
	.event = rtrace_event,
	.ended = rtrace_ended,
	.flush = rtrace_flush,
	.dump = rtrace_dump,
	.close = rtrace_close,
};
