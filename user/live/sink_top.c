// SPDX-License-Identifier: MIT
/*
 * The sink of `rtrace-bpf top`: counts events, and shows the counters on a screen of its own
 * or, where stdout is no terminal, as a table for every interval.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "user/clock/clock_map.h"
#include "user/live/live_counters.h"
#include "user/live/terminal_screen.h"
#include "user/live/top_settings.h"
#include "user/base/text_table.h"
#include "user/output/sink.h"

struct top {
	struct sink sink;
	struct top_settings settings;
	struct live *live;
	uint64_t lost;	      /* calls and operations, as last reported */
	uint64_t lost_before; /* at the last turn ... */
	uint64_t lost_recent; /* ... and in the interval before it */
	uint64_t turned;      /* ns */
	double seconds;	      /* the last interval */
	unsigned long frames;
	bool screen, paused;
};

static void top_free(struct top *t)
{
	live_counters__free(t->live);
	free(t);
}

static struct sink *top_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct top *t = calloc(1, sizeof(*t));
	int err = 0;

	if (!t)
		return NULL;
	t->sink.ops = &sink_top;
	t->sink.out = to->out;
	t->settings = *to->settings->top;
	t->live = live_counters__new();
	if (!t->live)
		err = -ENOMEM;
	else if (isatty(fileno(to->out)) && isatty(STDIN_FILENO))
		t->screen = !terminal_screen__open(); /* a terminal that cannot do it gets lines */
	t->seconds = 1;
	if (!err)
		return &t->sink;
	top_free(t);
	errno = -err;
	return NULL;
}

static void top_process(struct sink *sink, const struct process_info *info)
{
	int err = live_counters__process(((struct top *)sink)->live, info);

	if (err)
		sink__fail(sink, err);
}

static void top_device(struct sink *sink, const struct device_info *info)
{
	int err = live_counters__device(((struct top *)sink)->live, info);

	if (err)
		sink__fail(sink, err);
}

static void top_event(struct sink *sink, const struct event *ev)
{
	int err = live_counters__event(((struct top *)sink)->live, ev);

	if (err)
		sink__fail(sink, err);
}

static void top_lost(struct sink *sink, uint32_t pid, uint64_t calls, uint64_t gpu)
{
	int err = live_counters__lost(((struct top *)sink)->live, pid, calls + gpu);

	if (err)
		sink__fail(sink, err);
}

/* ---- showing ---- */

static void add_up(const struct live_row *row, void *arg)
{
	struct live_counts *sums = arg;

	sums->calls[0] += live_counts__calls(&row->recent);
	sums->launches += row->recent.launches;
	sums->errors += row->recent.errors;
	sums->copy_bytes += row->recent.copy_bytes;
}

/* What all processes do together. */
static void put_sums(struct top *t, char *line, size_t size)
{
	const char *filter = t->settings.view.filter;
	struct live_counts sums = {};
	struct tm tm = {};
	time_t now = time(NULL);
	char clock[16];

	live_counters__each(t->live, LIVE_PROCESS, add_up, &sums);
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	snprintf(line, size,
		 "%s  in %.3f s: %.0f calls/s, %.0f launches/s, %.0f errors/s, %.0f lost/s "
		 "(%" PRIu64 " in all)%s%s%s",
		 clock, t->seconds, (double)sums.calls[0] / t->seconds,
		 (double)sums.launches / t->seconds, (double)sums.errors / t->seconds,
		 (double)t->lost_recent / t->seconds, t->lost, filter[0] ? "; filter: " : "",
		 filter, t->paused ? "; paused" : "");
}

static int print_rows(const struct top *t, const char *line, const struct view_rows *rows)
{
	struct table_column columns[VIEW_COLUMNS];
	const struct view *v = &t->settings.view;
	struct table *table;
	size_t count = 0;

	for (enum view_column c = 0; c < VIEW_COLUMNS; c++)
		if (table_view__column_name(v->by, c))
			columns[count++] =
				(struct table_column){table_view__column_name(v->by, c),
						      table_view__is_number(c) ? 0 : COLUMN_WORD};
	table = text_table__new(t->sink.out, UNIT_FITTING, columns, count);
	for (size_t i = 0; i < rows->count; i++)
		for (enum view_column c = 0; c < VIEW_COLUMNS; c++)
			if (table_view__column_name(v->by, c))
				text_table__put(table, "%s", rows->rows[i].cells[c]);
	return text_table__print(table, line, 0);
}

static void show(struct top *t)
{
	struct view_rows rows;
	char line[256];
	int err = table_view__take(&t->settings.view, t->live, t->seconds, &rows);

	put_sums(t, line, sizeof(line));
	if (!err && t->screen)
		terminal_screen__draw(line, &t->settings.view, &rows);
	else if (!err)
		err = print_rows(t, line, &rows);
	view_rows__free(&rows);
	if (!err && !t->screen && fflush(t->sink.out))
		err = -errno;
	if (err)
		sink__fail(&t->sink, err);
}

static void turn(struct top *t, uint64_t now)
{
	live_counters__turn(t->live);
	t->lost_recent = t->lost - t->lost_before;
	t->lost_before = t->lost;
	t->seconds = (double)(now - t->turned) / 1e9;
	t->turned = now;
	show(t);
	t->frames++;
	if (t->sink.error || (t->settings.frames && t->frames >= t->settings.frames))
		t->sink.full = true;
}

static void on_keys(struct top *t)
{
	enum screen_wish wish = terminal_screen__keys(&t->settings.view);

	if (wish == SCREEN_NOTHING)
		return;
	if (wish == SCREEN_QUIT)
		t->sink.full = true;
	if (wish == SCREEN_PAUSE)
		t->paused = !t->paused;
	show(t);
}

static void top_tick(struct sink *sink)
{
	struct top *t = (struct top *)sink;
	uint64_t now = clock__boot_ns();

	if (t->screen)
		on_keys(t);
	if (!t->turned)
		t->turned = now; /* only now is there anything to count */
	if (!t->paused && now - t->turned >= t->settings.interval)
		turn(t, now);
}

static void top_flush(struct sink *sink, const struct trace_stats *stats)
{
	struct top *t = (struct top *)sink;

	t->lost = trace_stats__lost_calls(stats) + stats->lost_gpu;
}

static int top_close(struct sink *sink, const struct trace_stats *stats)
{
	struct top *t = (struct top *)sink;
	int err;

	if (t->screen)
		terminal_screen__close();
	else if (t->turned && !sink->full) /* the rest of an interval */
		turn(t, clock__boot_ns());
	err = sink__finish(sink);
	top_free(t);
	return err;
}

const struct sink_ops sink_top = {
	.name = "top",
	.help = "what is going on, drawn anew every second",
	.live = true,
	.always_stdout = true,
	.open = top_open,
	.process = top_process,
	.thread = sink__ignore_thread,
	.device = top_device,
	.event = top_event,
	.lost = top_lost,
	.flush = top_flush,
	.tick = top_tick,
	.close = top_close,
};
