// SPDX-License-Identifier: MIT
/*
 * A report as JSON. Times are ns, of the keys that end with _ns.
 */
#include <errno.h>
#include <stdlib.h>

#include "user/base/json_yajl.h"
#include "user/report/report_options.h"

struct json {
	struct jsonout *out;
	const struct analysis *a;
	const struct report_options *o;
};

static const char *name(const struct json *x, uint32_t id)
{
	return name_table__text(x->a->names, id);
}

/* ---- what it is a report of ---- */

static void put_origin(const struct json *x)
{
	const struct analysis *a = x->a;
	struct gpu_requests requests;
	const char *what;
	uint64_t value;

	json_yajl__string(x->out, "recording", a->path);
	json_yajl__string(x->out, "hostname", a->origin.hostname);
	json_yajl__u64(x->out, "duration_ns", a->end > a->begin ? a->end - a->begin : 0);
	json_yajl__open_map(x->out, "counts");
	for (unsigned int i = 0; (what = trace_stats__field(&a->stats, i, &value)); i++)
		json_yajl__u64(x->out, what, value);
	json_yajl__close_map(x->out);
	json_yajl__bool(x->out, "lossy", losses__nth(&a->stats, 0, &value));
	json_yajl__bool(x->out, "cut", a->damage.cut);
	json_yajl__u64(x->out, "broken", a->damage.broken);
	json_yajl__u64(x->out, "missing_chunks", a->damage.missing);
	json_yajl__bool(x->out, "gpu_known", a->gpu_known);
	if (!analysis__requests(a, &requests)) {
		json_yajl__u64(x->out, "launch_calls", requests.launches);
		json_yajl__u64(x->out, "copy_calls", requests.copies);
	}
}

/* ---- by name ---- */

static void put_spread(const struct json *x, const struct spread *s)
{
	json_yajl__u64(x->out, "calls", s->calls);
	json_yajl__u64(x->out, "timed", s->timed);
	json_yajl__u64(x->out, "total_ns", s->total);
	json_yajl__u64(x->out, "mean_ns", spread__mean(s));
	json_yajl__u64(x->out, "min_ns", s->min);
	json_yajl__u64(x->out, "max_ns", s->max);
	json_yajl__double(x->out, "stddev_ns", spread__deviation(s));
}

static void put_row(const struct json *x, const struct tally_row *row, uint64_t whole)
{
	json_yajl__open_map(x->out, NULL);
	json_yajl__string(x->out, "name", name(x, row->name));
	json_yajl__string(x->out, "domain", totals__domain_name(row->domain));
	put_spread(x, &row->spread);
	json_yajl__double(x->out, "share", whole ? (double)row->spread.total / (double)whole : 0);
	if (row->domain >= TALLY_COPIES && row->domain <= TALLY_SCRATCH)
		json_yajl__u64(x->out, "bytes", row->bytes);
	if (row->domain == TALLY_COPIES && row->spread.total)
		json_yajl__double(x->out, "gb_per_s",
				  (double)row->timed_bytes / (double)row->spread.total);
	json_yajl__close_map(x->out);
}

static int put_rows(const struct json *x, const char *key, uint32_t domains)
{
	size_t count;
	struct tally_row **rows = totals__sorted(x->a->tally, domains, &count);
	uint64_t whole;

	if (!rows)
		return -ENOMEM;
	whole = totals__total(rows, count);
	json_yajl__open_array(x->out, key);
	for (size_t i = 0; i < report_options__shown(x->o, count); i++)
		put_row(x, rows[i], whole);
	json_yajl__close_array(x->out);
	free(rows);
	return 0;
}

static int put_waits(const struct json *x)
{
	size_t count;
	struct tally_row **rows = totals__sorted(x->a->outermost, TALLY_OWN_CALLS, &count);
	uint64_t whole;

	if (!rows)
		return -ENOMEM;
	whole = totals__total(rows, count);
	json_yajl__open_array(x->out, "waits");
	for (size_t i = 0; i < count; i++)
		if (analysis__is_wait(name(x, rows[i]->name)))
			put_row(x, rows[i], whole);
	json_yajl__close_array(x->out);
	free(rows);
	return 0;
}

static int put_summaries(const struct json *x)
{
	char title[256];
	uint32_t domains;
	int err = 0;

	json_yajl__open_array(x->out, "summaries");
	for (size_t i = 0;
	     (domains = report_options__summary(x->o, i, title, sizeof(title))) && !err; i++) {
		json_yajl__open_map(x->out, NULL);
		json_yajl__string(x->out, "domains", title);
		err = put_rows(x, "rows", domains);
		json_yajl__close_map(x->out);
	}
	json_yajl__close_array(x->out);
	return err;
}

/* ---- GPUs ---- */

static void put_place(const struct json *x, uint32_t pid, int32_t device)
{
	json_yajl__u64(x->out, "pid", pid);
	json_yajl__string(x->out, "process", process_names__comm(x->a->who, pid));
	json_yajl__i64(x->out, "gpu", device);
}

static void put_device(const struct json *x, const struct idle_device *d)
{
	json_yajl__open_map(x->out, NULL);
	put_place(x, d->pid, d->device);
	json_yajl__string(x->out, "name", process_names__device_name(x->a->who, d->pid, d->device));
	json_yajl__u64(x->out, "operations", d->operations);
	json_yajl__u64(x->out, "operations_without_times", d->no_times);
	json_yajl__u64(x->out, "operations_told_late", d->late);
	json_yajl__u64(x->out, "late_ns", d->late_ns);
	json_yajl__u64(x->out, "observed_ns", d->last - d->first);
	json_yajl__u64(x->out, "kernels_ns", d->kernels);
	json_yajl__u64(x->out, "only_copies_ns", d->either - d->kernels);
	json_yajl__u64(x->out, "submitted_not_begun_ns", d->active - d->either);
	json_yajl__u64(x->out, "queue_empty_ns", idle_device__empty(d));
	json_yajl__u64(x->out, "queue_empty_times", d->waits);
	json_yajl__u64(x->out, "host_in_no_call_ns", d->application);
	json_yajl__u64(x->out, "host_not_known_ns", d->unknown);
	json_yajl__open_array(x->out, "host_in_call");
	for (size_t i = 0; i < report_options__shown(x->o, d->call_count); i++) {
		json_yajl__open_map(x->out, NULL);
		json_yajl__string(x->out, "name", name(x, d->calls[i].name));
		json_yajl__u64(x->out, "ns", d->calls[i].ns);
		json_yajl__close_map(x->out);
	}
	json_yajl__close_array(x->out);
	json_yajl__close_map(x->out);
}

static int put_devices(const struct json *x)
{
	size_t count;
	const struct idle_device *devices = gpu_idle__devices(x->a->idle, &count);

	json_yajl__open_array(x->out, "gpus");
	for (size_t i = 0; i < count; i++)
		put_device(x, &devices[i]);
	json_yajl__close_array(x->out);
	return 0;
}

static int put_latencies(const struct json *x)
{
	const struct device_latency *l;

	json_yajl__open_array(x->out, "launch_latency");
	for (l = x->a->latencies; l; l = l->hh.next) {
		json_yajl__open_map(x->out, NULL);
		put_place(x, l->key.pid, l->key.device);
		json_yajl__u64(x->out, "dispatches", latency__count(l->latency));
		json_yajl__u64(x->out, "early", l->early);
		json_yajl__u64(x->out, "p50_ns", latency__percentile(l->latency, 50));
		json_yajl__u64(x->out, "p90_ns", latency__percentile(l->latency, 90));
		json_yajl__u64(x->out, "p99_ns", latency__percentile(l->latency, 99));
		json_yajl__u64(x->out, "max_ns", latency__max(l->latency));
		json_yajl__close_map(x->out);
	}
	json_yajl__close_array(x->out);
	return 0;
}

/* ---- failures and memory ---- */

static void put_failure(const struct json *x, const struct failure *f)
{
	json_yajl__open_map(x->out, NULL);
	json_yajl__string(x->out, "function", name(x, f->function));
	json_yajl__string(x->out, "domain", event__domain_name(f->domain));
	json_yajl__string(x->out, "result", name(x, f->result));
	json_yajl__u64(x->out, "calls", f->calls);
	json_yajl__open_array(x->out, "first");
	for (unsigned int i = 0; i < f->example_count; i++) {
		const struct failure_example *e = &f->examples[i];

		json_yajl__open_map(x->out, NULL);
		json_yajl__u64(x->out, "at_ns", e->at - x->a->begin);
		json_yajl__u64(x->out, "pid", e->pid);
		json_yajl__u64(x->out, "tid", e->tid);
		json_yajl__string(x->out, "call", e->text);
		json_yajl__close_map(x->out);
	}
	json_yajl__close_array(x->out);
	json_yajl__close_map(x->out);
}

static int put_failures(const struct json *x)
{
	size_t count;
	const struct failure **all = failures__sorted(x->a->failures, &count);

	if (!all)
		return -ENOMEM;
	json_yajl__open_array(x->out, "failed_calls");
	for (size_t i = 0; i < report_options__shown(x->o, count); i++)
		put_failure(x, all[i]);
	json_yajl__close_array(x->out);
	free(all);
	return 0;
}

static void put_allocation(const struct json *x, const struct allocation *m)
{
	json_yajl__open_map(x->out, NULL);
	json_yajl__hex(x->out, "address", m->address);
	json_yajl__u64(x->out, "bytes", m->bytes);
	put_place(x, m->pid, m->device);
	json_yajl__u64(x->out, "tid", m->tid);
	json_yajl__u64(x->out, "at_ns", m->at - x->a->begin);
	if (m->known)
		json_yajl__string(x->out, "call", name(x, m->call));
	json_yajl__close_map(x->out);
}

static int put_unfreed(const struct json *x)
{
	size_t count;
	const struct allocation **all = unfreed__sorted(x->a->unfreed, &count);

	if (!all)
		return -ENOMEM;
	json_yajl__u64(x->out, "allocations_not_followed", unfreed__left_out(x->a->unfreed));
	json_yajl__open_array(x->out, "not_freed");
	for (size_t i = 0; i < report_options__shown(x->o, count); i++)
		put_allocation(x, all[i]);
	json_yajl__close_array(x->out);
	free(all);
	return 0;
}

/* ---- phases ---- */

static void put_part(const struct json *x, const char *key, const struct spread *s)
{
	json_yajl__open_map(x->out, key);
	put_spread(x, s);
	json_yajl__close_map(x->out);
}

static void put_phase(const struct json *x, const char *key, const struct phase *p,
		      const char *message)
{
	json_yajl__open_map(x->out, key);
	if (message)
		json_yajl__string(x->out, "range", message);
	put_part(x, "ranges", &p->ranges);
	put_part(x, "kernels", &p->kernels);
	put_part(x, "copies", &p->copies);
	json_yajl__u64(x->out, "copied_bytes", p->bytes);
	put_part(x, "api_calls", &p->calls);
	json_yajl__close_map(x->out);
}

static int put_phases(const struct json *x)
{
	size_t count;
	const struct phase **all = range_phases__sorted(x->a->phases, &count);

	if (!all)
		return -ENOMEM;
	json_yajl__open_array(x->out, "phases");
	for (size_t i = 0; i < report_options__shown(x->o, count); i++)
		put_phase(x, NULL, all[i], name(x, all[i]->name));
	json_yajl__close_array(x->out);
	put_phase(x, "in_no_range", range_phases__outside(x->a->phases), NULL);
	put_phase(x, "in_unknown_range", range_phases__unknown(x->a->phases), NULL);
	free(all);
	return 0;
}

/* ---- all of it ---- */

static int put_all(const struct json *x)
{
	static int (*const parts[])(const struct json *) = {
		put_devices, put_latencies, put_waits, put_failures, put_unfreed, put_summaries};
	int err;

	put_origin(x);
	err = put_rows(x, "kernels", TALLY_BIT(TALLY_KERNELS));
	if (!err)
		err = put_rows(x, "api_calls", TALLY_ALL_CALLS);
	if (!err)
		err = put_rows(x, "copies", TALLY_BIT(TALLY_COPIES));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++)
		err = parts[i](x);
	return !err && x->o->by_roctx ? put_phases(x) : err;
}

int report_json__write(FILE *out, const struct analysis *a, const struct report_options *o)
{
	const struct json x = {json_yajl__new(out, JSONOUT_LINES), a, o};
	int err, written;

	if (!x.out)
		return -ENOMEM;
	json_yajl__open_map(x.out, NULL);
	err = put_all(&x);
	json_yajl__close_map(x.out);
	written = json_yajl__close(x.out);
	return err ? err : written;
}
