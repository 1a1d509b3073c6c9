// SPDX-License-Identifier: MIT
/*
 * A report as JSON. Times are ns, of the keys that end with _ns.
 */
#include <errno.h>
#include <stdlib.h>

#include "user/jsonout.h"
#include "user/report/report.h"

struct json {
	struct jsonout *out;
	const struct analysis *a;
	const struct report_options *o;
};

static const char *name(const struct json *x, uint32_t id)
{
	return names__text(x->a->names, id);
}

/* ---- what it is a report of ---- */

static void put_origin(const struct json *x)
{
	const struct analysis *a = x->a;
	const char *what;
	uint64_t value;

	jsonout__string(x->out, "recording", a->path);
	jsonout__string(x->out, "hostname", a->origin.hostname);
	jsonout__u64(x->out, "duration_ns", a->end > a->begin ? a->end - a->begin : 0);
	jsonout__open_map(x->out, "counts");
	for (unsigned int i = 0; (what = trace_stats_field(&a->stats, i, &value)); i++)
		jsonout__u64(x->out, what, value);
	jsonout__close_map(x->out);
	jsonout__bool(x->out, "lossy", losses__nth(&a->stats, 0, &value));
	jsonout__bool(x->out, "cut", a->damage.cut);
	jsonout__u64(x->out, "broken", a->damage.broken);
	jsonout__u64(x->out, "missing_chunks", a->damage.missing);
}

/* ---- by name ---- */

static void put_spread(const struct json *x, const struct spread *s)
{
	jsonout__u64(x->out, "calls", s->calls);
	jsonout__u64(x->out, "timed", s->timed);
	jsonout__u64(x->out, "total_ns", s->total);
	jsonout__u64(x->out, "mean_ns", spread__mean(s));
	jsonout__u64(x->out, "min_ns", s->min);
	jsonout__u64(x->out, "max_ns", s->max);
	jsonout__double(x->out, "stddev_ns", spread__deviation(s));
}

static void put_row(const struct json *x, const struct tally_row *row, uint64_t whole)
{
	jsonout__open_map(x->out, NULL);
	jsonout__string(x->out, "name", name(x, row->name));
	jsonout__string(x->out, "domain", tally_domain_name(row->domain));
	put_spread(x, &row->spread);
	jsonout__double(x->out, "share", whole ? (double)row->spread.total / (double)whole : 0);
	if (row->domain >= TALLY_COPIES && row->domain <= TALLY_SCRATCH)
		jsonout__u64(x->out, "bytes", row->bytes);
	if (row->domain == TALLY_COPIES && row->spread.total)
		jsonout__double(x->out, "gb_per_s",
				(double)row->timed_bytes / (double)row->spread.total);
	jsonout__close_map(x->out);
}

static int put_rows(const struct json *x, const char *key, uint32_t domains)
{
	size_t count;
	struct tally_row **rows = tally__sorted(x->a->tally, domains, &count);
	uint64_t whole;

	if (!rows)
		return -ENOMEM;
	whole = tally__total(rows, count);
	jsonout__open_array(x->out, key);
	for (size_t i = 0; i < report__shown(x->o, count); i++)
		put_row(x, rows[i], whole);
	jsonout__close_array(x->out);
	free(rows);
	return 0;
}

static int put_waits(const struct json *x)
{
	size_t count;
	struct tally_row **rows = tally__sorted(x->a->outermost, TALLY_OWN_CALLS, &count);
	uint64_t whole;

	if (!rows)
		return -ENOMEM;
	whole = tally__total(rows, count);
	jsonout__open_array(x->out, "waits");
	for (size_t i = 0; i < count; i++)
		if (analysis__is_wait(name(x, rows[i]->name)))
			put_row(x, rows[i], whole);
	jsonout__close_array(x->out);
	free(rows);
	return 0;
}

static int put_summaries(const struct json *x)
{
	char title[256];
	uint32_t domains;
	int err = 0;

	jsonout__open_array(x->out, "summaries");
	for (size_t i = 0; (domains = report__summary(x->o, i, title, sizeof(title))) && !err;
	     i++) {
		jsonout__open_map(x->out, NULL);
		jsonout__string(x->out, "domains", title);
		err = put_rows(x, "rows", domains);
		jsonout__close_map(x->out);
	}
	jsonout__close_array(x->out);
	return err;
}

/* ---- GPUs ---- */

static void put_place(const struct json *x, uint32_t pid, int32_t device)
{
	jsonout__u64(x->out, "pid", pid);
	jsonout__string(x->out, "process", who__comm(x->a->who, pid));
	jsonout__i64(x->out, "gpu", device);
}

static void put_device(const struct json *x, const struct idle_device *d)
{
	jsonout__open_map(x->out, NULL);
	put_place(x, d->pid, d->device);
	jsonout__string(x->out, "name", who__device_name(x->a->who, d->pid, d->device));
	jsonout__u64(x->out, "operations", d->operations);
	jsonout__u64(x->out, "operations_without_times", d->no_times);
	jsonout__u64(x->out, "operations_told_late", d->late);
	jsonout__u64(x->out, "late_ns", d->late_ns);
	jsonout__u64(x->out, "observed_ns", d->last - d->first);
	jsonout__u64(x->out, "kernels_ns", d->kernels);
	jsonout__u64(x->out, "only_copies_ns", d->either - d->kernels);
	jsonout__u64(x->out, "submitted_not_begun_ns", d->active - d->either);
	jsonout__u64(x->out, "queue_empty_ns", idle_device__empty(d));
	jsonout__u64(x->out, "queue_empty_times", d->waits);
	jsonout__u64(x->out, "host_in_no_call_ns", d->application);
	jsonout__u64(x->out, "host_not_known_ns", d->unknown);
	jsonout__open_array(x->out, "host_in_call");
	for (size_t i = 0; i < report__shown(x->o, d->call_count); i++) {
		jsonout__open_map(x->out, NULL);
		jsonout__string(x->out, "name", name(x, d->calls[i].name));
		jsonout__u64(x->out, "ns", d->calls[i].ns);
		jsonout__close_map(x->out);
	}
	jsonout__close_array(x->out);
	jsonout__close_map(x->out);
}

static int put_devices(const struct json *x)
{
	size_t count;
	const struct idle_device *devices = idle__devices(x->a->idle, &count);

	jsonout__open_array(x->out, "gpus");
	for (size_t i = 0; i < count; i++)
		put_device(x, &devices[i]);
	jsonout__close_array(x->out);
	return 0;
}

static int put_latencies(const struct json *x)
{
	const struct device_latency *l;

	jsonout__open_array(x->out, "launch_latency");
	for (l = x->a->latencies; l; l = l->hh.next) {
		jsonout__open_map(x->out, NULL);
		put_place(x, l->key.pid, l->key.device);
		jsonout__u64(x->out, "dispatches", latency__count(l->latency));
		jsonout__u64(x->out, "early", l->early);
		jsonout__u64(x->out, "p50_ns", latency__percentile(l->latency, 50));
		jsonout__u64(x->out, "p90_ns", latency__percentile(l->latency, 90));
		jsonout__u64(x->out, "p99_ns", latency__percentile(l->latency, 99));
		jsonout__u64(x->out, "max_ns", latency__max(l->latency));
		jsonout__close_map(x->out);
	}
	jsonout__close_array(x->out);
	return 0;
}

/* ---- failures and memory ---- */

static void put_failure(const struct json *x, const struct failure *f)
{
	jsonout__open_map(x->out, NULL);
	jsonout__string(x->out, "function", name(x, f->function));
	jsonout__string(x->out, "domain", ev_domain_name(f->domain));
	jsonout__string(x->out, "result", name(x, f->result));
	jsonout__u64(x->out, "calls", f->calls);
	jsonout__open_array(x->out, "first");
	for (unsigned int i = 0; i < f->example_count; i++) {
		const struct failure_example *e = &f->examples[i];

		jsonout__open_map(x->out, NULL);
		jsonout__u64(x->out, "at_ns", e->at - x->a->begin);
		jsonout__u64(x->out, "pid", e->pid);
		jsonout__u64(x->out, "tid", e->tid);
		jsonout__string(x->out, "call", e->text);
		jsonout__close_map(x->out);
	}
	jsonout__close_array(x->out);
	jsonout__close_map(x->out);
}

static int put_failures(const struct json *x)
{
	size_t count;
	const struct failure **all = failures__sorted(x->a->failures, &count);

	if (!all)
		return -ENOMEM;
	jsonout__open_array(x->out, "failed_calls");
	for (size_t i = 0; i < report__shown(x->o, count); i++)
		put_failure(x, all[i]);
	jsonout__close_array(x->out);
	free(all);
	return 0;
}

static void put_allocation(const struct json *x, const struct allocation *m)
{
	jsonout__open_map(x->out, NULL);
	jsonout__hex(x->out, "address", m->address);
	jsonout__u64(x->out, "bytes", m->bytes);
	put_place(x, m->pid, m->device);
	jsonout__u64(x->out, "tid", m->tid);
	jsonout__u64(x->out, "at_ns", m->at - x->a->begin);
	if (m->known)
		jsonout__string(x->out, "call", name(x, m->call));
	jsonout__close_map(x->out);
}

static int put_unfreed(const struct json *x)
{
	size_t count;
	const struct allocation **all = unfreed__sorted(x->a->unfreed, &count);

	if (!all)
		return -ENOMEM;
	jsonout__u64(x->out, "allocations_not_followed", unfreed__left_out(x->a->unfreed));
	jsonout__open_array(x->out, "not_freed");
	for (size_t i = 0; i < report__shown(x->o, count); i++)
		put_allocation(x, all[i]);
	jsonout__close_array(x->out);
	free(all);
	return 0;
}

/* ---- phases ---- */

static void put_part(const struct json *x, const char *key, const struct spread *s)
{
	jsonout__open_map(x->out, key);
	put_spread(x, s);
	jsonout__close_map(x->out);
}

static void put_phase(const struct json *x, const char *key, const struct phase *p,
		      const char *message)
{
	jsonout__open_map(x->out, key);
	if (message)
		jsonout__string(x->out, "range", message);
	put_part(x, "ranges", &p->ranges);
	put_part(x, "kernels", &p->kernels);
	put_part(x, "copies", &p->copies);
	jsonout__u64(x->out, "copied_bytes", p->bytes);
	put_part(x, "api_calls", &p->calls);
	jsonout__close_map(x->out);
}

static int put_phases(const struct json *x)
{
	size_t count;
	const struct phase **all = phases__sorted(x->a->phases, &count);

	if (!all)
		return -ENOMEM;
	jsonout__open_array(x->out, "phases");
	for (size_t i = 0; i < report__shown(x->o, count); i++)
		put_phase(x, NULL, all[i], name(x, all[i]->name));
	jsonout__close_array(x->out);
	put_phase(x, "in_no_range", phases__outside(x->a->phases), NULL);
	put_phase(x, "in_unknown_range", phases__unknown(x->a->phases), NULL);
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
	const struct json x = {jsonout__new(out, JSONOUT_LINES), a, o};
	int err, written;

	if (!x.out)
		return -ENOMEM;
	jsonout__open_map(x.out, NULL);
	err = put_all(&x);
	jsonout__close_map(x.out);
	written = jsonout__close(x.out);
	return err ? err : written;
}
