/* SPDX-License-Identifier: MIT */
/*
 * What the tables of a page are made of, as members of a JSON object. They count everything.
 */
#ifndef RTRACE_FORMATS_HTML_TABLES_H
#define RTRACE_FORMATS_HTML_TABLES_H

#include "user/report/failures.h"
#include "user/report/gpu_idle.h"
#include "user/base/json_yajl.h"
#include "user/report/totals.h"
#include "user/report/process_names.h"

struct html_tables {
	const struct names *names;
	const struct tally *tally;
	const struct idle *idle; /* after its end */
	const struct failures *failures;
	const struct who *who;
	uint64_t zero; /* times count from there */
};

/* 0 or -ENOMEM. */
int html_tables__write(const struct html_tables *t, struct jsonout *to);

#endif
