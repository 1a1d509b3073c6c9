// SPDX-License-Identifier: MIT
/*
 * The roctracer sink: the text files that roctracer's tool wrote for rocprof, and the tables that
 * rocprof made of them; see roctracer.md.
 *
 * Lines are written as events come, tables at the end. Of ranges of a thread both lines are written
 * when the outermost has ended: readers pair them by their order.
 */
#define HASH_NONFATAL_OOM 1
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "user/base/csv_writer.h"
#include "user/formats/csv_statistics.h"
#include "common/hash.h"
#include "common/kernel_short_name.h"
#include "user/formats/slice_order.h"
#include "user/base/output_file.h"
#include "user/base/output_folder.h"

/* Files of lines, then tables. */
enum { HIP, HSA, OPS, COPIES, ROCTX, BEGIN, STATS, FILES = STATS + 4 };

static const char *const names[FILES] = {
	[HIP] = "hip_api_trace.txt",
	[HSA] = "hsa_api_trace.txt",
	[OPS] = "hcc_ops_trace.txt",
	[COPIES] = "async_copy_trace.txt",
	[ROCTX] = "roctx_trace.txt",
	[BEGIN] = "begin_ts_file.txt",
	[STATS + HIP] = "results.hip_stats.csv",
	[STATS + HSA] = "results.hsa_stats.csv",
	[STATS + OPS] = "results.stats.csv",
	[STATS + COPIES] = "results.copy_stats.csv",
};

/* Operations of roctx's calls, as it numbers them. */
enum { ROCTX_MARK, ROCTX_PUSH, ROCTX_POP, ROCTX_START, ROCTX_STOP };

struct file {
	char *path;
	FILE *out;
	bool used;
};

/* Which APIs it calls: that decides how its operations are reported. */
struct process {
	uint32_t pid;
	bool calls_hip, calls_hsa;
	UT_hash_handle hh;
};

/* Ranges of a thread. */
struct thread {
	struct thread_key {
		uint32_t pid, tid;
	} key;
	struct nest ranges;
	UT_hash_handle hh;
};

struct roctracer {
	struct sink sink;
	struct outfolder folder;
	struct file files[FILES];
	struct csv_stats stats[FILES - STATS];
	struct process *processes;
	struct thread *threads;
	struct textbuf line, values;
};

static void check(struct roctracer *r, int err)
{
	if (err)
		sink__fail(&r->sink, err);
}

/* ---- files ---- */

static int open_file(struct roctracer *r, int which)
{
	struct file *f = &r->files[which];

	f->path = output_folder__path(&r->folder, names[which]);
	if (!f->path)
		return -ENOMEM;
	f->out = output_file__open(f->path);
	return f->out ? 0 : -errno;
}

static int close_file(struct file *f, bool keep)
{
	bool failed = f->out && ferror(f->out);
	int err = 0;

	errno = 0;
	if (f->out && fclose(f->out))
		failed = true;
	if (failed)
		err = errno ? -errno : -EIO;
	if (f->out && !(keep && f->used))
		output_file__remove(f->path);
	free(f->path);
	return err;
}

static int close_files(struct roctracer *r, bool keep)
{
	bool used = false;
	int err = 0, e;

	for (int i = 0; i < BEGIN; i++)
		used |= r->files[i].used;
	used &= keep;
	for (int i = 0; i < FILES; i++) {
		e = close_file(&r->files[i], used);
		err = err ? err : e;
	}
	output_folder__close(&r->folder, !used);
	return err;
}

static void end_line(struct roctracer *r, int which)
{
	struct file *f = &r->files[which];

	text_buffer__char(&r->line, '\n');
	if (r->line.failed)
		sink__fail(&r->sink, -ENOMEM);
	else
		fwrite_unlocked(r->line.data, 1, r->line.len, f->out);
	f->used = true;
	text_buffer__reset(&r->line);
}

static void count(struct roctracer *r, int which, const char *name, const struct event *ev)
{
	check(r, csv_statistics__add(&r->stats[which], name, ev->end - ev->begin));
}

/* ---- parts of lines ---- */

static void put_text(struct textbuf *line, const char *text)
{
	text_buffer__escaped(line, text, strlen(text), '\0');
}

/* "a:b " */
static void put_pair(struct textbuf *line, uint64_t a, uint64_t b)
{
	text_buffer__uint(line, a);
	text_buffer__char(line, ':');
	text_buffer__uint(line, b);
	text_buffer__char(line, ' ');
}

/* ---- calls ---- */

struct values {
	struct textbuf *line;
	bool named; /* name=value */
	bool any;
	size_t last; /* where the value before begins */
};

/* Addresses alone: what is known of them has a place of its own. */
static size_t value_length(const char *text, size_t len)
{
	const char *blank = strncmp(text, "0x", 2) ? NULL : memchr(text, ' ', len);

	return blank ? (size_t)(blank - text) : len;
}

static void put_value(const struct arg_value *value, void *arg)
{
	struct values *v = arg;
	bool behind = value->name && *value->name == '*';

	/* The value that a pointer points to replaces the pointer. */
	if (behind && v->any)
		v->line->len = v->last;
	else if (v->any)
		text_buffer__str(v->line, ", ");
	if (v->named && !behind) {
		text_buffer__str(v->line, value->name ? value->name : "");
		text_buffer__char(v->line, '=');
	}
	v->any = true;
	v->last = v->line->len;
	if (value->is_string)
		text_buffer__char(v->line, '"');
	text_buffer__escaped(v->line, value->text, value_length(value->text, value->len),
			     value->is_string ? '"' : '\0');
	if (value->is_string)
		text_buffer__char(v->line, '"');
}

static void put_result(const struct arg_value *value, void *arg)
{
	put_text(arg, value->text);
}

static void put_call(struct roctracer *r, const struct event *ev)
{
	bool hip = ev->domain == DOMAIN_HIP;
	struct values v = {&r->line, hip, false, 0};

	put_pair(&r->line, ev->begin, ev->end);
	put_pair(&r->line, ev->pid, ev->tid);
	put_text(&r->line, event__name(ev));
	text_buffer__char(&r->line, '(');
	call_arguments__each(&r->values, ev->api, ev->values, ARGS_TEXTS, put_value, &v);
	text_buffer__char(&r->line, ')');
	if (!hip) {
		text_buffer__str(&r->line, " = ");
		if (!call_arguments__return(&r->values, ev->api, ev->values, put_result, &r->line))
			text_buffer__str(&r->line, ev->values->returned ? "void" : "?");
	} else if (ev->kernel) {
		text_buffer__str(&r->line, " kernel=");
		put_text(&r->line, ev->kernel);
	}
	text_buffer__str(&r->line, " :");
	text_buffer__uint(&r->line, ev->corr);
	end_line(r, hip ? HIP : HSA);
	count(r, hip ? HIP : HSA, event__name(ev), ev);
}

static struct process *get_process(struct roctracer *r, uint32_t pid)
{
	struct process *p;

	HASH_FIND_OR_ADD(r->processes, pid, pid, p);
	return p;
}

static void add_call(struct roctracer *r, const struct event *ev)
{
	struct process *p;

	if (ev->domain != DOMAIN_HIP && ev->domain != DOMAIN_HSA)
		return;
	p = get_process(r, ev->pid);
	if (!p) {
		sink__fail(&r->sink, -ENOMEM);
		return;
	}
	p->calls_hip |= ev->domain == DOMAIN_HIP;
	p->calls_hsa |= ev->domain == DOMAIN_HSA;
	put_call(r, ev);
}

/* ---- operations ---- */

static const char *copy_name(enum copy_dir dir)
{
	switch (dir) {
	case COPY_H2D:
		return "CopyHostToDevice";
	case COPY_D2H:
		return "CopyDeviceToHost";
	case COPY_D2D:
		return "CopyDeviceToDevice";
	case COPY_H2H:
		return "CopyHostToHost";
	case COPY_FILL:
		return "Fill";
	default:
		return "Copy";
	}
}

/* An operation of HIP's, under the application's call. */
static void put_operation(struct roctracer *r, const struct event *ev)
{
	put_pair(&r->line, ev->begin, ev->end);
	text_buffer__int(&r->line, ev->gpu.device);
	text_buffer__char(&r->line, ':');
	text_buffer__uint(&r->line, ev->gpu.queue);
	text_buffer__char(&r->line, ' ');
	if (ev->kind == EV_DISPATCH)
		kernel_short_name__put_last(&r->line, event__name(ev));
	else
		text_buffer__str(&r->line, ev->kind == EV_COPY ? copy_name(ev->gpu.dir) : "Marker");
	text_buffer__char(&r->line, ':');
	text_buffer__uint(&r->line, ev->root);
	text_buffer__char(&r->line, ':');
	text_buffer__uint(&r->line, ev->pid);
	end_line(r, OPS);
}

/* A copy of HSA's, under the call that submitted it. */
static void put_copy(struct roctracer *r, const struct event *ev)
{
	put_pair(&r->line, ev->begin, ev->end);
	text_buffer__str(&r->line, "async-copy:");
	text_buffer__uint(&r->line, ev->corr);
	text_buffer__char(&r->line, ':');
	text_buffer__uint(&r->line, ev->pid);
	end_line(r, COPIES);
}

static void add_operation(struct roctracer *r, const struct event *ev)
{
	struct process *p = get_process(r, ev->pid);
	bool of_hip;

	if (ev->flags & EV_F_NO_TIMES)
		return;
	if (!p) {
		sink__fail(&r->sink, -ENOMEM);
		return;
	}
	/* A call that is inside of another is HSA's, and the other HIP's. */
	of_hip = p->calls_hip || !p->calls_hsa || ev->root != ev->corr;
	if (of_hip && ev->root)
		put_operation(r, ev);
	else if (!of_hip && ev->kind == EV_COPY)
		put_copy(r, ev);
	if (ev->kind == EV_COPY)
		count(r, COPIES, copy_name(ev->gpu.dir), ev);
	else
		count(r, OPS, ev->kind == EV_BARRIER ? "<barrier packet>" : event__name(ev), ev);
}

/* ---- ranges and marks ---- */

static void put_roctx(struct roctracer *r, uint64_t time, struct thread_key key, int operation,
		      uint64_t id, const char *message)
{
	text_buffer__uint(&r->line, time);
	text_buffer__char(&r->line, ' ');
	put_pair(&r->line, key.pid, key.tid);
	text_buffer__uint(&r->line, operation);
	text_buffer__char(&r->line, ':');
	text_buffer__uint(&r->line, id);
	text_buffer__str(&r->line, ":\"");
	put_text(&r->line, message);
	text_buffer__char(&r->line, '"');
	end_line(r, ROCTX);
}

/* What slice_order__write's functions get. */
struct nested {
	struct roctracer *r;
	struct thread_key key;
};

static void put_push(void *arg, uint64_t time, const void *data, size_t len)
{
	const struct nested *n = arg;

	put_roctx(n->r, time, n->key, ROCTX_PUSH, 0, data);
}

static void put_pop(void *arg, uint64_t time)
{
	const struct nested *n = arg;

	put_roctx(n->r, time, n->key, ROCTX_POP, 0, "");
}

static struct thread *get_thread(struct roctracer *r, struct thread_key key)
{
	struct thread *t;

	HASH_FIND_OR_ADD(r->threads, key, key, t);
	return t;
}

static void put_ranges(struct roctracer *r, struct thread *t)
{
	struct nested nested = {r, t->key};

	slice_order__write(&t->ranges, put_push, put_pop, &nested);
}

static void add_range(struct roctracer *r, const struct event *ev)
{
	struct thread_key key = {ev->pid, ev->tid};
	const char *message = event__name(ev);
	struct thread *t;
	int complete;

	if (ev->flags & EV_F_PROCESS) {
		put_roctx(r, ev->begin, key, ROCTX_START, ev->range.id, message);
		put_roctx(r, ev->end, key, ROCTX_STOP, ev->range.id, "");
		return;
	}
	t = get_thread(r, key);
	complete = t ? slice_order__add(&t->ranges, ev, message, strlen(message) + 1) : -ENOMEM;
	if (complete < 0)
		sink__fail(&r->sink, complete);
	else if (complete)
		put_ranges(r, t);
}

static void roctracer_event(struct sink *sink, const struct event *ev)
{
	struct roctracer *r = (struct roctracer *)sink;

	if (ev->kind == EV_SPAN)
		add_call(r, ev);
	else if (ev->kind == EV_RANGE)
		add_range(r, ev);
	else if (ev->kind == EV_MARK)
		put_roctx(r, ev->begin, (struct thread_key){ev->pid, ev->tid}, ROCTX_MARK, 0,
			  event__name(ev));
	else if (ev_is_operation(ev->kind))
		add_operation(r, ev);
}

static void roctracer_flush(struct sink *sink, const struct trace_stats *stats)
{
	struct roctracer *r = (struct roctracer *)sink;

	for (int i = 0; i < FILES; i++)
		if (fflush(r->files[i].out))
			check(r, -errno);
}

/* ---- open and close ---- */

static void free_roctracer(struct roctracer *r)
{
	struct process *p, *next_process;
	struct thread *t, *next_thread;

	HASH_ITER (hh, r->processes, p, next_process) {
		HASH_DEL(r->processes, p);
		free(p);
	}
	HASH_ITER (hh, r->threads, t, next_thread) {
		HASH_DEL(r->threads, t);
		slice_order__free(&t->ranges);
		free(t);
	}
	for (int i = 0; i < FILES - STATS; i++)
		csv_statistics__free(&r->stats[i]);
	text_buffer__free(&r->line);
	text_buffer__free(&r->values);
	free(r);
}

static void put_begin(struct roctracer *r, const struct trace_origin *origin)
{
	text_buffer__uint(&r->line, origin->clocks.boot_ns);
	end_line(r, BEGIN);
}

static struct sink *roctracer_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct roctracer *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return NULL;
	r->sink.ops = &sink_roctracer;
	err = output_folder__open(&r->folder, to->path);
	for (int i = 0; i < FILES && !err; i++)
		err = open_file(r, i);
	if (!err) {
		put_begin(r, origin);
		return &r->sink;
	}
	close_files(r, false);
	free_roctracer(r);
	errno = -err;
	return NULL;
}

static void put_stats(struct roctracer *r, int which)
{
	struct file *f = &r->files[STATS + which];
	struct csv_stats *stats = &r->stats[which];

	if (!stats->all.calls)
		return;
	f->used = true;
	check(r, csv_writer__header(&r->line, f->out, CSV_STATS_SHORT_HEADER));
	check(r, csv_statistics__write_short(stats, &r->line, f->out));
}

static int roctracer_close(struct sink *sink, const struct trace_stats *stats)
{
	struct roctracer *r = (struct roctracer *)sink;
	int err;

	for (struct thread *t = r->threads; t; t = t->hh.next)
		put_ranges(r, t);
	for (int i = 0; i < FILES - STATS; i++)
		put_stats(r, i);
	check(r, close_files(r, true));
	err = sink->error;
	free_roctracer(r);
	return err;
}

static void roctracer_discard(struct sink *sink)
{
	struct roctracer *r = (struct roctracer *)sink;

	close_files(r, false);
	free_roctracer(r);
}

const struct sink_ops sink_roctracer = {
	.name = "roctracer",
	.help = "rocprof's and roctracer's text files and tables",
	.own_files = "/*",
	.open = roctracer_open,
	.process = sink__ignore_process,
	.thread = sink__ignore_thread,
	.device = sink__ignore_device,
	.event = roctracer_event,
	.flush = roctracer_flush,
	.close = roctracer_close,
	.discard = roctracer_discard,
};
