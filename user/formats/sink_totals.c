// SPDX-License-Identifier: MIT
/*
 * The sink of --summary-json: the numbers of the closing lines as one JSON object, for programs.
 * docs/reference/summary-json.md describes each.
 */
#include <errno.h>
#include <stdlib.h>

#include "user/base/json_yajl.h"
#include "user/output/sink.h"

struct number {
	const char *name;
	uint64_t value;
};

static struct sink *totals_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	if (!sink)
		return NULL;
	sink->ops = &sink_totals;
	sink->out = to->out;
	return sink;
}

static void ignore_event(struct sink *sink, const struct event *ev)
{
}

static void write_map(struct jsonout *j, const char *key, const struct number *numbers,
		      size_t count)
{
	json_yajl__open_map(j, key);
	for (size_t i = 0; i < count; i++)
		json_yajl__u64(j, numbers[i].name, numbers[i].value);
	json_yajl__close_map(j);
}

static void write_recorded(struct jsonout *j, const struct trace_stats *s)
{
	const struct number numbers[] = {
		{"calls", s->spans},
		{"dispatches", s->dispatches},
		{"copies", s->copies},
		{"barriers", s->barriers},
		{"ranges", s->ranges},
		{"marks", s->marks},
		{"allocations", s->allocations},
		{"frees", s->frees},
		{"virtual_memory", s->virtual_memory},
		{"scratch", s->scratch},
		{"queues", s->queues},
		{"code_objects", s->code_objects},
		{"runtimes", s->runtimes},
	};

	write_map(j, "recorded", numbers, sizeof(numbers) / sizeof(numbers[0]));
}

static void write_lost(struct jsonout *j, const struct trace_stats *s)
{
	const struct number numbers[] = {
		{"total", trace_stats__lost(s)},   {"calls_ring_full", s->lost_spans},
		{"calls_too_deep", s->lost_depth}, {"calls_no_memory", s->lost_tasks},
		{"gpu_records", s->lost_gpu},	   {"messages_unreadable", s->unreadable},
		{"other", s->lost_other},	   {"names", s->lost_names},
	};

	write_map(j, "lost", numbers, sizeof(numbers) / sizeof(numbers[0]));
}

static void write_incomplete(struct jsonout *j, const struct trace_stats *s)
{
	const struct number numbers[] = {
		{"calls_unfinished", s->unfinished},
		{"operations_uncorrelated", s->uncorrelated},
		{"operations_without_end", s->no_times},
		{"operations_begun_early", s->early},
		{"gaps", s->gaps},
		{"packets_unseen", s->unseen},
		{"kernels_nameless", s->nameless},
	};

	write_map(j, "incomplete", numbers, sizeof(numbers) / sizeof(numbers[0]));
}

static int totals_close(struct sink *sink, const struct trace_stats *stats)
{
	struct jsonout *j = json_yajl__new(sink->out, JSONOUT_LINES);
	int err;

	if (j) {
		json_yajl__open_map(j, NULL);
		json_yajl__string(j, "rtrace", RTRACE_VERSION);
		write_recorded(j, stats);
		write_lost(j, stats);
		write_incomplete(j, stats);
		json_yajl__u64(j, "clock_error_ns", stats->clock_error);
		json_yajl__close_map(j);
		err = json_yajl__close(j);
		if (err)
			sink__fail(sink, err);
		fputc('\n', sink->out);
	} else {
		sink__fail(sink, -ENOMEM);
	}
	sink__check(sink);
	err = sink__finish(sink);
	free(sink);
	return err;
}

const struct sink_ops sink_totals = {
	.name = "totals",
	.open = totals_open,
	.process = sink__ignore_process,
	.thread = sink__ignore_thread,
	.device = sink__ignore_device,
	.event = ignore_event,
	.close = totals_close,
};
