// SPDX-License-Identifier: MIT
/*
 * The folded sink: time by call stack, a line a stack, as flamegraph.pl and speedscope read it; see
 * folded.md.
 *
 *   host;job (4242);step 1;hipMemcpy;hsa_amd_memory_async_copy 12345
 *   gpu;job (4242);step 1;hipLaunchKernel;gpu: vadd 20000
 *
 * Memory is bounded by how many different stacks there are, and these by calltree.h.
 */
#define HASH_NONFATAL_OOM 1
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/formats/folded/calltree.h"
#include "common/format.h"
#include "common/hash.h"
#include "common/text_buffer.h"

#define DEPTH_MAX 512 /* frames of a line; the last one has the time of deeper ones too */

struct process {
	uint32_t pid;
	struct frame *frame;
	bool ended; /* what comes of that number is another process, or is late */
	UT_hash_handle hh;
};

struct folded {
	struct sink sink;
	struct calltree *tree;
	struct process *processes;
};

static struct sink *folded_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct folded *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->tree = calltree__new();
	if (!f->tree) {
		free(f);
		return NULL;
	}
	f->sink.ops = &sink_folded;
	f->sink.out = to->out;
	return &f->sink;
}

/* ---- processes ---- */

static struct process *get_process(struct folded *f, uint32_t pid)
{
	struct process *p;

	HASH_FIND_OR_ADD(f->processes, pid, pid, p);
	return p;
}

static void name_process(struct folded *f, struct process *p, const char *comm)
{
	char name[FORMAT_LEN];

	snprintf(name, sizeof(name), "%.64s (%" PRIu32 ")", comm, p->pid);
	if (p->frame && !p->ended)
		p->frame = calltree__rename(f->tree, p->frame, name);
	else
		p->frame = calltree__child(f->tree, calltree__root(f->tree), name);
	p->ended = false;
}

static void folded_process(struct sink *sink, const struct process_info *info)
{
	struct folded *f = (struct folded *)sink;
	struct process *p = get_process(f, info->pid);

	if (p)
		name_process(f, p, info->comm);
	else
		sink__fail(sink, -ENOMEM);
}

static void folded_ended(struct sink *sink, uint32_t pid)
{
	struct process *p = get_process((struct folded *)sink, pid);

	if (p)
		p->ended = true;
}

static struct frame *process_frame(struct folded *f, uint32_t pid)
{
	struct process *p = get_process(f, pid);

	if (!p)
		return calltree__others(f->tree);
	if (!p->frame)
		name_process(f, p, "?");
	return p->frame;
}

/* ---- events ---- */

/* Keys of open frames: calls and ranges have numbers of their own. */
static uint64_t call_key(uint64_t corr)
{
	return corr << 1;
}

static uint64_t range_key(uint64_t id)
{
	return id << 1 | 1;
}

/* The key of the innermost call or range around the event; 0: its process. */
static uint64_t outer_key(const struct event *ev)
{
	if (ev->kind == EV_RANGE)
		return ev->parent ? range_key(ev->parent) : 0;
	if (ev->parent)
		return call_key(ev->parent);
	return ev->in_range ? range_key(ev->in_range) : 0;
}

static struct frame *outer_frame(struct folded *f, const struct event *ev, uint64_t key)
{
	struct frame *process = process_frame(f, ev->pid), *outer;

	if (!key)
		return process;
	outer = calltree__open(f->tree, key, process);
	return outer ? outer : calltree__others(f->tree);
}

/* "main+0x12 (app)": the function, wherever in it the call was made. */
static struct frame *add_caller(struct folded *f, struct frame *below, const char *text)
{
	const char *offset = strstr(text, "+0x"), *file = strrchr(text, '(');
	char name[512];

	if (!offset || !file || file < offset)
		return calltree__child(f->tree, below, text);
	snprintf(name, sizeof(name), "%.*s %s", (int)(offset - text), text, file);
	return calltree__child(f->tree, below, name);
}

/* The callers of an outermost call. Inner calls have their callers among the frames anyway. */
static struct frame *add_callers(struct folded *f, struct frame *below, const struct event *ev)
{
	if (ev->kind != EV_SPAN || ev->parent)
		return below;
	for (uint32_t i = ev->stack_depth; i-- > 0;)
		below = add_caller(f, below, ev->stack[i]);
	return below;
}

/* A call or range. Its own time is what passed in none of those inside of it. */
static void add_slice(struct folded *f, const struct event *ev, uint64_t key)
{
	uint64_t outer = outer_key(ev), took = ev->end - ev->begin, inner;
	struct frame *below = add_callers(f, outer_frame(f, ev, outer), ev), *frame;

	frame = calltree__settle(f->tree, key, below, event__name(ev), &inner);
	calltree__add(frame, CALLTREE_HOST, took > inner ? took - inner : 0);
	calltree__add_inner(f->tree, outer, took);
	if (ev->flags & EV_F_LAUNCHED)
		calltree__remember(f->tree, ev->corr, frame);
}

static struct frame *launch_frame(struct folded *f, const struct event *ev)
{
	struct frame *process = process_frame(f, ev->pid), *frame;

	if (!ev->corr)
		return calltree__child(f->tree, process, "(no call)");
	frame = calltree__recall(f->tree, ev->corr);
	if (!frame)
		frame = calltree__open(f->tree, call_key(ev->corr), process);
	return frame ? frame : calltree__others(f->tree);
}

static void add_operation(struct folded *f, const struct event *ev)
{
	struct textbuf name = {};
	struct frame *frame = launch_frame(f, ev);

	if (ev->flags & EV_F_NO_TIMES)
		return;
	text_buffer__str(&name, "gpu: ");
	text_buffer__str(&name,
			 ev->kind == EV_COPY ? event__copy_title(ev->gpu.dir) : event__name(ev));
	frame = calltree__child(f->tree, frame, text_buffer__string(&name));
	calltree__add(frame, CALLTREE_GPU, ev->end - ev->begin);
	text_buffer__free(&name);
}

static void folded_event(struct sink *sink, const struct event *ev)
{
	struct folded *f = (struct folded *)sink;

	if (ev->kind == EV_SPAN)
		add_slice(f, ev, call_key(ev->corr));
	else if (ev->kind == EV_RANGE && !(ev->flags & EV_F_PROCESS))
		add_slice(f, ev, range_key(ev->range.id));
	else if (ev_is_operation(ev->kind))
		add_operation(f, ev);
}

/* ---- lines ---- */

struct lines {
	FILE *out;
	enum calltree_clock clock;
	struct textbuf path;
	size_t ends[DEPTH_MAX + 1]; /* ends[n]: where the path of n frames ends */
	bool failed;
};

/* One character of a name; how many bytes it takes. */
static size_t put_character(struct textbuf *path, const char *s, size_t len)
{
	uint32_t code;
	size_t n = utf8__decode(s, len, &code);

	if (!n) {
		text_buffer__str(path, "\xef\xbf\xbd");
		return 1;
	}
	if (code == ';')
		text_buffer__char(path, ',');
	else if (text__is_unsafe(code))
		text_buffer__char(path, '?');
	else
		text_buffer__mem(path, s, n);
	return n;
}

static void put_frame(struct textbuf *path, const char *name)
{
	text_buffer__char(path, ';');
	if (!*name)
		text_buffer__char(path, '?');
	for (size_t left = strlen(name), n; left; left -= n, name += n)
		n = put_character(path, name, left);
}

static void put_line(void *arg, const char *name, unsigned int depth,
		     const uint64_t ns[CALLTREE_CLOCKS])
{
	struct lines *l = arg;

	if (depth < DEPTH_MAX) {
		l->path.len = l->ends[depth];
		put_frame(&l->path, name);
		l->ends[depth + 1] = l->path.len;
	}
	l->failed |= l->path.failed;
	if (!ns[l->clock] || l->failed)
		return;
	fwrite_unlocked(l->path.data, 1, l->path.len, l->out);
	fprintf(l->out, " %" PRIu64 "\n", ns[l->clock]);
}

static void put_lines(struct folded *f, enum calltree_clock clock, const char *root)
{
	struct lines l = {.out = f->sink.out, .clock = clock};

	text_buffer__str(&l.path, root);
	l.ends[0] = l.path.len;
	calltree__each(f->tree, put_line, &l);
	text_buffer__free(&l.path);
	if (l.failed)
		sink__fail(&f->sink, -ENOMEM);
}

static int folded_close(struct sink *sink, const struct trace_stats *stats)
{
	struct folded *f = (struct folded *)sink;
	struct process *p, *next;
	int err;

	calltree__end(f->tree);
	if (calltree__failed(f->tree))
		sink__fail(sink, -ENOMEM);
	put_lines(f, CALLTREE_HOST, "host");
	put_lines(f, CALLTREE_GPU, "gpu");
	sink__check(sink);
	err = sink__finish(sink);
	HASH_ITER (hh, f->processes, p, next) {
		HASH_DEL(f->processes, p);
		free(p);
	}
	calltree__free(f->tree);
	free(f);
	return err;
}

const struct sink_ops sink_folded = {
	.name = "folded",
	.help = "time by call stack, for flame graphs",
	.open = folded_open,
	.process = folded_process,
	.ended = folded_ended,
	.thread = sink__ignore_thread,
	.device = sink__ignore_device,
	.event = folded_event,
	.close = folded_close,
};
