// SPDX-License-Identifier: MIT
/*
 * Makes cells of counters, leaves rows out, and sorts the rest.
 */
#include "user/live/table_view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format.h"

static const char *const columns[LIVE_KINDS][VIEW_COLUMNS] = {
	[LIVE_PROCESS] = {[COL_PID] = "PID",
			  [COL_CALLS] = "CALLS/S",
			  [COL_LAUNCHES] = "LAUNCH/S",
			  [COL_BUSY] = "GPU BUSY",
			  [COL_COPIED] = "COPIED/S",
			  [COL_ERRORS] = "ERRORS/S",
			  [COL_LOST] = "LOST/S",
			  [COL_NAME] = "COMMAND",
			  [COL_ABOUT] = "CONTAINER"},
	[LIVE_CONTAINER] = {[COL_PROCS] = "PROCS",
			    [COL_CALLS] = "CALLS/S",
			    [COL_LAUNCHES] = "LAUNCH/S",
			    [COL_BUSY] = "GPU BUSY",
			    [COL_COPIED] = "COPIED/S",
			    [COL_ERRORS] = "ERRORS/S",
			    [COL_LOST] = "LOST/S",
			    [COL_NAME] = "CONTAINER"},
	[LIVE_GPU] = {[COL_PROCS] = "PROCS",
		      [COL_LAUNCHES] = "LAUNCH/S",
		      [COL_BUSY] = "BUSY",
		      [COL_COPIED] = "COPIED/S",
		      [COL_NAME] = "GPU",
		      [COL_ABOUT] = "MODEL"},
};

const char *table_view__column_name(enum live_kind by, enum view_column column)
{
	return columns[by][column];
}

bool table_view__is_number(enum view_column column)
{
	return column < COL_NAME;
}

static int index_of(const char *const *words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] && !strcmp(words[i], word))
			return (int)i;
	return -1;
}

int table_view__kind(const char *word)
{
	static const char *const words[LIVE_KINDS] = {"process", "container", "gpu"};

	return index_of(words, LIVE_KINDS, word);
}

int table_view__column(const char *word)
{
	static const char *const words[VIEW_COLUMNS] = {
		[COL_PID] = "pid",	     [COL_PROCS] = "procs", [COL_CALLS] = "calls",
		[COL_LAUNCHES] = "launches", [COL_BUSY] = "busy",   [COL_COPIED] = "copied",
		[COL_ERRORS] = "errors",     [COL_LOST] = "lost",   [COL_NAME] = "name",
	};

	return index_of(words, VIEW_COLUMNS, word);
}

void table_view__sort_by_next(struct view *v)
{
	do {
		v->sort = (v->sort + 1) % VIEW_COLUMNS;
	} while (!columns[v->by][v->sort] || v->sort == COL_ABOUT);
}

/* ---- cells ---- */

/* Cut where the cell ends. */
static void put_text(char cell[CELL_LEN], const char *text)
{
	FILE *f = fmemopen(cell, CELL_LEN - 1, "w");

	cell[0] = cell[CELL_LEN - 1] = '\0';
	if (!f)
		return;
	text__escape(f, text ? text : "");
	fclose(f);
}

struct taking {
	const struct view *view;
	struct view_rows *out;
	double seconds;
	int error;
};

static double rate_of(const struct taking *t, const struct live_row *row, enum view_column column)
{
	const struct live_counts *c = &row->recent;

	switch (column) {
	case COL_CALLS:
		return (double)live_counts__calls(c) / t->seconds;
	case COL_LAUNCHES:
		return (double)c->launches / t->seconds;
	case COL_BUSY:
		return (double)c->busy_ns / 1e9 / t->seconds;
	case COL_COPIED:
		return (double)c->copy_bytes / t->seconds;
	case COL_ERRORS:
		return (double)c->errors / t->seconds;
	case COL_LOST:
		return (double)c->lost / t->seconds;
	case COL_PID:
		return row->pid;
	default:
		return row->processes;
	}
}

static bool is_of_gpu(enum view_column column)
{
	return column == COL_LAUNCHES || column == COL_BUSY || column == COL_COPIED;
}

static void put_number(const struct taking *t, const struct live_row *row, enum view_column column,
		       char cell[CELL_LEN])
{
	double v = rate_of(t, row, column);
	char buf[FORMAT_LEN];

	if ((column == COL_PID && !row->pid) || (is_of_gpu(column) && !row->gpu_known))
		put_text(cell, "-");
	else if (column == COL_BUSY)
		snprintf(cell, CELL_LEN, "%.1f%%", 100 * v);
	else if (column == COL_COPIED)
		snprintf(cell, CELL_LEN, "%s", format__bytes(buf, (uint64_t)v));
	else
		snprintf(cell, CELL_LEN, "%.0f", v);
}

static void put_cells(const struct taking *t, const struct live_row *row, struct view_row *out)
{
	for (int column = 0; column < VIEW_COLUMNS; column++) {
		if (!columns[row->kind][column])
			continue;
		if (table_view__is_number(column))
			put_number(t, row, column, out->cells[column]);
		else if (column == COL_NAME)
			put_text(out->cells[column], row->name);
		else
			put_text(out->cells[column],
				 row->kind == LIVE_GPU ? row->model : row->container);
	}
	if (table_view__is_number(t->view->sort))
		out->sort = rate_of(t, row, t->view->sort);
}

static bool is_wanted(const struct view *v, const struct view_row *row)
{
	return !v->filter[0] || strstr(row->cells[COL_PID], v->filter) ||
	       strstr(row->cells[COL_NAME], v->filter) || strstr(row->cells[COL_ABOUT], v->filter);
}

/* A container is no more of interest when all its processes have ended. */
static bool is_over(const struct live_row *row)
{
	return row->kind == LIVE_CONTAINER && !row->processes;
}

static void take_row(const struct live_row *row, void *arg)
{
	struct taking *t = arg;
	struct view_rows *out = t->out;
	struct view_row *grown;

	if (t->error || is_over(row))
		return;
	grown = reallocarray(out->rows, out->count + 1, sizeof(*grown));
	if (!grown) {
		t->error = -ENOMEM;
		return;
	}
	out->rows = grown;
	grown += out->count;
	memset(grown, 0, sizeof(*grown));
	put_cells(t, row, grown);
	out->count += is_wanted(t->view, grown);
}

/* The busiest first; names and numbers of processes from the first. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct view_row *x = a, *y = b;
	const struct view *v = arg;
	int up = v->sort == COL_PID ? -1 : 1;

	if (table_view__is_number(v->sort) && x->sort != y->sort)
		return x->sort < y->sort ? up : -up;
	return strcmp(x->cells[COL_NAME], y->cells[COL_NAME]);
}

int table_view__take(const struct view *v, struct live *l, double seconds, struct view_rows *out)
{
	struct taking t = {.view = v, .out = out, .seconds = seconds > 0 ? seconds : 1};

	*out = (struct view_rows){};
	live_counters__each(l, v->by, take_row, &t);
	if (out->count)
		qsort_r(out->rows, out->count, sizeof(out->rows[0]), compare, (void *)v);
	return t.error;
}

void view_rows__free(struct view_rows *rows)
{
	free(rows->rows);
	*rows = (struct view_rows){};
}
