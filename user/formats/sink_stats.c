// SPDX-License-Identifier: MIT
/*
 * The stats sink: a table of the calls by function as CSV, in the form of rocprof's hip_stats.
 *
 * Times are from entry to return: a call's include those of the calls inside it. The percentage is
 * of the sum over all functions of the trace. Memory is bounded by how many functions there are.
 */
#define HASH_NONFATAL_OOM 1
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

struct row {
	const char *name;
	uint64_t calls, total;
	uint64_t timed; /* calls of which the end is known too */
	UT_hash_handle hh;
};

struct stats {
	struct sink sink;
	struct row *rows;
	uint64_t total;
};

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static struct sink *stats_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct stats *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink.ops = &sink_stats;
	s->sink.out = to->out;
	return &s->sink;
}

static struct row *get_row(struct stats *s, const char *name)
{
	struct row *row;

	HASH_FIND_STR(s->rows, name, row);
	if (row)
		return row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->name = name;
	HASH_ADD_KEYPTR(hh, s->rows, row->name, strlen(row->name), row);
	if (row->hh.tbl)
		return row;
	free(row);
	return NULL;
}

static void stats_event(struct sink *sink, const struct event *ev)
{
	struct stats *s = (struct stats *)sink;
	struct row *row;

	if (ev->kind != EV_SPAN)
		return;
	row = get_row(s, event__name(ev));
	if (!row) {
		sink__fail(sink, -ENOMEM);
		return;
	}
	row->calls++;
	row->timed += !(ev->flags & EV_F_ENTRY);
	row->total = add(row->total, ev->end - ev->begin);
	s->total = add(s->total, ev->end - ev->begin);
}

static int by_total(struct row *a, struct row *b)
{
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		/* Names of symbols may be anything: no line of ours is to be made up by one. */
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
	}
	fputc('"', out);
}

/* As few digits as distinguish the number from its neighbours. */
static void put_number(FILE *out, double value)
{
	char buf[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	fputs(buf, out);
}

static void put_row(const struct stats *s, const struct row *row)
{
	FILE *out = s->sink.out;

	put_quoted(out, row->name);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", row->calls, row->total,
		row->timed ? row->total / row->timed : 0);
	put_number(out, s->total ? 100.0 * (double)row->total / (double)s->total : 0.0);
	fputc('\n', out);
}

static int stats_close(struct sink *sink, const struct trace_stats *losses)
{
	struct stats *s = (struct stats *)sink;
	struct row *row, *next;
	int err;

	HASH_SORT(s->rows, by_total);
	fputs("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n", sink->out);
	HASH_ITER (hh, s->rows, row, next) {
		put_row(s, row);
	}
	sink__check(sink);
	err = sink__finish(sink);
	HASH_ITER (hh, s->rows, row, next) {
		HASH_DEL(s->rows, row);
		free(row);
	}
	free(s);
	return err;
}

const struct sink_ops sink_stats = {
	.name = "stats",
	.help = "calls by function as CSV, like rocprof's hip_stats",
	.open = stats_open,
	.process = sink__ignore_process,
	.thread = sink__ignore_thread,
	.device = sink__ignore_device,
	.event = stats_event,
	.close = stats_close,
};
