// SPDX-License-Identifier: MIT
/*
 * The sink of --metrics: counts events, and writes the counters as OpenMetrics once a second.
 *
 * Names and labels are those of README.md. A counter never goes down: what a process did stays in
 * its container's when it has ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/format.h"
#include "user/live/live_counters.h"
#include "user/live/metrics_server.h"
#include "user/output/sink.h"

struct metrics {
	struct sink sink;
	struct live *live;
	struct metrics_server *server;
	struct utf8_buf clean;
};

/* A text that is being written. */
struct page {
	FILE *out;
	struct metrics *metrics;
	uint64_t (*value)(const struct live_counts *);
	bool of_gpu; /* that counts what GPUs did */
	const char *name;
};

static void metrics_free(struct metrics *m)
{
	metrics_server__free(m->server);
	live_counters__free(m->live);
	utf8__free(&m->clean);
	free(m);
}

static void publish(struct metrics *m, const struct trace_stats *stats);

static struct sink *metrics_open(const struct sink_target *to, const struct trace_origin *origin)
{
	const struct trace_stats nothing = {};
	struct metrics *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return NULL;
	m->sink.ops = &sink_metrics;
	m->live = live_counters__new();
	m->server = m->live ? metrics_server__new(to->settings->metrics) : NULL;
	err = m->live ? errno : ENOMEM;
	if (m->server) {
		publish(m, &nothing);
		return &m->sink;
	}
	metrics_free(m);
	errno = err;
	return NULL;
}

static void metrics_process(struct sink *sink, const struct process_info *info)
{
	int err = live_counters__process(((struct metrics *)sink)->live, info);

	if (err)
		sink__fail(sink, err);
}

static void metrics_device(struct sink *sink, const struct device_info *info)
{
	int err = live_counters__device(((struct metrics *)sink)->live, info);

	if (err)
		sink__fail(sink, err);
}

static void metrics_event(struct sink *sink, const struct event *ev)
{
	int err = live_counters__event(((struct metrics *)sink)->live, ev);

	if (err)
		sink__fail(sink, err);
}

/* ---- the page ---- */

/* A label's value between quotes; control characters are of no use to anybody. */
static void put_label(struct page *p, const char *name, const char *value)
{
	const char *text = utf8__clean(&p->metrics->clean, value ? value : "");

	fprintf(p->out, "%s=\"", name);
	for (; text && *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', p->out);
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, p->out);
	}
	fputc('"', p->out);
}

static void put_family(struct page *p, const char *name, const char *type, const char *help)
{
	fprintf(p->out, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
	p->name = name;
}

static void put_calls(const struct live_row *row, void *arg)
{
	struct page *p = arg;

	for (int domain = 0; domain < DOMAIN_COUNT; domain++) {
		if (domain == DOMAIN_GPU || !row->total.calls[domain])
			continue;
		fputs("rtrace_calls_total{", p->out);
		put_label(p, "container", row->name);
		fprintf(p->out, ",domain=\"%s\"} %" PRIu64 "\n", event__domain_name(domain),
			row->total.calls[domain]);
	}
}

static void put_labels(struct page *p, const struct live_row *row)
{
	if (row->kind == LIVE_CONTAINER) {
		put_label(p, "container", row->name);
	} else {
		put_label(p, "gpu", row->name);
		fputc(',', p->out);
		put_label(p, "model", row->model);
	}
}

static void put_counter(const struct live_row *row, void *arg)
{
	struct page *p = arg;

	if (p->of_gpu && !row->gpu_known)
		return;
	fprintf(p->out, "%s_total{", p->name);
	put_labels(p, row);
	fprintf(p->out, "} %" PRIu64 "\n", p->value(&row->total));
}

static void put_seconds(const struct live_row *row, void *arg)
{
	struct page *p = arg;
	uint64_t ns = row->total.busy_ns;

	if (!row->gpu_known)
		return;
	fprintf(p->out, "%s_total{", p->name);
	put_labels(p, row);
	fprintf(p->out, "} %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void put_processes(const struct live_row *row, void *arg)
{
	struct page *p = arg;

	fprintf(p->out, "%s{", p->name);
	put_labels(p, row);
	fprintf(p->out, "} %u\n", row->processes);
}

static uint64_t errors(const struct live_counts *c)
{
	return c->errors;
}

static uint64_t launches(const struct live_counts *c)
{
	return c->launches;
}

static uint64_t copies(const struct live_counts *c)
{
	return c->copies;
}

static uint64_t copy_bytes(const struct live_counts *c)
{
	return c->copy_bytes;
}

static uint64_t lost(const struct live_counts *c)
{
	return c->lost;
}

static const struct {
	const char *name, *help;
	uint64_t (*value)(const struct live_counts *);
} counters[] = {
	{"call_errors", "Calls that failed", errors},
	{"launches", "Kernels that the GPU ran", launches},
	{"copies", "Copies that the GPU made", copies},
	{"copied_bytes", "Bytes of those", copy_bytes},
	{"events_lost", "Calls and GPU records that were not recorded", lost},
};

static void put_kind(struct page *p, enum live_kind kind, const char *prefix)
{
	struct live *l = p->metrics->live;
	char name[64], help[96];

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (kind == LIVE_GPU && (counters[i].value == errors || counters[i].value == lost))
			continue;
		snprintf(name, sizeof(name), "%s_%s", prefix, counters[i].name);
		put_family(p, name, "counter", counters[i].help);
		p->value = counters[i].value;
		p->of_gpu = counters[i].value != errors && counters[i].value != lost;
		live_counters__each(l, kind, put_counter, p);
	}
	snprintf(name, sizeof(name), "%s_%sbusy_seconds", prefix, kind == LIVE_GPU ? "" : "gpu_");
	snprintf(help, sizeof(help), "Time in which a kernel or a copy ran%s",
		 kind == LIVE_GPU ? "" : ", summed up over processes and their GPUs");
	put_family(p, name, "counter", help);
	live_counters__each(l, kind, put_seconds, p);
	snprintf(name, sizeof(name), "%s_processes", prefix);
	put_family(p, name, "gauge", "Processes that are traced");
	live_counters__each(l, kind, put_processes, p);
}

static void put_losses(struct page *p, const struct trace_stats *stats)
{
	const struct {
		const char *what;
		uint64_t count;
	} losses[] = {
		{"calls", trace_stats__lost_calls(stats)},	{"gpu", stats->lost_gpu},
		{"names", stats->lost_names + stats->nameless}, {"messages", stats->unreadable},
		{"other", stats->lost_other + stats->unseen},
	};

	put_family(p, "rtrace_lost", "counter", "What was not recorded, of all processes");
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		fprintf(p->out, "rtrace_lost_total{what=\"%s\"} %" PRIu64 "\n", losses[i].what,
			losses[i].count);
	put_family(p, "rtrace_gaps", "counter", "Times in which calls may have been missed");
	fprintf(p->out, "rtrace_gaps_total %" PRIu64 "\n", stats->gaps);
}

static void publish(struct metrics *m, const struct trace_stats *stats)
{
	char *text = NULL;
	size_t len;
	struct page p = {.out = open_memstream(&text, &len), .metrics = m};

	if (!p.out) {
		sink__fail(&m->sink, -ENOMEM);
		return;
	}
	put_family(&p, "rtrace", "info", "The tracer");
	fprintf(p.out, "rtrace_info{version=\"%s\"} 1\n", RTRACE_VERSION);
	put_family(&p, "rtrace_calls", "counter", "Calls of API functions");
	live_counters__each(m->live, LIVE_CONTAINER, put_calls, &p);
	put_kind(&p, LIVE_CONTAINER, "rtrace");
	put_kind(&p, LIVE_GPU, "rtrace_device");
	put_losses(&p, stats);
	fputs("# EOF\n", p.out);
	if (fclose(p.out)) {
		free(text);
		sink__fail(&m->sink, -ENOMEM);
		return;
	}
	metrics_server__set(m->server, text, len);
}

static void metrics_lost(struct sink *sink, uint32_t pid, uint64_t calls, uint64_t gpu)
{
	int err = live_counters__lost(((struct metrics *)sink)->live, pid, calls + gpu);

	if (err)
		sink__fail(sink, err);
}

static void metrics_flush(struct sink *sink, const struct trace_stats *stats)
{
	struct metrics *m = (struct metrics *)sink;

	live_counters__turn(m->live);
	publish(m, stats);
}

static int metrics_close(struct sink *sink, const struct trace_stats *stats)
{
	int err = sink->error;

	metrics_free((struct metrics *)sink);
	return err;
}

const struct sink_ops sink_metrics = {
	.name = "metrics",
	.help = "counters for Prometheus",
	.live = true,
	.always_stdout = true, /* to which it writes nothing */
	.open = metrics_open,
	.process = metrics_process,
	.thread = sink__ignore_thread,
	.device = metrics_device,
	.event = metrics_event,
	.lost = metrics_lost,
	.flush = metrics_flush,
	.close = metrics_close,
};
