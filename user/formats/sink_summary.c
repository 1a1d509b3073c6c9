// SPDX-License-Identifier: MIT
/*
 * The summary sink: tables of where the time went, by function, kernel, direction and range.
 *
 * Nothing is written before the end. Memory is bounded by how many different names there are; those
 * past ROWS_MAX in a table share one row. Times are from entry to return: a call's include those of
 * the calls inside it. The share is a row's part of its domain's sum.
 */
#define HASH_NONFATAL_OOM 1
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/format.h"
#include "common/hash.h"
#include "user/base/text_table.h"

#define ROWS_MAX 10000
#define OTHERS	 "(others)"
#define CACHED	 256 /* functions that are looked up by the addresses of their names */

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
	enum group group;
	uint64_t calls, total, min, max;
	uint64_t timed; /* calls of which the end is known too */
	uint64_t bytes;
	UT_hash_handle hh;
	char name[];
};

struct cached {
	const char *name;
	struct row *row;
};

struct summary {
	struct sink sink;
	struct cached calls[CACHED];
	struct row *groups[GROUP_COUNT];
	uint64_t totals[GROUP_COUNT];
};

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static struct sink *summary_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct summary *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink.ops = &sink_summary;
	s->sink.out = to->out;
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
	row = calloc(1, sizeof(*row) + strlen(name) + 1);
	if (!row)
		return NULL;
	strcpy(row->name, name);
	row->group = group;
	row->min = UINT64_MAX;
	HASH_ADD_KEYPTR(hh, s->groups[group], row->name, strlen(row->name), row);
	if (row->hh.tbl)
		return row;
	free(row);
	return NULL;
}

/* The same without a look at the letters: names of calls stay where they are until the end. */
static struct row *get_call_row(struct summary *s, enum group group, const char *name)
{
	struct cached *c = &s->calls[(uintptr_t)name / sizeof(void *) % CACHED];

	if (c->name != name || !c->row || c->row->group != group)
		*c = (struct cached){name, get_row(s, group, name)};
	return c->row;
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
	row = ev->kind == EV_SPAN ? get_call_row(s, group, event__name(ev))
				  : get_row(s, group, event__name(ev));
	if (!row) {
		sink__fail(sink, -ENOMEM);
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

/* Names come last: they are of all lengths, and no column has to be lined up after them. */
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

static void put_cell(const struct summary *s, const struct row *row, enum column column,
		     struct table *table)
{
	char buf[FORMAT_LEN];

	switch (column) {
	case COL_SHARE:
		text_table__put_share(table, row->total, s->totals[row->group]);
		break;
	case COL_DOMAIN:
		text_table__put(table, "%s", event__domain_name((enum ev_domain)row->group));
		break;
	case COL_CALLS:
		text_table__put(table, "%" PRIu64, row->calls);
		break;
	case COL_BYTES:
		text_table__put_bytes(table, row->bytes);
		break;
	case COL_TOTAL:
		text_table__put_time(table, row->total);
		break;
	case COL_MEAN:
		text_table__put(table, "%s",
				row->timed ? format__ns(buf, row->total / row->timed) : "-");
		break;
	case COL_MIN:
		text_table__put(table, "%s", row->timed ? format__ns(buf, row->min) : "-");
		break;
	case COL_MAX:
		text_table__put_time(table, row->max);
		break;
	case COL_RATE:
		text_table__put(table, "%s", format__rate(buf, row->bytes, row->total));
		break;
	default:
		text_table__put(table, "%s", row->name);
	}
}

static struct table *new_table(const struct summary *s, const struct report *report)
{
	struct table_column columns[COL_COUNT];
	size_t n = 0;

	for (enum column i = 0; i < COL_COUNT; i++) {
		if (!has_column(report, i))
			continue;
		columns[n].name = i == COL_NAME ? report->name : column_names[i];
		columns[n++].flags = i == COL_NAME     ? COLUMN_TEXT
				     : i == COL_DOMAIN ? COLUMN_WORD
						       : 0;
	}
	return text_table__new(s->sink.out, UNIT_FITTING, columns, n);
}

static void put_line(const struct summary *s, const struct report *report, const struct row *row,
		     struct table *table)
{
	for (enum column i = 0; i < COL_COUNT; i++)
		if (has_column(report, i))
			put_cell(s, row, i, table);
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
	struct table *table;
	int err = rows ? 0 : -ENOMEM;

	if (!err && count) {
		table = new_table(s, report);
		for (size_t i = 0; i < count; i++)
			put_line(s, report, rows[i], table);
		err = text_table__print(table, report->title, 0);
	}
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
		sink__check(sink);
		if (err)
			sink__fail(sink, err);
	}
	err = sink__finish(sink);
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
	.process = sink__ignore_process,
	.thread = sink__ignore_thread,
	.device = sink__ignore_device,
	.event = summary_event,
	.close = summary_close,
};
