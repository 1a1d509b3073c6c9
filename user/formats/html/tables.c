// SPDX-License-Identifier: MIT
/*
 * Rows of numbers as arrays; names are numbers too, see html.md.
 */
#include "user/formats/html/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_buffer.h"

/* Further ones are only counted. */
#define GPUS_MAX     200
#define IN_CALL_MAX  100
#define FAILURES_MAX 1000

static size_t shown(size_t count, size_t max)
{
	return count < max ? count : max;
}

/* Calls, how many of them have a time, and those. */
static void put_spread(struct jsonout *to, const struct spread *s)
{
	json_yajl__u64(to, NULL, s->calls);
	json_yajl__u64(to, NULL, s->timed);
	json_yajl__u64(to, NULL, s->total);
	json_yajl__u64(to, NULL, s->min);
	json_yajl__u64(to, NULL, s->max);
}

static int put_rows(const struct html_tables *t, struct jsonout *to, const char *key,
		    enum tally_domain domain)
{
	size_t count;
	struct tally_row **rows = totals__sorted(t->tally, TALLY_BIT(domain), &count);

	if (!rows)
		return -ENOMEM;
	json_yajl__open_array(to, key);
	for (size_t i = 0; i < count; i++) {
		json_yajl__open_array(to, NULL);
		json_yajl__u64(to, NULL, rows[i]->name);
		put_spread(to, &rows[i]->spread);
		json_yajl__u64(to, NULL, rows[i]->bytes);
		json_yajl__u64(to, NULL, rows[i]->timed_bytes);
		json_yajl__close_array(to);
	}
	json_yajl__close_array(to);
	free(rows);
	return 0;
}

static int put_tallies(const struct html_tables *t, struct jsonout *to)
{
	static const struct {
		enum tally_domain domain;
		const char *key;
	} tables[] = {
		{TALLY_KERNELS, "kernels"},
		{TALLY_COPIES, "copies"},
		{TALLY_HIP, "hip"},
		{TALLY_HSA, "hsa"},
		{TALLY_KFD, "kfd"},
		{TALLY_ROCTX, "roctx"},
		{TALLY_RANGES, "ranges"},
		{TALLY_MEMORY, "memory"},
		{TALLY_ROCTRACER, "roctracer"},
		{TALLY_SCRATCH, "scratch"},
	};
	int err = 0;

	json_yajl__open_map(to, "tables");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !err; i++)
		err = put_rows(t, to, tables[i].key, tables[i].domain);
	json_yajl__close_map(to);
	return err;
}

/* ---- GPUs ---- */

static void put_wait(const struct html_tables *t, struct jsonout *to, const struct idle_wait *w)
{
	json_yajl__open_array(to, NULL);
	json_yajl__u64(to, NULL, w->begin > t->zero ? w->begin - t->zero : 0);
	json_yajl__u64(to, NULL, w->end - w->begin);
	json_yajl__u64(to, NULL, w->tid);
	json_yajl__u64(to, NULL, w->name);
	json_yajl__u64(to, NULL, w->in_ns);
	json_yajl__close_array(to);
}

static void put_device(const struct html_tables *t, struct jsonout *to, const struct idle_device *d)
{
	const char *name = process_names__device_name(t->who, d->pid, d->device);
	struct textbuf safe = {};
	uint64_t further = 0;

	text_buffer__escaped(&safe, name, strlen(name), 0);
	json_yajl__open_map(to, NULL);
	json_yajl__u64(to, "pid", d->pid);
	json_yajl__i64(to, "device", d->device);
	json_yajl__string(to, "name", text_buffer__string(&safe));
	json_yajl__u64(to, "operations", d->operations);
	json_yajl__u64(to, "without_times", d->no_times);
	json_yajl__u64(to, "late_ns", d->late_ns);
	json_yajl__u64(to, "observed_ns", d->last - d->first);
	json_yajl__u64(to, "kernels_ns", d->kernels);
	json_yajl__u64(to, "only_copies_ns", d->either - d->kernels);
	json_yajl__u64(to, "not_begun_ns", d->active - d->either);
	json_yajl__u64(to, "no_call_ns", d->application);
	json_yajl__u64(to, "not_known_ns", d->unknown);
	json_yajl__u64(to, "gaps", d->waits);
	json_yajl__open_array(to, "in_call");
	for (size_t i = 0; i < shown(d->call_count, IN_CALL_MAX); i++) {
		json_yajl__open_array(to, NULL);
		json_yajl__u64(to, NULL, d->calls[i].name);
		json_yajl__u64(to, NULL, d->calls[i].ns);
		json_yajl__close_array(to);
	}
	json_yajl__close_array(to);
	for (size_t i = IN_CALL_MAX; i < d->call_count; i++)
		further += d->calls[i].ns;
	json_yajl__u64(to, "in_further_calls_ns", further);
	json_yajl__open_array(to, "longest");
	for (uint32_t i = 0; i < d->longest_count; i++)
		put_wait(t, to, &d->longest[i]);
	json_yajl__close_array(to);
	json_yajl__close_map(to);
	text_buffer__free(&safe);
}

static void put_devices(const struct html_tables *t, struct jsonout *to)
{
	size_t count;
	const struct idle_device *devices = gpu_idle__devices(t->idle, &count);

	json_yajl__open_array(to, "gpus");
	for (size_t i = 0; i < shown(count, GPUS_MAX); i++)
		put_device(t, to, &devices[i]);
	json_yajl__close_array(to);
	json_yajl__u64(to, "further_gpus", count - shown(count, GPUS_MAX));
}

/* ---- failures ---- */

static void put_failure(const struct html_tables *t, struct jsonout *to, const struct failure *f)
{
	json_yajl__open_map(to, NULL);
	json_yajl__string(to, "domain", event__domain_name(f->domain));
	json_yajl__u64(to, "function", f->function);
	json_yajl__u64(to, "result", f->result);
	json_yajl__u64(to, "calls", f->calls);
	json_yajl__open_array(to, "first");
	for (unsigned int i = 0; i < f->example_count; i++) {
		const struct failure_example *e = &f->examples[i];

		json_yajl__open_array(to, NULL);
		json_yajl__u64(to, NULL, e->at > t->zero ? e->at - t->zero : 0);
		json_yajl__u64(to, NULL, e->pid);
		json_yajl__u64(to, NULL, e->tid);
		json_yajl__string(to, NULL, e->text);
		json_yajl__close_array(to);
	}
	json_yajl__close_array(to);
	json_yajl__close_map(to);
}

static int put_failures(const struct html_tables *t, struct jsonout *to)
{
	size_t count;
	const struct failure **all = failures__sorted(t->failures, &count);

	if (!all)
		return -ENOMEM;
	json_yajl__open_array(to, "failures");
	for (size_t i = 0; i < shown(count, FAILURES_MAX); i++)
		put_failure(t, to, all[i]);
	json_yajl__close_array(to);
	json_yajl__u64(to, "further_failures", count - shown(count, FAILURES_MAX));
	free(all);
	return 0;
}

int html_tables__write(const struct html_tables *t, struct jsonout *to)
{
	int err = put_tallies(t, to);

	put_devices(t, to);
	return err ? err : put_failures(t, to);
}
