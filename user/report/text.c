// SPDX-License-Identifier: MIT
/*
 * A report as tables.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/format.h"
#include "user/report/report_options.h"

struct text {
	FILE *out;
	const struct analysis *a;
	const struct report_options *o;
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct table *new_table(const struct text *x, const struct table_column *columns,
			       size_t count)
{
	return text_table__new(x->out, x->o->unit, columns, count);
}

static const char *name(const struct text *x, uint32_t id)
{
	return name_table__text(x->a->names, id);
}

/* ---- what it is a report of ---- */

static void say_losses(const struct text *x)
{
	const struct recording_damage *damage = &x->a->damage;
	const char *what;
	uint64_t value;

	if (damage->cut)
		fputs("The recording was cut off: what is behind, and what was lost before, is not "
		      "known.\n",
		      x->out);
	if (damage->broken || damage->missing)
		fprintf(x->out,
			"Parts of the recording are left out: %" PRIu64 " broken, %" PRIu64
			" chunks missing.\n",
			damage->broken, damage->missing);
	for (size_t i = 0; (what = losses__nth(&x->a->stats, i, &value)); i++)
		fprintf(x->out, "%s%" PRIu64 " %s", i ? ", " : "Not in the recording: ", value,
			what);
	if (losses__nth(&x->a->stats, 0, &value))
		fputs(".\n", x->out);
}

/* Calls asked for work, and no process has described a GPU; the work is in *r. */
static bool is_gpu_unknown(const struct text *x, struct gpu_requests *r)
{
	const struct trace_stats *s = &x->a->stats;

	return !x->a->gpu_known && !s->dispatches && !s->copies && !analysis__requests(x->a, r) &&
	       r->launches + r->copies;
}

static void put_operations(const struct text *x)
{
	const struct trace_stats *s = &x->a->stats;
	struct gpu_requests r;

	if (is_gpu_unknown(x, &r))
		fputs("- dispatches, - copies", x->out);
	else
		fprintf(x->out, "%" PRIu64 " dispatches, %" PRIu64 " copies", s->dispatches,
			s->copies);
}

/* Not zero, but not known: what the calls asked for is. */
static void say_unknown(const struct text *x)
{
	struct gpu_requests r;

	if (!is_gpu_unknown(x, &r))
		return;
	fprintf(x->out,
		"What GPUs ran is not known: no traced process carried the agent. Calls launched "
		"%" PRIu64 " kernels and made %" PRIu64 " copies.\n",
		r.launches, r.copies);
}

static void say_what(const struct text *x)
{
	const struct trace_stats *s = &x->a->stats;
	char buf[FORMAT_LEN];

	text__escape(x->out, x->a->path);
	fprintf(x->out, ": %s",
		format__ns(buf, x->a->end > x->a->begin ? x->a->end - x->a->begin : 0));
	if (*x->a->origin.hostname) {
		fputs(" on ", x->out);
		text__escape(x->out, x->a->origin.hostname);
	}
	fprintf(x->out, ", %" PRIu64 " calls, ", s->spans);
	put_operations(x);
	fprintf(x->out, ", %" PRIu64 " ranges\n", s->ranges);
	say_losses(x);
	say_unknown(x);
	fputc('\n', x->out);
}

/* ---- tables by name ---- */

/* "-" where no end is known. */
static void put_timed(struct table *t, const struct spread *s, uint64_t ns)
{
	if (s->timed)
		text_table__put_time(t, ns);
	else
		text_table__put(t, "-");
}

static void put_spread(struct table *t, const struct spread *s, uint64_t whole)
{
	text_table__put_share(t, s->total, whole);
	text_table__put_time(t, s->total);
	text_table__put(t, "%" PRIu64, s->calls);
	put_timed(t, s, spread__mean(s));
	put_timed(t, s, s->min);
	put_timed(t, s, s->max);
	put_timed(t, s, (uint64_t)spread__deviation(s));
}

#define SPREAD_COLUMNS                                                             \
	{"SHARE", 0}, {"TOTAL", COLUMN_TIME}, {"CALLS", 0}, {"MEAN", COLUMN_TIME}, \
		{"MIN", COLUMN_TIME}, {"MAX", COLUMN_TIME},                        \
	{                                                                          \
		"STDDEV", COLUMN_TIME                                              \
	}

/* `what`: the name of the last column. */
static int write_rows(const struct text *x, const char *title, uint32_t domains, const char *what)
{
	const struct table_column columns[] = {SPREAD_COLUMNS, {what, COLUMN_TEXT}};
	const struct table_column more[] = {
		SPREAD_COLUMNS, {"DOMAIN", COLUMN_WORD}, {what, COLUMN_TEXT}};
	bool several = domains & (domains - 1);
	size_t count, shown;
	struct tally_row **rows = totals__sorted(x->a->tally, domains, &count);
	struct table *t;
	uint64_t whole;

	if (!rows)
		return -ENOMEM;
	if (!count) {
		free(rows);
		return 0;
	}
	shown = report_options__shown(x->o, count);
	whole = totals__total(rows, count);
	t = several ? new_table(x, more, COUNT(more)) : new_table(x, columns, COUNT(columns));
	for (size_t i = 0; i < shown; i++) {
		put_spread(t, &rows[i]->spread, whole);
		if (several)
			text_table__put(t, "%s", totals__domain_name(rows[i]->domain));
		text_table__put(t, "%s", name(x, rows[i]->name));
	}
	free(rows);
	return text_table__print(t, title, count - shown);
}

static int write_copies(const struct text *x)
{
	static const struct table_column columns[] = {
		SPREAD_COLUMNS, {"BYTES", 0}, {"RATE", 0}, {"DIRECTION", COLUMN_TEXT}};
	struct table *t;
	struct tally_row **rows;
	char buf[FORMAT_LEN];
	uint64_t whole;
	size_t count;

	rows = totals__sorted(x->a->tally, TALLY_BIT(TALLY_COPIES), &count);
	if (!rows)
		return -ENOMEM;
	if (!count) {
		free(rows);
		return 0;
	}
	whole = totals__total(rows, count);
	t = new_table(x, columns, COUNT(columns));
	for (size_t i = 0; i < count; i++) {
		put_spread(t, &rows[i]->spread, whole);
		text_table__put_bytes(t, rows[i]->bytes);
		text_table__put(t, "%s",
				format__rate(buf, rows[i]->timed_bytes, rows[i]->spread.total));
		text_table__put(t, "%s", name(x, rows[i]->name));
	}
	free(rows);
	return text_table__print(t, "Copies", 0);
}

static int write_kernels(const struct text *x)
{
	return write_rows(x, "Kernels", TALLY_BIT(TALLY_KERNELS), "KERNEL");
}

static int write_calls(const struct text *x)
{
	return write_rows(x, "API calls", TALLY_ALL_CALLS, "FUNCTION");
}

/* ---- GPUs ---- */

static void device_title(const struct text *x, const struct idle_device *d, char *title,
			 size_t size)
{
	const char *comm = process_names__comm(x->a->who, d->pid);
	const char *device = process_names__device_name(x->a->who, d->pid, d->device);
	char buf[FORMAT_LEN];
	int n = snprintf(title, size, "GPU %d%s%s, of process %u%s%s%s, observed for %s", d->device,
			 *device ? ", " : "", device, d->pid, *comm ? " (" : "", comm,
			 *comm ? ")" : "", format__ns(buf, d->last - d->first));

	if (d->no_times && n > 0 && (size_t)n < size)
		snprintf(title + n, size - n,
			 "; without %" PRIu64 " operations whose times are not known", d->no_times);
}

static void put_reason(struct table *t, const struct idle_device *d, uint64_t ns, const char *what,
		       const char *which)
{
	text_table__put_share(t, ns, d->last - d->first);
	text_table__put_time(t, ns);
	text_table__put(t, "%s%s", what, which);
}

static void put_reasons(const struct text *x, struct table *t, const struct idle_device *d)
{
	static const char in[] = "idle: queue empty, host in ";
	size_t shown = report_options__shown(x->o, d->call_count);
	uint64_t others = 0;

	put_reason(t, d, d->kernels, "busy: kernels", "");
	put_reason(t, d, d->either - d->kernels, "idle: only copies", "");
	put_reason(t, d, d->active - d->either, "idle: submitted, not begun", "");
	for (size_t i = 0; i < shown; i++)
		put_reason(t, d, d->calls[i].ns, in, name(x, d->calls[i].name));
	for (size_t i = shown; i < d->call_count; i++)
		others += d->calls[i].ns;
	if (others)
		put_reason(t, d, others, in, "other calls");
	put_reason(t, d, d->application, in, "no call");
	if (d->unknown)
		put_reason(t, d, d->unknown, "idle: queue empty, calls of the host not known", "");
}

/* Of none of its operations the times are known. */
static int write_unmeasured(const struct text *x, const char *title)
{
	text__escape(x->out, title);
	fputs("\n\n", x->out);
	return 0;
}

static int write_device(const struct text *x, const struct idle_device *d)
{
	static const struct table_column columns[] = {
		{"SHARE", 0}, {"TIME", COLUMN_TIME}, {"WHAT", COLUMN_TEXT}};
	struct table *t;
	char title[512];

	device_title(x, d, title, sizeof(title));
	if (d->no_times == d->operations)
		return write_unmeasured(x, title);
	if (d->late)
		fprintf(x->out,
			"%" PRIu64 " operations of GPU %d of process %u were told late: the times "
			"below may be off by %" PRIu64 " ns\n",
			d->late, d->device, d->pid, d->late_ns);
	t = new_table(x, columns, COUNT(columns));
	put_reasons(x, t, d);
	return text_table__print(t, title, 0);
}

static int write_devices(const struct text *x)
{
	size_t count;
	const struct idle_device *devices = gpu_idle__devices(x->a->idle, &count);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = write_device(x, &devices[i]);
	return err;
}

static int write_latencies(const struct text *x)
{
	static const struct table_column columns[] = {{"PROCESS", 0},	    {"GPU", 0},
						      {"DISPATCHES", 0},    {"P50", COLUMN_TIME},
						      {"P90", COLUMN_TIME}, {"P99", COLUMN_TIME},
						      {"MAX", COLUMN_TIME}};
	static const double percents[] = {50, 90, 99};
	const struct device_latency *l;
	struct table *t;

	if (!x->a->latencies)
		return 0;
	t = new_table(x, columns, COUNT(columns));
	for (l = x->a->latencies; l; l = l->hh.next) {
		text_table__put(t, "%u", l->key.pid);
		text_table__put(t, "%d", l->key.device);
		text_table__put(t, "%" PRIu64, latency__count(l->latency));
		for (size_t i = 0; i < COUNT(percents); i++)
			text_table__put_time(t, latency__percentile(l->latency, percents[i]));
		text_table__put_time(t, latency__max(l->latency));
	}
	return text_table__print(t, "From the submission of kernels to their begin", 0);
}

/* ---- calls ---- */

static int write_waits(const struct text *x)
{
	static const struct table_column columns[] = {SPREAD_COLUMNS, {"FUNCTION", COLUMN_TEXT}};
	size_t count, waits = 0, shown = 0;
	struct tally_row **rows = totals__sorted(x->a->outermost, TALLY_OWN_CALLS, &count);
	uint64_t whole = rows ? totals__total(rows, count) : 0;
	struct table *t;

	if (!rows)
		return -ENOMEM;
	t = new_table(x, columns, COUNT(columns));
	for (size_t i = 0; i < count; i++) {
		if (!analysis__is_wait(name(x, rows[i]->name)))
			continue;
		waits++;
		if (report_options__shown(x->o, waits) < waits)
			continue;
		shown++;
		put_spread(t, &rows[i]->spread, whole);
		text_table__put(t, "%s", name(x, rows[i]->name));
	}
	free(rows);
	if (waits)
		return text_table__print(
			t,
			"Waiting (calls of the application; share of the time in all of its calls)",
			waits - shown);
	text_table__free(t);
	return 0;
}

static int write_findings(const struct text *x)
{
	return report_findings__write(x->out, x->a, x->o);
}

/* ---- phases ---- */

static void put_phase(struct table *t, const struct phase *p, const char *message)
{
	text_table__put(t, "%" PRIu64, p->ranges.calls);
	text_table__put_time(t, p->ranges.total);
	text_table__put(t, "%" PRIu64, p->kernels.calls);
	text_table__put_time(t, p->kernels.total);
	text_table__put(t, "%" PRIu64, p->copies.calls);
	text_table__put_time(t, p->copies.total);
	text_table__put(t, "%" PRIu64, p->calls.calls);
	text_table__put_time(t, p->calls.total);
	text_table__put(t, "%s", message);
}

static int write_phases(const struct text *x)
{
	static const struct table_column columns[] = {
		{"RANGES", 0},		{"TIME", COLUMN_TIME},
		{"KERNELS", 0},		{"KERNEL TIME", COLUMN_TIME},
		{"COPIES", 0},		{"COPY TIME", COLUMN_TIME},
		{"CALLS", 0},		{"CALL TIME", COLUMN_TIME},
		{"RANGE", COLUMN_TEXT},
	};
	const struct phase *unknown = range_phases__unknown(x->a->phases);
	size_t count, shown;
	const struct phase **all = range_phases__sorted(x->a->phases, &count);
	struct table *t;

	if (!all)
		return -ENOMEM;
	shown = report_options__shown(x->o, count);
	t = new_table(x, columns, COUNT(columns));
	for (size_t i = 0; i < shown; i++)
		put_phase(t, all[i], name(x, all[i]->name));
	put_phase(t, range_phases__outside(x->a->phases), "(in no range)");
	if (unknown->kernels.calls || unknown->copies.calls || unknown->calls.calls)
		put_phase(t, unknown, "(in a range that is not known)");
	free(all);
	return text_table__print(
		t, "Phases by roctx range (kernels, copies and calls count for the innermost)",
		count - shown);
}

/* ---- all of it ---- */

static int write_summaries(const struct text *x)
{
	char title[256];
	uint32_t domains;
	int err = 0;

	for (size_t i = 0;
	     (domains = report_options__summary(x->o, i, title, sizeof(title))) && !err; i++)
		err = write_rows(x, title, domains, "NAME");
	return err;
}

int report_text__write(FILE *out, const struct analysis *a, const struct report_options *o)
{
	static int (*const parts[])(const struct text *) = {
		write_summaries, write_devices,	  write_kernels, write_calls,
		write_copies,	 write_latencies, write_waits,	 write_findings,
	};
	const struct text x = {out, a, o};
	int err;

	say_what(&x);
	err = o->by_roctx ? write_phases(&x) : 0;
	for (size_t i = 0; i < COUNT(parts) && !err; i++)
		err = parts[i](&x);
	return err;
}
