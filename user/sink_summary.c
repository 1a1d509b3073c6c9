// SPDX-License-Identifier: MIT
/*
 * The summary sink: tables of where the time went, by function, kernel, direction and range.
 *
 * Nothing is written before the end. Memory is bounded by how many different names there are; those
 * past ROWS_MAX in a table share one row. Times are from entry to return: a call's include those of
 * the calls inside it. The share is a row's part of its domain's sum.
 */
#define HASH_NONFATAL_OOM 1
#include "user/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "user/format.h"

#define ROWS_MAX 10000
#define OTHERS	 "(others)"

/* Rows that are summed up together. Calls: the number is the domain. */
enum group {
	GROUP_CALLS_LAST = DOMAIN_ROCTX,
	GROUP_KERNELS,
	GROUP_COPIES,
	GROUP_MEMORY,
	GROUP_RANGES,
	GROUP_COUNT,
};

struct row {
	const char *name;
	enum group group;
	uint64_t calls, total, min, max;
	uint64_t timed; /* calls of which the end is known too */
	uint64_t bytes;
	UT_hash_handle hh;
};

struct summary {
	struct sink sink;
	struct row *groups[GROUP_COUNT];
	uint64_t totals[GROUP_COUNT];
};

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static struct sink *summary_open(FILE *out)
{
	struct summary *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink.ops = &sink_summary;
	s->sink.out = out;
	return &s->sink;
}

static struct row *find_row(struct summary *s, enum group group, const char *name)
{
	struct row *row;

	HASH_FIND(hh, s->groups[group], name, strlen(name), row);
	return row;
}

static struct row *get_row(struct summary *s, enum group group, const char *name)
{
	struct row *row = find_row(s, group, name);

	if (!row && HASH_COUNT(s->groups[group]) >= ROWS_MAX) {
		name = OTHERS;
		row = find_row(s, group, name);
	}
	if (row)
		return row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->name = name;
	row->group = group;
	row->min = UINT64_MAX;
	HASH_ADD_KEYPTR(hh, s->groups[group], row->name, strlen(row->name), row);
	if (row->hh.tbl)
		return row;
	free(row);
	return NULL;
}

static enum group group_of(const struct event *ev)
{
	switch (ev->kind) {
	case EV_DISPATCH:
		return GROUP_KERNELS;
	case EV_COPY:
		return GROUP_COPIES;
	case EV_RANGE:
		return GROUP_RANGES;
	case EV_MEMORY:
	case EV_SCRATCH:
		return GROUP_MEMORY;
	default:
		return (enum group)ev->domain;
	}
}

static bool has_row(enum ev_kind kind)
{
	return kind != EV_MARK && kind != EV_GAP && kind != EV_BARRIER && kind != EV_QUEUE &&
	       kind != EV_CODE && kind != EV_RUNTIME;
}

static void summary_event(struct sink *sink, const struct event *ev)
{
	struct summary *s = (struct summary *)sink;
	uint64_t ns = ev->end - ev->begin;
	enum group group = group_of(ev);
	struct row *row;

	if (ev->flags & EV_F_NO_TIMES || !has_row(ev->kind))
		return;
	row = get_row(s, group, ev_name(ev));
	if (!row) {
		sink_fail(sink, -ENOMEM);
		return;
	}
	row->calls++;
	if (ev->flags & EV_F_ENTRY)
		return; /* how long it took is not known */
	row->timed++;
	row->total = add(row->total, ns);
	row->min = ns < row->min ? ns : row->min;
	row->max = ns > row->max ? ns : row->max;
	if (ev->kind == EV_COPY)
		row->bytes = add(row->bytes, ev->gpu.bytes);
	else if (group == GROUP_MEMORY)
		row->bytes = add(row->bytes, ev->gpu.resource.bytes);
	s->totals[group] = add(s->totals[group], ns);
}

/* ---- the tables ---- */

/* Names come last: they are of all lengths, and nothing has to be lined up behind them. */
enum column {
	COL_SHARE,
	COL_TOTAL,
	COL_CALLS,
	COL_MEAN,
	COL_MIN,
	COL_MAX,
	COL_BYTES,
	COL_RATE,
	COL_DOMAIN,
	COL_NAME,
	COL_COUNT,
};

static const char *const column_names[COL_COUNT] = {
	[COL_SHARE] = "SHARE", [COL_TOTAL] = "TOTAL", [COL_CALLS] = "CALLS",
	[COL_MEAN] = "MEAN",   [COL_MIN] = "MIN",     [COL_MAX] = "MAX",
	[COL_BYTES] = "BYTES", [COL_RATE] = "RATE",   [COL_DOMAIN] = "DOMAIN",
};

static const struct report {
	const char *title;
	const char *name; /* of the last column */
	enum group first, last;
	bool domain, bytes, rate; /* has these columns */
} reports[] = {
	{"API calls", "FUNCTION", 0, GROUP_CALLS_LAST, true, false, false},
	{"Kernels", "KERNEL", GROUP_KERNELS, GROUP_KERNELS, false, false, false},
	{"Copies", "DIRECTION", GROUP_COPIES, GROUP_COPIES, false, true, true},
	{"Memory", "WHAT", GROUP_MEMORY, GROUP_MEMORY, false, true, false},
	{"Ranges", "RANGE", GROUP_RANGES, GROUP_RANGES, false, false, false},
};

static bool has_column(const struct report *report, enum column column)
{
	if (column == COL_DOMAIN)
		return report->domain;
	if (column == COL_BYTES)
		return report->bytes;
	if (column == COL_RATE)
		return report->rate;
	return true;
}

/* The cell as a new string, NULL if out of memory. */
static char *cell(const struct summary *s, const struct row *row, enum column column)
{
	uint64_t total = s->totals[row->group];
	char buf[FORMAT_LEN];

	switch (column) {
	case COL_DOMAIN:
		return strdup(ev_domain_name((enum ev_domain)row->group));
	case COL_CALLS:
		snprintf(buf, sizeof(buf), "%" PRIu64, row->calls);
		return strdup(buf);
	case COL_BYTES:
		return strdup(format_bytes(buf, row->bytes));
	case COL_TOTAL:
		return strdup(format_ns(buf, row->total));
	case COL_MEAN:
		return strdup(row->timed ? format_ns(buf, row->total / row->timed) : "-");
	case COL_MIN:
		return strdup(row->timed ? format_ns(buf, row->min) : "-");
	case COL_MAX:
		return strdup(format_ns(buf, row->max));
	case COL_RATE:
		return strdup(format_rate(buf, row->bytes, row->total));
	case COL_SHARE:
		snprintf(buf, sizeof(buf), "%.1f%%",
			 total ? 100.0 * (double)row->total / (double)total : 0.0);
		return strdup(buf);
	default:
		return strdup(row->name);
	}
}

static struct libscols_table *new_table(const struct summary *s, const struct report *report)
{
	struct libscols_table *table = scols_new_table();
	bool tty = isatty(fileno(s->sink.out));

	if (!table)
		return NULL;
	scols_table_set_stream(table, s->sink.out);
	/* The library escapes names. Only a terminal's width makes it cut them. */
	scols_table_set_termforce(table, tty ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	for (enum column i = 0; i < COL_COUNT; i++) {
		const char *name = i == COL_NAME ? report->name : column_names[i];
		int flags = i == COL_NAME ? SCOLS_FL_TRUNC : i == COL_DOMAIN ? 0 : SCOLS_FL_RIGHT;

		if (has_column(report, i) && !scols_table_new_column(table, name, 0.1, flags)) {
			scols_unref_table(table);
			return NULL;
		}
	}
	return table;
}

static int add_line(const struct summary *s, const struct report *report,
		    struct libscols_table *table, const struct row *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	size_t n = 0;

	if (!line)
		return -ENOMEM;
	for (enum column i = 0; i < COL_COUNT; i++) {
		char *text;

		if (!has_column(report, i))
			continue;
		text = cell(s, row, i);
		if (!text)
			return -ENOMEM;
		if (scols_line_refer_data(line, n++, text)) {
			free(text);
			return -ENOMEM;
		}
	}
	return 0;
}

static int by_total(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* All rows of the report, sorted; their number in *count. */
static struct row **sorted_rows(const struct summary *s, const struct report *report, size_t *count)
{
	struct row **rows, *row;
	size_t n = 0;

	for (enum group g = report->first; g <= report->last; g++)
		n += HASH_COUNT(s->groups[g]);
	*count = n;
	rows = malloc((n + 1) * sizeof(struct row *));
	if (!rows)
		return NULL;
	n = 0;
	for (enum group g = report->first; g <= report->last; g++)
		for (row = s->groups[g]; row; row = row->hh.next)
			rows[n++] = row;
	qsort(rows, n, sizeof(struct row *), by_total);
	return rows;
}

static int print_report(const struct summary *s, const struct report *report)
{
	size_t count;
	struct row **rows = sorted_rows(s, report, &count);
	struct libscols_table *table = rows && count ? new_table(s, report) : NULL;
	int err = rows && (table || !count) ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++)
		err = add_line(s, report, table, rows[i]);
	if (!err && table) {
		fprintf(s->sink.out, "%s\n", report->title);
		err = scols_print_table(table);
		fputc('\n', s->sink.out);
	}
	scols_unref_table(table);
	free(rows);
	return err;
}

static int summary_close(struct sink *sink, const struct trace_stats *stats)
{
	struct summary *s = (struct summary *)sink;
	struct row *row, *next;
	int err;

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		err = print_report(s, &reports[i]);
		sink_check(sink);
		if (err)
			sink_fail(sink, err);
	}
	err = sink_finish(sink);
	for (enum group g = 0; g < GROUP_COUNT; g++) {
		HASH_ITER (hh, s->groups[g], row, next) {
			HASH_DEL(s->groups[g], row);
			free(row);
		}
	}
	free(s);
	return err;
}

const struct sink_ops sink_summary = {
	.name = "summary",
	.help = "tables of the time spent in calls, kernels, copies, allocations and ranges",
	.open = summary_open,
	.process = sink_ignore_process,
	.thread = sink_ignore_thread,
	.device = sink_ignore_device,
	.event = summary_event,
	.close = summary_close,
};
