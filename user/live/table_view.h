/* SPDX-License-Identifier: MIT */
/*
 * Which rows of live_counters.h are shown, in which columns and in which order, and the contents of
 * their cells.
 */
#ifndef RTRACE_LIVE_TABLE_VIEW_H
#define RTRACE_LIVE_TABLE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "user/live/live_counters.h"

enum view_column {
	COL_PID,
	COL_PROCS,
	COL_CALLS,
	COL_LAUNCHES,
	COL_BUSY,
	COL_COPIED,
	COL_ERRORS,
	COL_LOST,
	COL_NAME,
	COL_ABOUT, /* of a process its container, of a GPU what it is */
	VIEW_COLUMNS,
};

struct view {
	enum live_kind by;
	enum view_column sort;
	char filter[64]; /* only rows with that in their texts; "": all */
};

#define CELL_LEN 256

struct view_row {
	char cells[VIEW_COLUMNS]
		  [CELL_LEN]; /* text that is safe on a terminal, "" where not shown */
	double sort;	      /* what it is sorted by, if that is a number */
};

struct view_rows {
	struct view_row *rows;
	size_t count;
};

/* "PID", "LAUNCH/S"; NULL: this kind of row has no such column. */
const char *table_view__column_name(enum live_kind by, enum view_column column);

/* Is it a number, which is aligned to the right? */
bool table_view__is_number(enum view_column column);

/* "process", "container", "gpu"; -1: no such word. */
int table_view__kind(const char *word);

/* "pid", "calls", "launches", "busy", "copied", "errors", "lost", "name"; -1: no such word. */
int table_view__column(const char *word);

/* The next column that this kind of row can be sorted by, round and round. */
void table_view__sort_by_next(struct view *v);

/*
 * The rows, with rates of the last interval, which took `seconds`. Freed with view_rows__free. 0 or
 * -ENOMEM.
 */
int table_view__take(const struct view *v, struct live *l, double seconds, struct view_rows *out);
void view_rows__free(struct view_rows *rows);

#endif
