/* SPDX-License-Identifier: MIT */
/*
 * Names by number, for what is counted by name: own copies, as those of events may be short-lived.
 */
#ifndef RTRACE_REPORT_NAME_TABLE_H
#define RTRACE_REPORT_NAME_TABLE_H

#include <stdint.h>

struct names;

/* Name 0: what is named when there is no room for more. */
#define NAMES_OTHERS "(others)"

struct names *name_table__new(void);
void name_table__free(struct names *n);

/* Its number, from 1; 0 if there are too many names, or their texts take too much memory. */
uint32_t name_table__id(struct names *n, const char *text);

/* The same for names that there may be any number of: they get half of the room at most. */
uint32_t name_table__message(struct names *n, const char *text);

const char *name_table__text(const struct names *n, uint32_t id);

/* How many numbers there are, 0 included. */
uint32_t name_table__count(const struct names *n);

#endif
