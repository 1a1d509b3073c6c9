// SPDX-License-Identifier: MIT
/*
 * Replays records through the reorder buffer and the merge: each file of tests/unit/replay/ has
 * records and, after a line "--", the events expected from them, in any order.
 *
 * Times are ns, keywords have defaults: pid=10, tid=10.
 *
 *   task TS comm=NAME                         the thread's first traced call
 *   call BEGIN END FUNCTION corr=N [parent=N root=N depth=N] [unfinished|unwound|entry] [text=TEXT]
 *   fork TS child=PID      thread TS child=TID corr=N      exec TS      exit TS [last]
 *   dispatch TS KERNEL op=N                   submitted at its doorbell
 *   ended TS BEGIN END op=N                   0 0: nobody knows when
 *   gap TS BEGIN END                          calls of the process may be missing
 *
 * An event: BEGIN END KIND NAME pid=N tid=N, and where it has them corr= parent= root= depth=,
 * "ranged" (a roctx range was open), and its flags by name.
 */
#include <glob.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "user/api/functions.h"
#include "user/merge/merge.h"
#include "user/merge/reorder_buffer.h"
#include "user/merge/task_names.h"
#include "user/output/sink.h"

#define FOLDER	   "tests/unit/replay"
#define LINES_MAX  64
#define LINE_BYTES 256
#define NEVER	   UINT64_MAX

struct lines {
	char text[LINES_MAX][LINE_BYTES];
	size_t count;
};

static struct lines emitted;

/* ---- events ---- */

static const char *const kinds[] = {
	[EV_SPAN] = "call",	    [EV_RANGE] = "range", [EV_MARK] = "mark",
	[EV_DISPATCH] = "dispatch", [EV_COPY] = "copy",	  [EV_BARRIER] = "barrier",
	[EV_GAP] = "gap",
};

static void put_number(char *line, const char *name, uint64_t value)
{
	size_t len = strlen(line);

	if (value)
		snprintf(line + len, LINE_BYTES - len, " %s=%" PRIu64, name, value);
}

static void put_word(char *line, const char *word)
{
	size_t len = strlen(line);

	if (*word)
		snprintf(line + len, LINE_BYTES - len, " %s", word);
}

static void emit(struct sink *sink, const struct event *ev)
{
	char *line = emitted.text[emitted.count++], flags[FORMAT_LEN];
	bool call = ev->kind == EV_SPAN, gpu = ev_is_operation(ev->kind);

	assert_in_range(emitted.count, 1, LINES_MAX);
	snprintf(line, LINE_BYTES, "%" PRIu64 " %" PRIu64 " %s %s pid=%u tid=%u", ev->begin,
		 ev->end, kinds[ev->kind], event__name(ev), ev->pid, ev->tid);
	if (call || gpu)
		put_number(line, "corr", ev->corr);
	if (call)
		put_number(line, "parent", ev->parent);
	if (call || gpu)
		put_number(line, "root", ev->root);
	if (call)
		put_number(line, "depth", ev->depth);
	put_word(line, (call || gpu) && ev->in_range ? "ranged" : "");
	put_word(line, event__flags_text(flags, ev->flags));
}

static int close_sink(struct sink *sink, const struct trace_stats *stats)
{
	free(sink);
	return 0;
}

static struct sink *open_sink(const struct sink_target *to, const struct trace_origin *origin);

static const struct sink_ops sink_replay = {
	.name = "replay",
	.open = open_sink,
	.process = sink__ignore_process,
	.thread = sink__ignore_thread,
	.device = sink__ignore_device,
	.event = emit,
	.close = close_sink,
};

static struct sink *open_sink(const struct sink_target *to, const struct trace_origin *origin)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	sink->ops = &sink_replay;
	return sink;
}

/* ---- records ---- */

/* What no record of the kernel is: an operation, and a gap. */
enum {
	SUBMITTED = 1000,
	ENDED,
	GAP,
};

struct item {
	struct rt_rec h;
	uint64_t begin, end, op;
	char name[64];
};

struct scenario {
	struct trace trace;
	struct selection selection;
	struct output_names names;
	struct operations *operations;
	struct merge *merge;
	struct order *order;
};

static uint64_t number(const char *line, const char *name, uint64_t otherwise)
{
	const char *at = strstr(line, name);

	return at ? strtoull(at + strlen(name), NULL, 0) : otherwise;
}

static bool word(const char *line, const char *text)
{
	const char *at = strstr(line, text);

	return at && at[-1] == ' ' && strchr(" \n", at[strlen(text)]);
}

static struct rt_rec header(const char *line, uint16_t kind, uint16_t size, uint64_t ts)
{
	uint32_t pid = number(line, " pid=", 10);

	return (struct rt_rec){.kind = kind,
			       .size = size,
			       .ts = ts,
			       .pid = pid,
			       .tid = number(line, " tid=", pid)};
}

static void push(struct scenario *s, const void *rec)
{
	const struct rt_rec *h = rec;

	assert_int_equal(reorder_buffer__push(s->order, h->ts, rec, h->size), 0);
}

/* The string that the first argument points to, as the kernel has read it. */
static uint16_t put_text(struct rt_rec_span *span, const struct function *fn, const char *line)
{
	struct rt_item *item = (void *)(span + 1);
	const char *text = strstr(line, " text=");
	uint8_t i = 0;

	if (!text)
		return sizeof(*span);
	while (fn->plan.read[i].kind != RT_READ_STRING || fn->plan.read[i].word != 0)
		assert_true(++i < fn->plan.reads);
	text += strlen(" text=");
	*item = (struct rt_item){RT_ITEM_READ, i, strcspn(text, "\n"), 0};
	memcpy(item + 1, text, item->len);
	return sizeof(*span) + sizeof(*item) + (item->len + 7) / 8 * 8;
}

static void push_call(struct scenario *s, const char *line, uint64_t begin, uint64_t end,
		      const char *name)
{
	const struct function *fn = functions__get(s->trace.fns, name);
	uint64_t buf[128] = {};
	struct rt_rec_span *span = (void *)buf;

	assert_non_null(fn);
	span->h = header(line, RT_REC_SPAN, 0, end);
	span->h.flags = (word(line, "unfinished") ? RT_SPAN_UNFINISHED : 0) |
			(word(line, "unwound") ? RT_SPAN_UNWOUND : 0) |
			(word(line, "entry") ? RT_SPAN_ENTRY : 0);
	span->begin = begin;
	span->corr = number(line, " corr=", 0);
	span->parent = number(line, " parent=", 0);
	span->root = number(line, " root=", span->corr);
	span->depth = number(line, " depth=", 0);
	span->func = fn->id;
	span->args[0] = number(line, " arg=", 0);
	span->ret = number(line, " ret=", 0);
	span->h.size = put_text(span, fn, line);
	push(s, span);
}

static void push_item(struct scenario *s, const char *line, uint16_t kind, uint64_t ts,
		      const char *name)
{
	struct item item = {.h = header(line, kind, sizeof(item), ts)};

	item.op = number(line, " op=", 0);
	if (kind != SUBMITTED)
		assert_int_equal(
			sscanf(line, "%*s %*u %" SCNu64 " %" SCNu64, &item.begin, &item.end), 2);
	snprintf(item.name, sizeof(item.name), "%s", name);
	push(s, &item);
}

static void push_fork(struct scenario *s, const char *line, uint16_t kind, uint64_t ts)
{
	struct rt_rec_fork rec = {.h = header(line, kind, sizeof(rec), ts)};

	rec.child = number(line, " child=", 0);
	rec.corr = number(line, " corr=", 0);
	push(s, &rec);
}

static void push_task(struct scenario *s, const char *line, uint64_t ts)
{
	struct rt_rec_task rec = {.h = header(line, RT_REC_TASK, sizeof(rec), ts)};

	sscanf(strstr(line, " comm=") + strlen(" comm="), "%15s", rec.comm);
	rec.ns_tid = rec.h.tid;
	push(s, &rec);
}

static void push_line(struct scenario *s, const char *line)
{
	char what[16], name[64] = "";
	uint64_t ts, end = 0;
	struct rt_rec rec;

	assert_true(sscanf(line, "%15s %" SCNu64 " %63s", what, &ts, name) >= 2);
	if (!strcmp(what, "call")) {
		assert_int_equal(sscanf(line, "%*s %*u %" SCNu64 " %63s", &end, name), 2);
		push_call(s, line, ts, end, name);
	} else if (!strcmp(what, "dispatch")) {
		push_item(s, line, SUBMITTED, ts, name);
	} else if (!strcmp(what, "ended")) {
		push_item(s, line, ENDED, ts, "");
	} else if (!strcmp(what, "gap")) {
		push_item(s, line, GAP, ts, "gap");
	} else if (!strcmp(what, "task")) {
		push_task(s, line, ts);
	} else if (!strcmp(what, "fork")) {
		push_fork(s, line, RT_REC_FORK, ts);
	} else if (!strcmp(what, "thread")) {
		push_fork(s, line, RT_REC_THREAD, ts);
	} else if (!strcmp(what, "exec")) {
		rec = header(line, RT_REC_EXEC, sizeof(rec), ts);
		push(s, &rec);
	} else {
		assert_string_equal(what, "exit");
		rec = header(line, RT_REC_EXIT, sizeof(rec), ts);
		rec.flags = word(line, "last") ? RT_EXIT_LAST : 0;
		push(s, &rec);
	}
}

static void submit(struct scenario *s, const struct item *item)
{
	struct event ev = {
		.kind = EV_DISPATCH,
		.domain = DOMAIN_GPU,
		.pid = item->h.pid,
		.tid = item->h.tid,
		.name = string_pool__keep(s->trace.strings, item->name, strlen(item->name)),
		.begin = item->h.ts,
		.end = item->h.ts,
		.gpu.submit = item->h.ts,
	};

	assert_int_equal(gpu_operations__submit(s->operations, s, item->op, &ev, true), 0);
}

static void on_released(const void *rec, size_t size, void *arg)
{
	const struct item *item = rec;
	struct scenario *s = arg;

	if (item->h.kind == SUBMITTED)
		submit(s, item);
	else if (item->h.kind == ENDED)
		gpu_operations__end(s->operations, s, item->op, item->begin, item->end,
				    WHY_NOT_SAID);
	else if (item->h.kind == GAP)
		merge__gap(s->merge, item->h.pid, item->name, item->begin, item->end);
	else
		merge__kernel(s->merge, rec);
}

/* ---- scenarios ---- */

static void set_up(struct scenario *s)
{
	memset(s, 0, sizeof(*s));
	emitted.count = 0;
	selection__all(&s->selection);
	assert_int_equal(trace_state__open(&s->trace, &s->selection), 0);
	s->names = task_names__of(s->trace.tasks);
	s->trace.out = output_set__new(&s->names, NULL);
	assert_int_equal(output_set__add(s->trace.out, &sink_replay, NULL, NULL), 0);
	s->operations = gpu_operations__new(&s->trace);
	s->merge = merge__new(&s->trace, s->operations);
	s->order = reorder_buffer__new();
}

static void finish(struct scenario *s, uint64_t now)
{
	reorder_buffer__release(s->order, NEVER, on_released, s);
	merge__finish(s->merge, now);
	assert_int_equal(s->trace.stats.lost_other, 0);
	output_set__close(s->trace.out, &s->trace.stats);
	merge__free(s->merge);
	gpu_operations__free(s->operations);
	reorder_buffer__free(s->order);
	trace_state__close(&s->trace);
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void sort(struct lines *l)
{
	qsort(l->text, l->count, sizeof(l->text[0]), compare);
}

static void same(const struct lines *want)
{
	for (size_t i = 0; i < want->count || i < emitted.count; i++)
		assert_string_equal(i < emitted.count ? emitted.text[i] : "(none)",
				    i < want->count ? want->text[i] : "(none)");
}

static void replay(void **state)
{
	const char *path = *state;
	struct lines want = {};
	struct scenario s;
	char line[LINE_BYTES];
	bool events = false;
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	set_up(&s);
	while (fgets(line, sizeof(line), file)) {
		if (!strcmp(line, "--\n"))
			events = true;
		else if (*line == '#' || *line == '\n')
			continue;
		else if (events)
			snprintf(want.text[want.count++], LINE_BYTES, "%.*s",
				 (int)strcspn(line, "\n"), line);
		else
			push_line(&s, line);
	}
	fclose(file);
	assert_true(events);
	finish(&s, 1000);
	sort(&want);
	sort(&emitted);
	same(&want);
}

int main(void)
{
	struct CMUnitTest tests[64] = {};
	glob_t found;
	int status;

	if (glob(FOLDER "/*.txt", 0, NULL, &found) != 0 || found.gl_pathc > 64)
		return 1;
	for (size_t i = 0; i < found.gl_pathc; i++)
		tests[i] = (struct CMUnitTest){.name = strrchr(found.gl_pathv[i], '/') + 1,
					       .test_func = replay,
					       .initial_state = found.gl_pathv[i]};
	status = _cmocka_run_group_tests("merge replay", tests, found.gl_pathc, NULL, NULL);
	globfree(&found);
	return status;
}
