// SPDX-License-Identifier: MIT
/*
 * Events, a file and readers for the tests of sinks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "user/api/call_arguments.h"

#define PID 100
#define TID 101

char long_name[10001];

/* ---- events ---- */

static struct event span(const char *name, uint64_t corr, uint64_t parent, uint64_t begin,
			 uint64_t end)
{
	return (struct event){
		.kind = EV_SPAN,
		.domain = DOMAIN_HIP,
		.pid = PID,
		.tid = TID,
		.name = name,
		.corr = corr,
		.parent = parent,
		.depth = parent ? 1 : 0,
		.begin = begin,
		.end = end,
		.args = {0x7f0010, 0, 0x400000, 1, 0, UINT64_MAX},
	};
}

static struct event range(const char *message, uint64_t id, uint64_t parent, uint64_t begin,
			  uint64_t end)
{
	return (struct event){
		.kind = EV_RANGE,
		.domain = DOMAIN_ROCTX,
		.pid = PID,
		.tid = TID,
		.name = message,
		.parent = parent,
		.begin = begin,
		.end = end,
		.range.id = id,
	};
}

static struct event dispatch(const char *kernel, uint64_t corr, uint64_t begin, uint64_t end)
{
	return (struct event){
		.kind = EV_DISPATCH,
		.domain = DOMAIN_GPU,
		.pid = PID,
		.tid = TID,
		.name = kernel,
		.corr = corr,
		.root = corr,
		.begin = begin,
		.end = end,
		.gpu = {.device = 0,
			.queue = 1,
			.submit = 3600,
			.grid = {1024, 1, 1},
			.workgroup = {256, 1, 1}},
	};
}

static struct event copy(uint64_t corr, uint64_t begin, uint64_t end)
{
	struct event ev = dispatch(NULL, corr, begin, end);

	ev.kind = EV_COPY;
	ev.gpu =
		(struct gpu_info){.submit = 3700, .bytes = 4096, .dir = COPY_H2D, .src_device = -1};
	return ev;
}

static struct event flagged(struct event ev, uint32_t flags)
{
	ev.flags |= flags;
	return ev;
}

static struct event mark(const char *message, uint64_t at)
{
	struct event ev = range(message, 0, 0, at, at);

	ev.kind = EV_MARK;
	return ev;
}

/* What the capture would have got of the call: its registers. */
static void feed_event(struct sink *sink, const struct event *ev)
{
	struct call_values values = {};
	struct event copy = *ev;

	if (ev->kind == EV_SPAN) {
		memcpy(values.regs, ev->args, sizeof(values.regs));
		values.ret = ev->ret;
		values.returned = !(ev->flags & (EV_F_UNFINISHED | EV_F_UNWOUND));
		copy.values = &values;
	}
	sink->ops->event(sink, &copy);
}

void feed(struct sink *sink)
{
	const struct process_info process = {
		PID, "app" NASTY, "./app -x", "/jobs/" NASTY, 7, "libamdhip64.so.5.2" NASTY, false};
	const struct thread_info thread = {PID, TID, "worker", false};
	const struct device_info device = {PID, 0, "gfx906 " NASTY, "60 CUs " NASTY, false};
	const struct event events[] = {
		span("hipMalloc", 1, 0, 1000, 3000),
		span("hsaInner", 3, 2, 3000, 3500), /* begins with its parent */
		flagged(span("hipMemcpy", 2, 0, 3000, 4000), EV_F_LAUNCHED),
		mark("a mark", 150),
		range("inner", 11, 10, 100, 200),
		range(NASTY, 10, 0, 100, 4500),
		dispatch("vadd", 2, 5000, 8000),
		copy(2, 7000, 7500),
		dispatch(long_name, 2, 6000, 9000), /* overlaps */
		dispatch("vadd", 2, 9000, 9000),
		flagged(dispatch("never", 0, 3600, 3600), EV_F_NO_TIMES | EV_F_UNCORRELATED),
		flagged(range("first", 20, 0, 500, 2500), EV_F_PROCESS),
		flagged(range("second", 21, 0, 1500, 9500), EV_F_PROCESS),
		flagged(span("hipOpen", 30, 0, 9000, 9999), EV_F_UNFINISHED),
		span("hipLong", UINT64_MAX, 0, 10000, UINT64_MAX),
	};

	memset(long_name, 'k', sizeof(long_name) - 1);
	sink->ops->process(sink, &process);
	sink->ops->thread(sink, &thread);
	sink->ops->device(sink, &device);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		feed_event(sink, &events[i]);
}

static void feed_resource(struct sink *sink, enum resource_what what)
{
	bool scratch = what >= RESOURCE_SCRATCH_ALLOC;
	const struct event ev = {
		.kind = scratch ? EV_SCRATCH : EV_MEMORY,
		.domain = DOMAIN_GPU,
		.pid = PID,
		.tid = TID,
		.name = event__resource_name(what),
		.corr = 5,
		.root = 5,
		.begin = 1000,
		.end = 3000,
		.gpu = {.resource = {.what = what,
				     .bytes_known = true,
				     .bytes = 4096,
				     .address = scratch ? 0 : 0x7f00,
				     .id = scratch ? 2 : 0}},
	};

	sink->ops->event(sink, &ev);
}

void feed_memory(struct sink *sink)
{
	for (enum resource_what what = RESOURCE_ALLOC; what <= RESOURCE_SCRATCH_RECLAIM; what++)
		feed_resource(sink, what);
}

/* ---- files and other programs ---- */

const struct trace_stats stats = {
	.spans = 5, .lost_spans = 7, .lost_other = UINT64_MAX, .ended = {3, 2, 1}};

static char path[] = "/tmp/test_sinks.XXXXXX";

int make_file(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

int remove_file(void **state)
{
	return unlink(path);
}

void write_trace(const char *name, void (*fill)(struct sink *))
{
	const struct sink_ops *ops = sink__find(name);
	FILE *file = fopen(path, "w");
	struct trace_origin origin;
	struct sink *sink;

	assert_non_null(ops);
	assert_non_null(file);
	trace_origin__here(&origin);
	sink = ops->open(&(struct sink_target){.out = file}, &origin);
	assert_non_null(sink);
	if (fill)
		fill(sink);
	assert_int_equal(ops->close(sink, &stats), 0);
	assert_int_equal(fclose(file), 0);
}

/* All that a stream holds; to be freed. */
static char *read_all(FILE *file, size_t *size)
{
	size_t used = 0, room = 1 << 16, n;
	char *text = malloc(room);

	assert_non_null(text);
	while ((n = fread(text + used, 1, room - used - 1, file))) {
		used += n;
		if (room - used < 2)
			assert_non_null(text = realloc(text, room *= 2));
	}
	text[used] = '\0';
	*size = used;
	return text;
}

const char *trace_path(void)
{
	return path;
}

char *read_file(size_t *size)
{
	FILE *file = fopen(path, "r");
	char *text;

	assert_non_null(file);
	text = read_all(file, size);
	fclose(file);
	return text;
}

void require(const char *program)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	if (system(command)) {
		print_message("needs %s\n", program);
		skip();
	}
}

/* What the command prints with the trace as its input must be that, and it must succeed. */
void assert_output(const char *command, const char *expected)
{
	char line[4096];
	size_t size;
	FILE *pipe;
	char *text;

	snprintf(line, sizeof(line), "<%s %s", path, command);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	text = read_all(pipe, &size);
	assert_int_equal(pclose(pipe), 0);
	assert_string_equal(text, expected);
	free(text);
}

void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}
