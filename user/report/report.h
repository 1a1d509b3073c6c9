/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf report: what a recording says of the time that was spent, as tables or JSON. What the
 * numbers mean is in report.md.
 */
#ifndef RTRACE_REPORT_H
#define RTRACE_REPORT_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

#include "user/report/analysis.h"
#include "user/report/losses.h"
#include "user/table.h"

#define REPORT_GROUPS_MAX 16

struct report_options {
	enum table_unit unit; /* of the tables */
	size_t rows;	      /* of each table, 0: all */
	bool json, by_roctx, per_domain;
	regex_t groups[REPORT_GROUPS_MAX]; /* --summary-groups */
	size_t group_count;
};

/* The subcommand; argv[0] is "report". Returns the exit status. */
int report__main(int argc, char **argv);

/* Each writes all of it; 0 or -errno. A failed write is for the caller to find. */
int report_text__write(FILE *out, const struct analysis *a, const struct report_options *o);
int report_json__write(FILE *out, const struct analysis *a, const struct report_options *o);
int report_diff__write(FILE *out, const struct analysis *a, const struct analysis *b,
		       const struct report_options *o);
int report_diff__write_json(FILE *out, const struct analysis *a, const struct analysis *b,
			    const struct report_options *o);

/* The part of the text that says what may be wrong. */
int report_findings__write(FILE *out, const struct analysis *a, const struct report_options *o);

/* How many of so many lines are shown. */
static inline size_t report__shown(const struct report_options *o, size_t count)
{
	return o->rows && o->rows < count ? o->rows : count;
}

/* A title and the domains of each summary that was asked for; 0: there is no such n-th one. */
uint32_t report__summary(const struct report_options *o, size_t n, char *title, size_t size);

#endif
