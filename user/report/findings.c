// SPDX-License-Identifier: MIT
/*
 * The tables of a report that show what may be wrong: calls that failed, memory that was not freed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/format.h"
#include "user/report/report_options.h"

struct text {
	FILE *out;
	const struct analysis *a;
	const struct report_options *o;
};

static const char *name(const struct text *x, uint32_t id)
{
	return name_table__text(x->a->names, id);
}

static void write_failure(const struct text *x, const struct failure *f)
{
	fprintf(x->out, "%7" PRIu64 "  ", f->calls);
	text__escape(x->out, name(x, f->function));
	fputs(" = ", x->out);
	text__escape(x->out, name(x, f->result));
	fputc('\n', x->out);
	for (unsigned int i = 0; i < f->example_count; i++) {
		const struct failure_example *e = &f->examples[i];
		uint64_t at = e->at - x->a->begin;

		/* The text is escaped. */
		fprintf(x->out, "         %" PRIu64 ".%06" PRIu64 " %u %s\n", at / 1000000000,
			at % 1000000000 / 1000, e->tid, e->text);
	}
}

static int write_failures(const struct text *x)
{
	size_t count, shown;
	const struct failure **all = failures__sorted(x->a->failures, &count);

	if (!all)
		return -ENOMEM;
	shown = report_options__shown(x->o, count);
	if (count)
		fputs("Failed calls, with the first of each (seconds since the begin, thread)\n",
		      x->out);
	for (size_t i = 0; i < shown; i++)
		write_failure(x, all[i]);
	if (count > shown)
		fprintf(x->out, "... and %zu more\n", count - shown);
	if (count)
		fputc('\n', x->out);
	free(all);
	return 0;
}

static void put_allocation(const struct text *x, struct table *t, const struct allocation *m)
{
	text_table__put(t, "%" PRIu64, m->bytes);
	text_table__put(t, "0x%" PRIx64, m->address);
	if (m->device >= 0)
		text_table__put(t, "gpu %d", m->device);
	else
		text_table__put(t, "%s", m->device == DEVICE_CPU ? "cpu" : "?");
	text_table__put(t, "%u", m->pid);
	text_table__put(t, "%u", m->tid);
	text_table__put_time(t, m->at - x->a->begin);
	text_table__put(t, "%s", m->known ? name(x, m->call) : "?");
}

static int write_unfreed(const struct text *x)
{
	static const struct table_column columns[] = {
		{"BYTES", 0},  {"ADDRESS", 0},	    {"DEVICE", 0},	   {"PROCESS", 0},
		{"THREAD", 0}, {"AT", COLUMN_TIME}, {"CALL", COLUMN_TEXT},
	};
	size_t count, shown;
	const struct allocation **all = unfreed__sorted(x->a->unfreed, &count);
	char title[160], buf[FORMAT_LEN];
	uint64_t bytes = 0;
	struct table *t;

	if (!all)
		return -ENOMEM;
	if (!count) {
		free(all);
		return 0;
	}
	shown = report_options__shown(x->o, count);
	t = text_table__new(x->out, x->o->unit, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++)
		bytes += all[i]->bytes;
	for (size_t i = 0; i < shown; i++)
		put_allocation(x, t, all[i]);
	free(all);
	snprintf(title, sizeof(title), "Memory that was not freed: %zu allocations, %s%s", count,
		 format__bytes(buf, bytes),
		 unfreed__left_out(x->a->unfreed) ? "; others were too many to be followed" : "");
	return text_table__print(t, title, count - shown);
}

int report_findings__write(FILE *out, const struct analysis *a, const struct report_options *o)
{
	const struct text x = {out, a, o};
	int err = write_failures(&x);

	return err ? err : write_unfreed(&x);
}
