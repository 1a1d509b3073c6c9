/* SPDX-License-Identifier: MIT */
/*
 * Times by name, and the rows of rocprofv3's *_stats.csv, and of rocprof's, that are made of them.
 *
 * Memory is bounded by the number of names, and that by CSV_STATS_NAMES: the times of all further
 * names are summed up under CSV_STATS_OTHERS.
 */
#ifndef RTRACE_FORMATS_CSV_STATISTICS_H
#define RTRACE_FORMATS_CSV_STATISTICS_H

#include <stdint.h>
#include <stdio.h>

#include "common/text_buffer.h"

#define CSV_STATS_NAMES	 65536
#define CSV_STATS_OTHERS "(others)"
#define CSV_STATS_HEADER "Name Calls TotalDurationNs AverageNs Percentage MinNs MaxNs StdDev"

struct csv_times {
	uint64_t calls, total, min, max;
	double mean, squares; /* sum of the squares of distances from the mean */
};

struct csv_stat;

/* Zero it to begin with. */
struct csv_stats {
	struct csv_stat *names;
	struct csv_times all;
};

/* Keeps a copy of the name. 0 or -ENOMEM. */
int csv_statistics__add(struct csv_stats *s, const char *name, uint64_t ns);

/* One row; the share is that of `total` ns. 0 or -ENOMEM, as the next one. */
int csv_statistics__put(struct textbuf *row, FILE *out, const char *name, const struct csv_times *t,
			uint64_t total);

/* A row for each name, those that took longest first. */
int csv_statistics__write(struct csv_stats *s, struct textbuf *row, FILE *out);

/* Likewise as rocprof has them: fewer columns, averages cut to integers. */
#define CSV_STATS_SHORT_HEADER "Name Calls TotalDurationNs AverageNs Percentage"
int csv_statistics__write_short(struct csv_stats *s, struct textbuf *row, FILE *out);

void csv_statistics__free(struct csv_stats *s);

#endif
