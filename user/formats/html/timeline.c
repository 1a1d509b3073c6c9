// SPDX-License-Identifier: MIT
/*
 * Events become spans of rows; calls, kernels, copies and ranges are kept apart, so that the many
 * of one kind do not crowd out the others.
 */
#include "user/formats/html/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "user/formats/html/rows.h"
#include "user/formats/html/spans.h"

#define TEXT_MAX 400 /* bytes of a call's arguments */

/* In a span's flags, beside EV_F_*. */
#define SPAN_FAILED  0x1000
#define SPAN_INSTANT 0x2000 /* how long it took is not known, or it is a mark */
#define SPAN_BARRIER 0x4000

enum pool { CALLS, KERNELS, COPIES, RANGES, POOLS };

static const struct {
	const char *name;
	size_t limit;
} pools[POOLS] = {
	[CALLS] = {"calls", TIMELINE_CALLS},
	[KERNELS] = {"kernels", TIMELINE_KERNELS},
	[COPIES] = {"copies", TIMELINE_COPIES},
	[RANGES] = {"ranges", TIMELINE_RANGES},
};

struct timeline {
	struct names *names;
	struct rows rows;
	struct spans *spans[POOLS];
	uint64_t told[POOLS];
	struct textbuf text;
	int error;
};

/* ---- what the timeline receives ---- */

static void drop(const struct span *span, void *arg)
{
	struct timeline *t = arg;
	int err =
		density__add(&t->rows.all[span->row]->density, span->begin, span->begin + span->ns);

	if (err)
		t->error = err;
}

static bool is_complete(const struct timeline *t)
{
	for (int i = 0; i < POOLS; i++)
		if (!t->spans[i])
			return false;
	return t->rows.count;
}

struct timeline *timeline__new(struct names *names)
{
	struct timeline *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->names = names;
	for (int i = 0; i < POOLS; i++)
		t->spans[i] = spans__new(pools[i].limit, drop, t);
	if (!rows__init(&t->rows) && is_complete(t))
		return t;
	timeline__free(t);
	return NULL;
}

void timeline__free(struct timeline *t)
{
	if (!t)
		return;
	for (int i = 0; i < POOLS; i++)
		spans__free(t->spans[i]);
	rows__free(&t->rows);
	text_buffer__free(&t->text);
	free(t);
}

int timeline__thread(struct timeline *t, const struct thread_info *info)
{
	struct row *row = rows__get(
		&t->rows,
		(struct row_key){.kind = ROW_CALLS, .pid = info->pid, .owner = info->tid});
	char *name = strdup(info->comm);

	if (!row || !name) {
		free(name);
		return -ENOMEM;
	}
	free(row->name);
	row->name = name;
	return 0;
}

static enum pool pool_of(const struct event *ev)
{
	if (ev->kind == EV_SPAN)
		return CALLS;
	if (ev->kind == EV_COPY)
		return COPIES;
	return ev_is_operation(ev->kind) ? KERNELS : RANGES;
}

static struct row *row_of(struct timeline *t, const struct event *ev)
{
	struct row_key key = {.pid = ev->pid, .owner = ev->tid};

	if (ev->kind == EV_SPAN) {
		key.kind = ROW_CALLS;
	} else if (ev_is_operation(ev->kind)) {
		key.kind = ev->kind == EV_COPY ? ROW_COPIES : ROW_QUEUE;
		key.owner = ev->gpu.device;
		key.unit = ev->kind == EV_COPY ? ev->gpu.dir : ev->gpu.queue;
	} else if (ev->kind == EV_GAP || ev->flags & EV_F_PROCESS) {
		key.kind = ev->kind == EV_GAP ? ROW_GAPS : ROW_PROCESS_RANGES;
		key.owner = 0;
	} else {
		key.kind = ROW_RANGES;
	}
	return rows__get(&t->rows, key);
}

static uint32_t flags_of(const struct event *ev)
{
	uint32_t flags = ev->flags;

	if (ev->kind == EV_MARK || flags & (EV_F_ENTRY | EV_F_NO_TIMES))
		flags |= SPAN_INSTANT;
	if (ev->kind == EV_BARRIER)
		flags |= SPAN_BARRIER;
	return flags;
}

/* The arguments, the result and the callers: "(ptr=0x7f00, size=4) = hipSuccess". */
static char *call_text(struct textbuf *text, const struct event *ev)
{
	text_buffer__reset(text);
	text_buffer__char(text, '(');
	call_arguments__put(text, ev->api, ev->values);
	text_buffer__char(text, ')');
	call_arguments__put_return(text, ev->api, ev->values);
	for (uint32_t i = 0; i < ev->stack_depth && text->len < TEXT_MAX; i++) {
		text_buffer__str(text, i ? " < " : ", called by ");
		text_buffer__escaped(text, ev->stack[i], strlen(ev->stack[i]), 0);
	}
	if (text->len > TEXT_MAX) {
		text->len = TEXT_MAX;
		text_buffer__str(text, "...");
	}
	return text->failed ? NULL : strdup(text_buffer__string(text));
}

static void put_sizes(struct textbuf *text, const uint32_t sizes[3])
{
	for (int i = 0; i < 3; i++) {
		if (i)
			text_buffer__char(text, 'x');
		text_buffer__uint(text, sizes[i]);
	}
}

/* How a kernel was launched, which is mostly as it was before. */
static uint32_t launch_name(struct timeline *t, const struct gpu_info *gpu)
{
	struct textbuf *text = &t->text;

	text_buffer__reset(text);
	text_buffer__str(text, "grid ");
	put_sizes(text, gpu->grid);
	text_buffer__str(text, ", block ");
	put_sizes(text, gpu->workgroup);
	if (gpu->lds) {
		text_buffer__str(text, ", LDS ");
		text_buffer__uint(text, gpu->lds);
	}
	if (gpu->scratch) {
		text_buffer__str(text, ", scratch ");
		text_buffer__uint(text, gpu->scratch);
	}
	return name_table__message(t->names, text_buffer__string(text));
}

static int fill_call(struct timeline *t, struct span *span, const struct event *ev)
{
	span->link = ev->parent;
	span->stream = ev->stream;
	if (!ev->values)
		return 0;
	if (ev->api && call_arguments__failed(ev->api, ev->values))
		span->flags |= SPAN_FAILED;
	span->text = call_text(&t->text, ev);
	return span->text ? 0 : -ENOMEM;
}

static void fill_operation(struct timeline *t, struct span *span, const struct event *ev)
{
	span->link = ev->root;
	span->stream = ev->gpu.stream;
	span->submit = ev->gpu.submit;
	if (ev->kind == EV_COPY)
		span->amount = ev->gpu.bytes;
	else if (ev->kind == EV_DISPATCH)
		span->detail = launch_name(t, &ev->gpu);
}

int timeline__event(struct timeline *t, const struct event *ev, uint32_t name)
{
	enum pool pool = pool_of(ev);
	struct row *row = row_of(t, ev);
	struct span span = {
		.begin = ev->begin,
		.ns = ev->end - ev->begin,
		.corr = ev->kind == EV_RANGE ? ev->range.id : ev->corr,
		.name = name,
		.stream = STREAM_NONE,
	};
	int err = 0;

	if (!row)
		return -ENOMEM;
	t->told[pool]++;
	row->spans++;
	if (!row->number)
		return 0;
	span.row = row->number;
	if (spans__wants(t->spans[pool], &span)) {
		span.flags = flags_of(ev);
		if (pool == CALLS)
			err = fill_call(t, &span, ev);
		else if (pool != RANGES)
			fill_operation(t, &span, ev);
	}
	err = err ? err : spans__add(t->spans[pool], &span);
	return err ? err : t->error;
}

/* ---- what is written ---- */

struct kept {
	struct span *all;
	size_t count, at; /* what is before is written */
};

struct writer {
	struct timeline *t;
	struct jsonout *to;
	struct names *texts; /* of calls, each once */
	struct bytes bytes;
	struct kept kept[POOLS];
	uint64_t zero;
	size_t with_text; /* of the calls */
};

/* The longest calls get theirs, as long as there is room. */
static void limit_texts(struct writer *w)
{
	const struct kept *calls = &w->kept[CALLS];
	size_t bytes = 0, i;

	for (i = 0; i < calls->count; i++) {
		struct span *span = &calls->all[i];

		bytes += span->text ? strlen(span->text) : 0;
		if (bytes > TIMELINE_TEXTS)
			break;
		w->with_text += span->text != NULL;
	}
	for (; i < calls->count; i++) {
		free(calls->all[i].text);
		calls->all[i].text = NULL;
	}
}

static uint64_t since(uint64_t zero, uint64_t time)
{
	return time > zero ? time - zero : 0;
}

/* See html.md. */
static void put_span(struct writer *w, const struct span *s, const struct span *last,
		     enum row_kind kind)
{
	struct bytes *b = &w->bytes;

	byte_buffer__put_number(b, since(w->zero, s->begin) -
					   (last ? since(w->zero, last->begin) : 0));
	byte_buffer__put_number(b, s->ns);
	byte_buffer__put_number(b, s->name);
	byte_buffer__put_number(b, s->flags);
	byte_buffer__put_change(b, last ? last->corr : 0, s->corr);
	if (kind != ROW_CALLS && kind != ROW_QUEUE && kind != ROW_COPIES)
		return;
	byte_buffer__put_number(b, s->stream == STREAM_NONE ? 0 : (uint64_t)s->stream + 1);
	if (s->link)
		byte_buffer__put_change(b, s->corr, s->link);
	else
		byte_buffer__put_number(b, 0);
	if (kind == ROW_CALLS) {
		byte_buffer__put_number(b, s->text ? name_table__id(w->texts, s->text) : 0);
		return;
	}
	byte_buffer__put_change(b, s->submit, s->begin);
	byte_buffer__put_number(b, kind == ROW_COPIES ? s->amount : s->detail);
}

static enum pool pool_of_row(enum row_kind kind)
{
	if (kind == ROW_CALLS)
		return CALLS;
	if (kind == ROW_COPIES)
		return COPIES;
	return kind == ROW_QUEUE ? KERNELS : RANGES;
}

/* Those of the row, which come next of their kind; their number. */
static size_t put_spans(struct writer *w, const struct row *row)
{
	struct kept *kept = &w->kept[pool_of_row(row->key.kind)];
	const struct span *last = NULL;
	size_t begin = kept->at;

	w->bytes.len = 0;
	for (; kept->at < kept->count && kept->all[kept->at].row == row->number; kept->at++) {
		put_span(w, &kept->all[kept->at], last, row->key.kind);
		last = &kept->all[kept->at];
	}
	json_yajl__base64(w->to, "spans", w->bytes.data, w->bytes.len);
	return kept->at - begin;
}

static void put_density(struct writer *w, const struct density *d)
{
	uint64_t first = d->first << d->shift;

	if (!d->cells)
		return;
	w->bytes.len = 0;
	density__write(d, &w->bytes);
	/* The first cell may begin before time does here. */
	json_yajl__i64(w->to, "cells_from", (int64_t)(first - w->zero));
	json_yajl__u64(w->to, "cell_ns", 1ULL << d->shift);
	json_yajl__base64(w->to, "cells", w->bytes.data, w->bytes.len);
}

static void put_row(struct writer *w, const struct row *row)
{
	static const char *const kinds[ROW_KINDS] = {
		[ROW_FURTHER] = "further", [ROW_GAPS] = "gaps",
		[ROW_RANGES] = "ranges",   [ROW_PROCESS_RANGES] = "process ranges",
		[ROW_CALLS] = "calls",	   [ROW_QUEUE] = "queue",
		[ROW_COPIES] = "copies",
	};

	json_yajl__open_map(w->to, NULL);
	json_yajl__string(w->to, "kind", kinds[row->key.kind]);
	json_yajl__u64(w->to, "pid", row->key.pid);
	json_yajl__i64(w->to, "owner", (int32_t)row->key.owner);
	json_yajl__u64(w->to, "unit", row->key.unit);
	if (row->name) {
		text_buffer__reset(&w->t->text);
		text_buffer__escaped(&w->t->text, row->name, strlen(row->name), 0);
		json_yajl__string(w->to, "name", text_buffer__string(&w->t->text));
	}
	json_yajl__u64(w->to, "count", row->spans);
	json_yajl__u64(w->to, "shown", put_spans(w, row));
	put_density(w, &row->density);
	json_yajl__close_map(w->to);
}

static void put_shown(struct writer *w)
{
	json_yajl__open_map(w->to, "shown");
	for (int i = 0; i < POOLS; i++) {
		json_yajl__open_map(w->to, pools[i].name);
		json_yajl__u64(w->to, "shown", w->kept[i].count);
		json_yajl__u64(w->to, "all", w->t->told[i]);
		json_yajl__close_map(w->to);
	}
	json_yajl__u64(w->to, "with_arguments", w->with_text);
	json_yajl__u64(w->to, "in_further_rows", w->t->rows.all[0]->spans);
	json_yajl__close_map(w->to);
}

static void put_texts(struct writer *w)
{
	json_yajl__open_array(w->to, "texts");
	for (uint32_t i = 0; i < name_table__count(w->texts); i++)
		json_yajl__string(w->to, NULL, i ? name_table__text(w->texts, i) : "");
	json_yajl__close_array(w->to);
}

int timeline__write(struct timeline *t, struct jsonout *to, uint64_t zero)
{
	struct writer w = {.t = t, .to = to, .zero = zero, .texts = name_table__new()};
	int err;

	if (!w.texts)
		return -ENOMEM;
	for (int i = 0; i < POOLS; i++)
		w.kept[i].all = spans__end(t->spans[i], &w.kept[i].count);
	limit_texts(&w);
	for (int i = 0; i < POOLS; i++)
		spans__by_row(w.kept[i].all, w.kept[i].count);
	put_shown(&w);
	json_yajl__open_array(to, "rows");
	for (uint32_t i = 1; i < t->rows.count; i++)
		if (t->rows.all[i]->spans)
			put_row(&w, t->rows.all[i]);
	json_yajl__close_array(to);
	put_texts(&w);
	err = w.bytes.failed ? -ENOMEM : t->error;
	byte_buffer__free(&w.bytes);
	name_table__free(w.texts);
	return err;
}
