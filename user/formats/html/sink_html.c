// SPDX-License-Identifier: MIT
/*
 * The HTML sink: one page with tables and a timeline, for people without a viewer; see html.md.
 *
 * Nothing is written before the end. What the tables count is what reports count (report/), what
 * the timeline shows is kept in bounded memory (html/). The page itself is html/page.html with its
 * style and script; only the data is written here, as JSON without '<'.
 */
#include "user/output/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/formats/html/tables.h"
#include "user/formats/html/timeline.h"
#include "user/formats/html/page.h"
#include "user/report/losses.h"
#include "common/text_buffer.h"

#define PROCESSES_MAX  500
#define COMMAND_MAX    2000	  /* bytes of a command line */
#define NAME_MAX_BYTES 1000	  /* of a name, ... */
#define NAMES_BYTES    (8u << 20) /* ... and of all; further ones are cut at this length: */
#define NAME_SHORT     60

struct process {
	uint32_t pid;
	char *comm, *command, *libraries;
};

struct html {
	struct sink sink;
	struct trace_origin origin;
	struct names *names;
	struct tally *tally;
	struct idle *idle;
	struct failures *failures;
	struct who *who;
	struct timeline *timeline;
	struct process processes[PROCESSES_MAX];
	uint32_t process_count;
	uint64_t further_processes;
	uint64_t begin, end; /* of all events; begin > end: there are none */
	struct textbuf text;
};

static void check(struct html *h, int err)
{
	if (err)
		sink__fail(&h->sink, err);
}

/* ---- what the sink receives ---- */

/* So that it does no harm where it is shown. */
static const char *safe(struct html *h, const char *text, size_t max)
{
	size_t len = strnlen(text, max);

	text_buffer__reset(&h->text);
	text_buffer__escaped(&h->text, text, len, 0);
	if (text[len])
		text_buffer__str(&h->text, "...");
	return text_buffer__string(&h->text);
}

static void set(struct html *h, char **to, const char *text)
{
	free(*to);
	*to = strdup(safe(h, text ? text : "", COMMAND_MAX));
	check(h, *to ? 0 : -ENOMEM);
}

static struct process *get_process(struct html *h, uint32_t pid)
{
	for (uint32_t i = 0; i < h->process_count; i++)
		if (h->processes[i].pid == pid)
			return &h->processes[i];
	if (h->process_count == PROCESSES_MAX)
		return NULL;
	h->processes[h->process_count].pid = pid;
	return &h->processes[h->process_count++];
}

static void html_process(struct sink *sink, const struct process_info *info)
{
	struct html *h = (struct html *)sink;
	struct process *p = get_process(h, info->pid);

	if (!p) {
		h->further_processes += !info->again;
		return;
	}
	set(h, &p->comm, info->comm);
	set(h, &p->command, info->cmdline);
	set(h, &p->libraries, info->libraries);
}

static void html_thread(struct sink *sink, const struct thread_info *info)
{
	struct html *h = (struct html *)sink;

	check(h, timeline__thread(h->timeline, info));
}

static void html_device(struct sink *sink, const struct device_info *info)
{
	process_names__device(((struct html *)sink)->who, info);
}

static void note_time(struct html *h, const struct event *ev)
{
	uint64_t begin = ev->begin;

	if (ev_is_operation(ev->kind) && ev->gpu.submit < begin)
		begin = ev->gpu.submit;
	h->begin = begin < h->begin ? begin : h->begin;
	h->end = ev->end > h->end ? ev->end : h->end;
}

static void count_call(struct html *h, const struct event *ev, uint32_t name)
{
	if (ev->values)
		check(h, failures__call(h->failures, ev, name));
	if (!ev->depth && !(ev->flags & EV_F_ENTRY))
		check(h, gpu_idle__call(h->idle, ev, name));
}

static void html_event(struct sink *sink, const struct event *ev)
{
	bool message = ev->kind == EV_RANGE || ev->kind == EV_MARK;
	struct html *h = (struct html *)sink;
	uint32_t name;

	if (sink->error)
		return;
	note_time(h, ev);
	name = message ? name_table__message(h->names, event__name(ev))
		       : name_table__id(h->names, event__name(ev));
	check(h, totals__event(h->tally, ev, name));
	if (ev->kind == EV_SPAN)
		count_call(h, ev, name);
	else
		check(h, gpu_idle__operation(h->idle, ev));
	if (!ev_is_resource(ev->kind))
		check(h, timeline__event(h->timeline, ev, name));
}

/* ---- the page ---- */

static void put_processes(struct html *h, struct jsonout *to)
{
	json_yajl__open_array(to, "processes");
	for (uint32_t i = 0; i < h->process_count; i++) {
		const struct process *p = &h->processes[i];

		json_yajl__open_map(to, NULL);
		json_yajl__u64(to, "pid", p->pid);
		json_yajl__string(to, "name", p->comm ? p->comm : "");
		json_yajl__string(to, "command", p->command ? p->command : "");
		json_yajl__string(to, "libraries", p->libraries ? p->libraries : "");
		json_yajl__close_map(to);
	}
	json_yajl__close_array(to);
	json_yajl__u64(to, "further_processes", h->further_processes);
}

static void put_stats(struct jsonout *to, const struct trace_stats *stats)
{
	const char *what;
	uint64_t value;

	json_yajl__open_map(to, "counts");
	for (unsigned int i = 0; (what = trace_stats__field(stats, i, &value)); i++)
		json_yajl__u64(to, what, value);
	json_yajl__close_map(to);
	json_yajl__open_array(to, "losses");
	for (size_t i = 0; (what = losses__nth(stats, i, &value)); i++) {
		json_yajl__open_array(to, NULL);
		json_yajl__u64(to, NULL, value);
		json_yajl__string(to, NULL, what);
		json_yajl__close_array(to);
	}
	json_yajl__close_array(to);
	json_yajl__bool(to, "ended", stats->ended.boot_ns);
}

static void put_names(struct html *h, struct jsonout *to)
{
	size_t bytes = 0;

	json_yajl__open_array(to, "names");
	for (uint32_t i = 0; i < name_table__count(h->names); i++) {
		size_t max = bytes < NAMES_BYTES ? NAME_MAX_BYTES : NAME_SHORT;

		json_yajl__string(to, NULL, safe(h, name_table__text(h->names, i), max));
		bytes += h->text.len;
	}
	json_yajl__close_array(to);
}

static void put_origin(struct html *h, struct jsonout *to)
{
	const struct trace_clocks *c = &h->origin.clocks;

	json_yajl__string(to, "version", RTRACE_VERSION);
	json_yajl__string(to, "host", safe(h, h->origin.hostname, COMMAND_MAX));
	json_yajl__string(to, "kernel", safe(h, h->origin.kernel, COMMAND_MAX));
	json_yajl__u64(to, "real_ms",
		       h->begin <= h->end ? (c->real_ns - c->boot_ns + h->begin) / 1000000 : 0);
	json_yajl__u64(to, "duration_ns", h->begin <= h->end ? h->end - h->begin : 0);
}

static int put_data(struct html *h, struct jsonout *to, const struct trace_stats *stats)
{
	const struct html_tables tables = {h->names,	h->tally, h->idle,
					   h->failures, h->who,	  h->begin};
	int err;

	json_yajl__open_map(to, NULL);
	put_origin(h, to);
	put_processes(h, to);
	put_stats(to, stats);
	err = html_tables__write(&tables, to);
	if (!err)
		err = timeline__write(h->timeline, to, h->begin);
	put_names(h, to);
	json_yajl__close_map(to);
	return err;
}

static int write_page(struct html *h, const struct trace_stats *stats)
{
	struct jsonout *to = json_yajl__new(h->sink.out, JSONOUT_SCRIPT);
	int err, written;

	if (!to)
		return -ENOMEM;
	fwrite(html_page_head, 1, sizeof(html_page_head) - 1, h->sink.out);
	sink__check(&h->sink);
	err = put_data(h, to, stats);
	written = json_yajl__close(to);
	sink__check(&h->sink);
	fputc('\n', h->sink.out);
	fwrite(html_page_tail, 1, sizeof(html_page_tail) - 1, h->sink.out);
	sink__check(&h->sink);
	return err ? err : written;
}

/* ---- open and close ---- */

static void free_html(struct html *h)
{
	for (uint32_t i = 0; i < h->process_count; i++) {
		free(h->processes[i].comm);
		free(h->processes[i].command);
		free(h->processes[i].libraries);
	}
	timeline__free(h->timeline);
	process_names__free(h->who);
	failures__free(h->failures);
	gpu_idle__free(h->idle);
	totals__free(h->tally);
	name_table__free(h->names);
	text_buffer__free(&h->text);
	free(h);
}

static struct sink *html_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct html *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->sink.ops = &sink_html;
	h->sink.out = to->out;
	h->origin = *origin;
	h->begin = UINT64_MAX;
	h->names = name_table__new();
	h->tally = totals__new(h->names);
	h->idle = gpu_idle__new(NULL);
	h->failures = failures__new(h->names);
	h->who = process_names__new();
	h->timeline = timeline__new(h->names);
	if (h->names && h->tally && h->idle && h->failures && h->who && h->timeline)
		return &h->sink;
	free_html(h);
	errno = ENOMEM;
	return NULL;
}

static int html_close(struct sink *sink, const struct trace_stats *stats)
{
	struct html *h = (struct html *)sink;
	int err;

	check(h, gpu_idle__end(h->idle));
	check(h, write_page(h, stats));
	if (h->text.failed)
		sink__fail(sink, -ENOMEM);
	err = sink__finish(sink);
	free_html(h);
	return err;
}

const struct sink_ops sink_html = {
	.name = "html",
	.help = "one page with a timeline and tables, for any browser",
	.open = html_open,
	.process = html_process,
	.thread = html_thread,
	.device = html_device,
	.event = html_event,
	.close = html_close,
};
