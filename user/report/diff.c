// SPDX-License-Identifier: MIT
/*
 * Two recordings against each other: kernels, copies and calls by name, and the GPUs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/format.h"
#include "user/base/json_yajl.h"
#include "user/report/report_options.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A name of either. Numbers are of the first and the second recording. */
struct pair {
	const char *name;
	enum tally_domain domain;
	uint64_t calls[2], total[2];
};

struct pairs {
	struct pair *all;
	size_t count;
};

/* All GPUs of that number, whatever their processes. */
struct device_pair {
	int32_t device;
	uint64_t observed[2], kernels[2], copies[2], launch[2], calling[2], rest[2];
};

static int64_t change(const uint64_t values[2])
{
	return (int64_t)(values[1] - values[0]);
}

/* "+12.5%", "new", "gone", "" for none. */
static const char *percent(char buf[FORMAT_LEN], const struct pair *p)
{
	if (!p->calls[0])
		return "new";
	if (!p->calls[1])
		return "gone";
	if (!p->total[0])
		return p->total[1] ? "?" : "+0.0%";
	snprintf(buf, FORMAT_LEN, "%+.1f%%",
		 100.0 * (double)change(p->total) / (double)p->total[0]);
	return buf;
}

/* ---- by name ---- */

static int by_name(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (int)x->domain - (int)y->domain;
}

static int by_change(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	uint64_t dx = llabs(change(x->total)), dy = llabs(change(y->total));

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return by_name(a, b);
}

static int collect(const struct analysis *a, unsigned int side, uint32_t domains, struct pairs *to)
{
	size_t count;
	struct tally_row **rows = totals__sorted(a->tally, domains, &count);
	struct pair *all;

	if (!rows)
		return -ENOMEM;
	all = realloc(to->all, (to->count + count + 1) * sizeof(*all));
	to->all = all ? all : to->all;
	for (size_t i = 0; all && i < count; i++) {
		struct pair *p = &all[to->count++];

		*p = (struct pair){
			name_table__text(a->names, rows[i]->name), rows[i]->domain, {}, {}};
		p->calls[side] = rows[i]->spread.calls;
		p->total[side] = rows[i]->spread.total;
	}
	free(rows);
	return all ? 0 : -ENOMEM;
}

/* Neighbours of one name become one pair. */
static void join(struct pairs *pairs)
{
	size_t n = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		struct pair *last = n ? &pairs->all[n - 1] : NULL, *p = &pairs->all[i];

		if (!last || by_name(last, p)) {
			pairs->all[n++] = *p;
			continue;
		}
		for (int side = 0; side < 2; side++) {
			last->calls[side] += p->calls[side];
			last->total[side] += p->total[side];
		}
	}
	pairs->count = n;
}

static int make_pairs(const struct analysis *const sides[2], uint32_t domains, struct pairs *pairs)
{
	int err = collect(sides[0], 0, domains, pairs);

	if (!err)
		err = collect(sides[1], 1, domains, pairs);
	if (err)
		return err;
	qsort(pairs->all, pairs->count, sizeof(*pairs->all), by_name);
	join(pairs);
	qsort(pairs->all, pairs->count, sizeof(*pairs->all), by_change);
	return 0;
}

/* ---- devices ---- */

static void add_device(struct device_pair *p, unsigned int side, const struct idle_device *d)
{
	p->observed[side] += d->last - d->first;
	p->kernels[side] += d->kernels;
	p->copies[side] += d->either - d->kernels;
	p->launch[side] += d->active - d->either;
	p->rest[side] += d->application + d->unknown;
	p->calling[side] += idle_device__empty(d) - d->application - d->unknown;
}

static struct device_pair *find_device(struct device_pair *all, size_t *count, int32_t device)
{
	size_t i = 0;

	while (i < *count && all[i].device != device)
		i++;
	if (i == *count)
		all[(*count)++] = (struct device_pair){.device = device};
	return &all[i];
}

/* To be freed; NULL: no memory. */
static struct device_pair *make_devices(const struct analysis *const sides[2], size_t *count)
{
	const struct idle_device *devices[2];
	struct device_pair *all;
	size_t counts[2];

	for (int side = 0; side < 2; side++)
		devices[side] = gpu_idle__devices(sides[side]->idle, &counts[side]);
	*count = 0;
	all = calloc(counts[0] + counts[1] + 1, sizeof(*all));
	for (int side = 0; all && side < 2; side++)
		for (size_t i = 0; i < counts[side]; i++)
			add_device(find_device(all, count, devices[side][i].device), side,
				   &devices[side][i]);
	return all;
}

/* ---- tables ---- */

static void put_times(struct table *t, const uint64_t times[2])
{
	text_table__put_time(t, times[0]);
	text_table__put_time(t, times[1]);
}

static int write_pairs(FILE *out, const struct analysis *const sides[2], const char *title,
		       uint32_t domains, const struct report_options *o)
{
	static const struct table_column columns[] = {
		{"CHANGE", COLUMN_TIME},  {"%", 0},
		{"TOTAL A", COLUMN_TIME}, {"TOTAL B", COLUMN_TIME},
		{"CALLS A", 0},		  {"CALLS B", 0},
		{"DOMAIN", COLUMN_WORD},  {"NAME", COLUMN_TEXT}};
	struct pairs pairs = {};
	int err = make_pairs(sides, domains, &pairs);
	size_t shown = report_options__shown(o, pairs.count);
	char buf[FORMAT_LEN];
	struct table *t;

	if (err || !pairs.count) {
		free(pairs.all);
		return err;
	}
	t = text_table__new(out, o->unit, columns, COUNT(columns));
	for (size_t i = 0; i < shown; i++) {
		const struct pair *p = &pairs.all[i];

		text_table__put_change(t, change(p->total));
		text_table__put(t, "%s", percent(buf, p));
		put_times(t, p->total);
		text_table__put(t, "%" PRIu64, p->calls[0]);
		text_table__put(t, "%" PRIu64, p->calls[1]);
		text_table__put(t, "%s", totals__domain_name(p->domain));
		text_table__put(t, "%s", p->name);
	}
	free(pairs.all);
	return text_table__print(t, title, pairs.count - shown);
}

static void put_device(struct table *t, const char *what, const struct device_pair *d,
		       const uint64_t times[2])
{
	text_table__put_change(t, change(times));
	put_times(t, times);
	text_table__put_share(t, times[0], d->observed[0]);
	text_table__put_share(t, times[1], d->observed[1]);
	text_table__put(t, "%s", what);
}

static int write_device(FILE *out, const struct device_pair *d, const struct report_options *o)
{
	static const struct table_column columns[] = {
		{"CHANGE", COLUMN_TIME}, {"TIME A", COLUMN_TIME}, {"TIME B", COLUMN_TIME},
		{"SHARE A", 0},		 {"SHARE B", 0},	  {"WHAT", COLUMN_TEXT}};
	struct table *t = text_table__new(out, o->unit, columns, COUNT(columns));
	char title[32];

	snprintf(title, sizeof(title), "GPU %d", d->device);
	put_device(t, "observed", d, d->observed);
	put_device(t, "busy: kernels", d, d->kernels);
	put_device(t, "idle: only copies", d, d->copies);
	put_device(t, "idle: submitted, not begun", d, d->launch);
	put_device(t, "idle: queue empty, host in calls", d, d->calling);
	put_device(t, "idle: queue empty, host in no call or not known", d, d->rest);
	return text_table__print(t, title, 0);
}

static const char *wrong(const struct analysis *a)
{
	uint64_t value;

	if (a->damage.cut || a->damage.broken || a->damage.missing)
		return " (not whole)";
	return losses__nth(&a->stats, 0, &value) ? " (with losses, see its report)" : "";
}

int report_diff__write(FILE *out, const struct analysis *a, const struct analysis *b,
		       const struct report_options *o)
{
	const struct analysis *const sides[2] = {a, b};
	struct device_pair *devices;
	size_t count;
	int err = 0;

	for (int side = 0; side < 2; side++) {
		fprintf(out, "%c: ", 'A' + side);
		text__escape(out, sides[side]->path);
		fprintf(out, "%s\n", wrong(sides[side]));
	}
	fputc('\n', out);
	devices = make_devices(sides, &count);
	if (!devices)
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++)
		err = write_device(out, &devices[i], o);
	free(devices);
	if (!err)
		err = write_pairs(out, sides, "Kernels and copies",
				  TALLY_BIT(TALLY_KERNELS) | TALLY_BIT(TALLY_COPIES), o);
	return err ? err : write_pairs(out, sides, "API calls", TALLY_ALL_CALLS, o);
}

/* ---- JSON ---- */

static void json_pair(struct jsonout *j, const char *key, const uint64_t values[2])
{
	json_yajl__open_map(j, key);
	json_yajl__u64(j, "a", values[0]);
	json_yajl__u64(j, "b", values[1]);
	json_yajl__i64(j, "change", change(values));
	json_yajl__close_map(j);
}

static int json_pairs(struct jsonout *j, const struct analysis *const sides[2], const char *key,
		      uint32_t domains, const struct report_options *o)
{
	struct pairs pairs = {};
	int err = make_pairs(sides, domains, &pairs);

	json_yajl__open_array(j, key);
	for (size_t i = 0; !err && i < report_options__shown(o, pairs.count); i++) {
		const struct pair *p = &pairs.all[i];

		json_yajl__open_map(j, NULL);
		json_yajl__string(j, "name", p->name);
		json_yajl__string(j, "domain", totals__domain_name(p->domain));
		json_yajl__string(j, "in", !p->calls[0] ? "b" : p->calls[1] ? "both" : "a");
		json_pair(j, "calls", p->calls);
		json_pair(j, "total_ns", p->total);
		if (p->total[0])
			json_yajl__double(j, "change_percent",
					  100.0 * (double)change(p->total) / (double)p->total[0]);
		json_yajl__close_map(j);
	}
	json_yajl__close_array(j);
	free(pairs.all);
	return err;
}

static int json_devices(struct jsonout *j, const struct analysis *const sides[2])
{
	size_t count;
	struct device_pair *devices = make_devices(sides, &count);

	json_yajl__open_array(j, "gpus");
	for (size_t i = 0; devices && i < count; i++) {
		const struct device_pair *d = &devices[i];

		json_yajl__open_map(j, NULL);
		json_yajl__i64(j, "gpu", d->device);
		json_pair(j, "observed_ns", d->observed);
		json_pair(j, "kernels_ns", d->kernels);
		json_pair(j, "only_copies_ns", d->copies);
		json_pair(j, "submitted_not_begun_ns", d->launch);
		json_pair(j, "host_in_calls_ns", d->calling);
		json_pair(j, "host_in_no_call_or_not_known_ns", d->rest);
		json_yajl__close_map(j);
	}
	json_yajl__close_array(j);
	free(devices);
	return devices ? 0 : -ENOMEM;
}

int report_diff__write_json(FILE *out, const struct analysis *a, const struct analysis *b,
			    const struct report_options *o)
{
	const struct analysis *const sides[2] = {a, b};
	struct jsonout *j = json_yajl__new(out, JSONOUT_LINES);
	int err, written;

	if (!j)
		return -ENOMEM;
	json_yajl__open_map(j, NULL);
	json_yajl__string(j, "a", a->path);
	json_yajl__string(j, "b", b->path);
	err = json_devices(j, sides);
	if (!err)
		err = json_pairs(j, sides, "kernels_and_copies",
				 TALLY_BIT(TALLY_KERNELS) | TALLY_BIT(TALLY_COPIES), o);
	if (!err)
		err = json_pairs(j, sides, "api_calls", TALLY_ALL_CALLS, o);
	json_yajl__close_map(j);
	written = json_yajl__close(j);
	return err ? err : written;
}
