/* SPDX-License-Identifier: MIT */
/*
 * Tables for a terminal, filled cell by cell.
 *
 * What is put into cells need not be safe: it is escaped. Where memory runs out, that is remembered
 * and returned in the end.
 */
#ifndef RTRACE_BASE_TEXT_TABLE_H
#define RTRACE_BASE_TEXT_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum table_unit { UNIT_FITTING, UNIT_NSEC, UNIT_USEC, UNIT_MSEC, UNIT_SEC, UNIT_COUNT };

/* As rocprofv3's -u has them: "nsec", "usec", "msec", "sec"; "" for the fitting one. */
extern const char *const table_units[UNIT_COUNT];

#define COLUMN_TEXT 0x1 /* to the left; a terminal's width may cut it */
#define COLUMN_WORD 0x4 /* to the left too, not to be cut */
#define COLUMN_TIME 0x2 /* the unit is part of its name */

struct table_column {
	const char *name;
	unsigned int flags;
};

struct table;

/* NULL: no memory. The functions below take that too. */
struct table *text_table__new(FILE *out, enum table_unit unit, const struct table_column *columns,
			      size_t count);

/* Each fills the next cell; after the last column that is the first cell of a new line. */
void text_table__put(struct table *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_table__put_time(struct table *t, uint64_t ns);
void text_table__put_change(struct table *t, int64_t ns); /* with its sign */
void text_table__put_bytes(struct table *t, uint64_t bytes);
void text_table__put_share(struct table *t, uint64_t part, uint64_t whole);

void text_table__free(struct table *t);

/*
 * With a title before and an empty line after the table, or without both if `title` is NULL.
 * `more`: how many lines are left out. Frees. 0 or -errno.
 */
int text_table__print(struct table *t, const char *title, size_t more);

#endif
