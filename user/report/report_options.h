/* SPDX-License-Identifier: MIT */
/*
 * What a report was asked for, and the forms in which it is written.
 */
#ifndef RTRACE_REPORT_REPORT_OPTIONS_H
#define RTRACE_REPORT_REPORT_OPTIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

#include "user/report/analysis.h"
#include "user/report/losses.h"
#include "user/base/text_table.h"

#define REPORT_GROUPS_MAX 16

struct report_options {
	enum table_unit unit; /* of the tables */
	size_t rows;	      /* of each table, 0: all */
	bool json, by_roctx, per_domain;
	regex_t groups[REPORT_GROUPS_MAX]; /* --summary-groups */
	size_t group_count;
};

/* Each writes all of it; 0 or -errno. A failed write is for the caller to find. */
int report_text__write(FILE *out, const struct analysis *a, const struct report_options *o);
int report_json__write(FILE *out, const struct analysis *a, const struct report_options *o);
int report_diff__write(FILE *out, const struct analysis *a, const struct analysis *b,
		       const struct report_options *o);
int report_diff__write_json(FILE *out, const struct analysis *a, const struct analysis *b,
			    const struct report_options *o);

/* The part of the text that reports what may be wrong. */
int report_findings__write(FILE *out, const struct analysis *a, const struct report_options *o);

/* How many of `count` lines are shown. */
static inline size_t report_options__shown(const struct report_options *o, size_t count)
{
	return o->rows && o->rows < count ? o->rows : count;
}

/* The domains with matching names, as bits; 0: none. */
uint32_t report_options__group_domains(const regex_t *regex);

/* A title and the domains of each summary that was asked for; 0: there is no such n-th one. */
uint32_t report_options__summary(const struct report_options *o, size_t n, char *title,
				 size_t size);

#endif
