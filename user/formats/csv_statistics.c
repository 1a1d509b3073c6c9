// SPDX-License-Identifier: MIT
/*
 * Sums times up by name, in one pass.
 */
#define HASH_NONFATAL_OOM 1
#include "user/formats/csv_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/csv_writer.h"
#include "common/hash.h"

struct csv_stat {
	UT_hash_handle hh;
	struct csv_times times;
	char name[];
};

static struct csv_stat *find(const struct csv_stats *s, const char *name)
{
	struct csv_stat *stat;

	HASH_FIND_STR(s->names, name, stat);
	return stat;
}

static struct csv_stat *add_name(struct csv_stats *s, const char *name)
{
	size_t size = strlen(name) + 1;
	struct csv_stat *stat = calloc(1, sizeof(*stat) + size);

	if (!stat)
		return NULL;
	memcpy(stat->name, name, size);
	HASH_ADD_KEYPTR(hh, s->names, stat->name, size - 1, stat);
	if (stat->hh.tbl)
		return stat;
	free(stat);
	return NULL;
}

static struct csv_stat *get(struct csv_stats *s, const char *name)
{
	struct csv_stat *stat = find(s, name);

	if (stat)
		return stat;
	if (HASH_COUNT(s->names) < CSV_STATS_NAMES)
		return add_name(s, name);
	stat = find(s, CSV_STATS_OTHERS);
	return stat ? stat : add_name(s, CSV_STATS_OTHERS);
}

static void add_time(struct csv_times *t, uint64_t ns)
{
	double away = (double)ns - t->mean;

	t->min = !t->calls || ns < t->min ? ns : t->min;
	t->max = ns > t->max ? ns : t->max;
	if (__builtin_add_overflow(t->total, ns, &t->total))
		t->total = UINT64_MAX;
	t->calls++;
	t->mean += away / (double)t->calls;
	t->squares += away * ((double)ns - t->mean);
}

int csv_statistics__add(struct csv_stats *s, const char *name, uint64_t ns)
{
	struct csv_stat *stat = get(s, name);

	if (!stat)
		return -ENOMEM;
	add_time(&stat->times, ns);
	add_time(&s->all, ns);
	return 0;
}

static double deviation(const struct csv_times *t)
{
	return t->calls < 2 ? 0 : sqrt(t->squares / (double)(t->calls - 1));
}

/* With the digits that rocprofv3 gives such numbers. */
static void put_average(struct textbuf *row, double value)
{
	char digits[512];

	snprintf(digits, sizeof(digits), value > 0.01 ? "%.6f" : "%.8e", value);
	csv_writer__raw(row, digits);
}

static void put_share(struct textbuf *row, double percent)
{
	char digits[512];
	const char *format = percent >= 1 ? "%.2f" : percent > 0.01 ? "%.4f" : "%.3e";

	snprintf(digits, sizeof(digits), format, percent);
	csv_writer__raw(row, digits);
}

int csv_statistics__put(struct textbuf *row, FILE *out, const char *name, const struct csv_times *t,
			uint64_t total)
{
	csv_writer__text(row, name);
	csv_writer__uint(row, t->calls);
	csv_writer__uint(row, t->total);
	put_average(row, t->calls ? (double)t->total / (double)t->calls : 0);
	put_share(row, total ? 100.0 * (double)t->total / (double)total : 0);
	csv_writer__uint(row, t->min);
	csv_writer__uint(row, t->max);
	put_average(row, deviation(t));
	return csv_writer__end(row, out);
}

static int by_total(struct csv_stat *a, struct csv_stat *b)
{
	if (a->times.total != b->times.total)
		return a->times.total < b->times.total ? 1 : -1;
	return strcmp(a->name, b->name);
}

int csv_statistics__write(struct csv_stats *s, struct textbuf *row, FILE *out)
{
	struct csv_stat *stat, *next;
	int err = 0, e;

	HASH_SORT(s->names, by_total);
	HASH_ITER (hh, s->names, stat, next) {
		e = csv_statistics__put(row, out, stat->name, &stat->times, s->all.total);
		err = err ? err : e;
	}
	return err;
}

/* As Python writes it. */
static void put_percentage(struct textbuf *row, double percent)
{
	text_buffer__char(row, ',');
	text_buffer__double(row, percent);
	if (percent == floor(percent))
		text_buffer__str(row, ".0");
}

static int put_short(struct textbuf *row, FILE *out, const struct csv_stat *stat, uint64_t total)
{
	const struct csv_times *t = &stat->times;

	csv_writer__text(row, stat->name);
	csv_writer__uint(row, t->calls);
	csv_writer__uint(row, t->total);
	csv_writer__uint(row, t->total / t->calls);
	put_percentage(row, total ? 100.0 * (double)t->total / (double)total : 0);
	return csv_writer__end(row, out);
}

int csv_statistics__write_short(struct csv_stats *s, struct textbuf *row, FILE *out)
{
	struct csv_stat *stat, *next;
	int err = 0, e;

	HASH_SORT(s->names, by_total);
	HASH_ITER (hh, s->names, stat, next) {
		e = put_short(row, out, stat, s->all.total);
		err = err ? err : e;
	}
	return err;
}

void csv_statistics__free(struct csv_stats *s)
{
	struct csv_stat *stat, *next;

	HASH_ITER (hh, s->names, stat, next) {
		HASH_DEL(s->names, stat);
		free(stat);
	}
}
