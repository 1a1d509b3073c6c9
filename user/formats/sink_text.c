// SPDX-License-Identifier: MIT
/*
 * The live text sink: a line an event, in the manner of strace.
 *
 *   begin (s)    pid/tid         call, indented by depth
 *   0.001204     4242            hipMalloc(ptr=0x7ffd1234 [*ptr=0x7f10c000], size=64) = hipSuccess
 * <1.234ms> 0.001310     4242            gpu 0 queue 1 vadd grid 1024x1x1 block 256x1x1 <20.00us> ←
 * corr 17
 *
 * Lines come when calls return, so the calls made inside a call stand above it.
 */
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "user/api/call_arguments.h"
#include "common/format.h"

#define INDENT	   2  /* columns a level */
#define INDENT_MAX 40 /* columns; deeper calls stay there */

struct text {
	struct sink sink;
	bool started;
	bool tty;
	uint64_t start; /* begin of the first event seen: the zero of the first column */
	struct textbuf buf;
};

static struct sink *text_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct text *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->sink.ops = &sink_text;
	t->sink.out = to->out;
	t->tty = isatty(fileno(to->out));
	return &t->sink;
}

/* A reader at a terminal wants the line now; a file is better served by full buffers. */
static void end_line(struct text *t)
{
	fputc('\n', t->sink.out);
	if (t->tty)
		fflush(t->sink.out);
	sink__check(&t->sink);
}

/* Where the process lives, if that is not where we do. */
static void put_container(struct text *t, const struct process_info *info)
{
	FILE *out = t->sink.out;

	if (!info->ns_pid)
		return;
	fprintf(out, "--- process %" PRIu32 " is %" PRIu32 " in its pid namespace, cgroup ",
		info->pid, info->ns_pid);
	text__escape(out, info->cgroup ? info->cgroup : "?");
	end_line(t);
}

static void text_process(struct sink *sink, const struct process_info *info)
{
	struct text *t = (struct text *)sink;

	fprintf(sink->out, "--- process %" PRIu32 " ", info->pid);
	text__escape(sink->out, info->comm);
	fputs(": ", sink->out);
	text__escape(sink->out, info->cmdline);
	end_line(t);
	if (info->libraries && *info->libraries) {
		fprintf(sink->out, "--- process %" PRIu32 " uses ", info->pid);
		text__escape(sink->out, info->libraries);
		end_line(t);
	}
	put_container(t, info);
}

static void text_device(struct sink *sink, const struct device_info *info)
{
	struct text *t = (struct text *)sink;

	fprintf(sink->out, "--- process %" PRIu32 " gpu %" PRId32 ": ", info->pid, info->device);
	text__escape(sink->out, info->name);
	if (info->details && *info->details) {
		fputs(", ", sink->out);
		text__escape(sink->out, info->details);
	}
	end_line(t);
}

/* Begins of enclosing calls come after those of inner ones, so the time can be negative. */
static void put_time(struct text *t, uint64_t ns)
{
	bool negative = ns < t->start;
	uint64_t us = (negative ? t->start - ns : ns - t->start) / 1000;
	char buf[FORMAT_LEN];

	snprintf(buf, sizeof(buf), "%s%" PRIu64 ".%06" PRIu64, negative && us ? "-" : "",
		 us / 1000000, us % 1000000);
	fprintf(t->sink.out, "%12s ", buf);
}

static void put_task(FILE *out, const struct event *ev)
{
	char buf[FORMAT_LEN];

	if (ev->pid == ev->tid)
		snprintf(buf, sizeof(buf), "%" PRIu32, ev->tid);
	else
		snprintf(buf, sizeof(buf), "%" PRIu32 "/%" PRIu32, ev->pid, ev->tid);
	fprintf(out, "%-15s ", buf);
}

static void put_name(FILE *out, const struct event *ev)
{
	text__escape(out, event__name(ev));
	if (ev->flags & EV_F_CUT)
		fputs("...", out);
}

static void put_duration(FILE *out, const struct event *ev)
{
	char buf[FORMAT_LEN];

	if (ev->flags & (EV_F_NO_TIMES | EV_F_ENTRY))
		fputs(" <?>", out);
	else
		fprintf(out, " <%s>", format__ns(buf, ev->end - ev->begin));
}

static void put_span(struct text *t, const struct event *ev)
{
	uint32_t indent = ev->depth < INDENT_MAX / INDENT ? ev->depth * INDENT : INDENT_MAX;
	FILE *out = t->sink.out;

	fprintf(out, "%*s", (int)indent, "");
	put_name(out, ev);
	text_buffer__reset(&t->buf);
	text_buffer__char(&t->buf, '(');
	call_arguments__put(&t->buf, ev->api, ev->values);
	text_buffer__char(&t->buf, ')');
	call_arguments__put_return(&t->buf, ev->api, ev->values);
	fwrite(t->buf.data, 1, t->buf.len, out);
}

static void put_stack(FILE *out, const struct event *ev)
{
	for (uint32_t i = 0; i < ev->stack_depth; i++) {
		fprintf(out, "\n%*s", (int)sizeof("0.000000     pid/tid             "), "");
		text__escape(out, ev->stack[i]);
	}
}

static void put_range(FILE *out, const struct event *ev)
{
	fputs(ev->kind == EV_MARK ? "mark " : "range ", out);
	put_name(out, ev);
}

static void put_device(FILE *out, int32_t device)
{
	if (device == DEVICE_UNKNOWN)
		fputs("gpu ? ", out);
	else if (device < 0)
		fputs("cpu ", out);
	else
		fprintf(out, "gpu %" PRId32 " ", device);
}

static void put_resource(FILE *out, const struct event *ev)
{
	const struct resource_info *r = &ev->gpu.resource;

	if (ev->kind != EV_RUNTIME)
		put_device(out, ev->gpu.device);
	put_name(out, ev);
	if (r->id)
		fprintf(out, "%s %" PRIu32 "%s", ev->kind == EV_SCRATCH ? " for queue" : "", r->id,
			r->bytes_known ? "," : "");
	if (r->bytes_known)
		fprintf(out, " %" PRIu64 " bytes", r->bytes);
	else if (ev->kind == EV_MEMORY)
		fputs(" ? bytes", out);
	if (r->address)
		fprintf(out, " at 0x%" PRIx64, r->address);
	if (r->count)
		fprintf(out, ", %" PRIu32 " %s", r->count, event__count_name(ev->kind));
	if (r->in_use_known)
		fprintf(out, ", %" PRIu64 " in use", r->in_use);
	if (r->text) {
		fputs(", ", out);
		text__escape(out, r->text);
	}
}

static void put_gpu(FILE *out, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;
	char buf[FORMAT_LEN];

	put_device(out, gpu->device);
	if (gpu->stream != STREAM_NONE && gpu->stream)
		fprintf(out, "stream %" PRIu32 " ", gpu->stream);
	if (ev->kind == EV_COPY) {
		fprintf(out, "%s %s", event__copy_title(gpu->dir), format__bytes(buf, gpu->bytes));
		fprintf(out, " %s", format__rate(buf, gpu->bytes, ev->end - ev->begin));
		return;
	}
	fprintf(out, "queue %" PRIu32 " ", gpu->queue);
	put_name(out, ev);
	if (ev->kind == EV_BARRIER)
		return;
	fprintf(out, " grid %" PRIu32 "x%" PRIu32 "x%" PRIu32, gpu->grid[0], gpu->grid[1],
		gpu->grid[2]);
	fprintf(out, " block %" PRIu32 "x%" PRIu32 "x%" PRIu32, gpu->workgroup[0],
		gpu->workgroup[1], gpu->workgroup[2]);
}

static void put_remarks(FILE *out, const struct event *ev)
{
	/* Those that the line itself does not show. */
	uint32_t flags = ev->flags & (EV_F_UNFINISHED | EV_F_UNWOUND | EV_F_PROCESS |
				      EV_F_DOORBELL | EV_F_CALL_TIMES | ~(EV_WHY(1) - 1));
	char buf[FORMAT_LEN];

	if (ev->flags & EV_F_EXTERNAL)
		fprintf(out, " ext %" PRIu64, ev->external);

	if (flags)
		fprintf(out, " (%s)", event__flags_text(buf, flags));
	if (ev->domain != DOMAIN_GPU)
		return;
	if (ev->flags & EV_F_UNCORRELATED)
		fputs(" ← ?", out);
	else
		fprintf(out, " ← corr %" PRIu64, ev->corr);
}

static void text_event(struct sink *sink, const struct event *ev)
{
	struct text *t = (struct text *)sink;

	if (!t->started) {
		t->started = true;
		t->start = ev->begin;
	}
	put_time(t, ev->begin);
	put_task(sink->out, ev);
	if (ev->kind == EV_SPAN)
		put_span(t, ev);
	else if (ev->kind == EV_GAP)
		fprintf(sink->out, "gap: calls may be missing: %s", event__name(ev));
	else if (ev->kind == EV_RANGE || ev->kind == EV_MARK)
		put_range(sink->out, ev);
	else if (ev_is_resource(ev->kind))
		put_resource(sink->out, ev);
	else
		put_gpu(sink->out, ev);
	if (ev->kind != EV_MARK)
		put_duration(sink->out, ev);
	put_remarks(sink->out, ev);
	if (ev->kind == EV_SPAN)
		put_stack(sink->out, ev);
	end_line(t);
}

static int text_close(struct sink *sink, const struct trace_stats *stats)
{
	struct text *t = (struct text *)sink;
	int err = sink__finish(sink);

	text_buffer__free(&t->buf);
	free(sink);
	return err;
}

const struct sink_ops sink_text = {
	.name = "text",
	.help = "a line an event, like strace",
	.live = true,
	.open = text_open,
	.process = text_process,
	.thread = sink__ignore_thread,
	.device = text_device,
	.event = text_event,
	.close = text_close,
};
