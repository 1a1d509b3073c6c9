// SPDX-License-Identifier: MIT
/*
 * Reads the simulator's truth log and a JSON trace, line by line, as far as storm_check wants it.
 *
 * A field of a line is what follows the first place of its key. That does for what these two
 * programs write of the storm; it is no reader of JSON.
 */
#include "tests/e2e/storm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_QUEUES	1024
#define MAX_NAMES	4096
#define MAX_GRAPH_NODES 64

/* A graph that can be launched: what its nodes were set to since the last launch. */
struct graph {
	uint64_t handle;
	struct ask asks[MAX_GRAPH_NODES];
	size_t count;
};

static struct array graphs;
static const char *names[MAX_NAMES];
static unsigned int name_count;

const char *storm__name(unsigned int name)
{
	return names[name];
}

unsigned int storm__names(void)
{
	return name_count;
}

static void *append(struct array *a, size_t size)
{
	if (a->count == a->room) {
		a->room = a->room * 2 + 1024;
		a->data = realloc(a->data, a->room * size);
		if (!a->data)
			die("memory");
	}
	return memset(a->data + a->count++ * size, 0, size);
}

#define APPEND(array, type) ((type *)append(&(array), sizeof(type)))

static unsigned int intern(const char *text, size_t len)
{
	unsigned int i;

	for (i = 0; i < name_count; i++)
		if (!strncmp(names[i], text, len) && !names[i][len])
			return i;
	if (name_count == MAX_NAMES) {
		errno = E2BIG;
		die("names");
	}
	names[name_count] = strndup(text, len);
	return name_count++;
}

/* ---- fields of a line: what follows the first place of `key` ---- */

static const char *find(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? at + strlen(key) : NULL;
}

static uint64_t number(const char *line, const char *key)
{
	const char *at = find(line, key);

	if (!at) {
		complain("no %s in %s", key, line);
		return 0;
	}
	return strtoull(at, NULL, 0);
}

/* Microseconds with three decimals, in ns. */
static uint64_t microseconds(const char *line, const char *key)
{
	const char *at = find(line, key);
	char *point = NULL;
	uint64_t us = at ? strtoull(at, &point, 10) : 0;

	return us * 1000 + (point && *point == '.' ? strtoull(point + 1, NULL, 10) : 0);
}

/* Three numbers after the key, with whatever between them. */
static void triple(const char *line, const char *key, uint32_t *numbers)
{
	const char *at = find(line, key);
	char *end;
	int i;

	if (!at)
		complain("no %s in %s", key, line);
	for (i = 0; i < 3 && at; i++) {
		at += strcspn(at, "0123456789");
		numbers[i] = strtoul(at, &end, 10);
		at = end;
	}
}

static unsigned int name_at(const char *at, const char *ends)
{
	return at ? intern(at, strcspn(at, ends)) : intern("", 0);
}

/* ---- the truth log ---- */

/* The last copy of a queue: its packets have one number. */
struct last_copy {
	bool any;
	uint64_t op, n;
	size_t index;
};

static struct last_copy last_copies[MAX_QUEUES];

static struct op *true_op(struct storm *s, const char *line, unsigned int queue)
{
	struct op *op = APPEND(s->truth, struct op);

	op->gpu = number(line, " gpu=");
	op->queue = queue;
	op->begin = number(line, " begin=");
	op->end = number(line, " end=");
	op->bytes = number(line, " bytes=");
	op->name = intern("-", 1);
	return op;
}

static void true_dispatch(struct storm *s, const char *line, unsigned int queue)
{
	struct op *op = true_op(s, line, queue);

	op->name = name_at(find(line, " kernel="), " ");
	triple(line, " grid=", op->shape.grid);
	triple(line, " wg=", op->shape.block);
}

static void true_copy(struct storm *s, const char *line, unsigned int queue)
{
	struct last_copy *last = &last_copies[queue];
	uint64_t number_of_op = number(line, " op=");
	struct op *op;

	if (last->any && last->op == number_of_op) {
		op = AT(s->truth, struct op, last->index);
		op->bytes += number(line, " bytes=");
		op->end = number(line, " end=");
	} else {
		op = true_op(s, line, queue);
		op->is_copy = true;
	}
	*last = (struct last_copy){
		.any = true,
		.op = number_of_op,
		.n = number(line, " n="),
		.index = op - (struct op *)s->truth.data,
	};
}

/* A copy that is followed by a flush of the caches is the runtime's own upload of code. */
static void true_pm4(struct storm *s, const char *line, unsigned int queue)
{
	const struct last_copy *last = &last_copies[queue];

	if (last->any && number(line, " n=") == last->n + 1)
		AT(s->truth, struct op, last->index)->dropped = true;
}

static void read_truth_line(struct storm *s, const char *line)
{
	unsigned int queue;

	if (!strchr(line, '\n')) /* killed while it wrote that: nobody has seen what it tells of */
		return;
	queue = number(line, " queue=");
	if (queue >= MAX_QUEUES)
		complain("queue %u", queue);
	else if (strstr(line, " kind=dispatch "))
		true_dispatch(s, line, queue);
	else if (strstr(line, " kind=copy ") || strstr(line, " kind=blit "))
		true_copy(s, line, queue);
	else if (strstr(line, " kind=pm4 "))
		true_pm4(s, line, queue);
}

/* ---- the trace ---- */

static void traced_op(struct storm *s, const char *line)
{
	struct op *op = APPEND(s->traced, struct op);

	op->untimed = strstr(line, "no-times");
	op->gpu = number(line, "\"device\":");
	op->begin = op->end = microseconds(line, "\"ts\":");
	if (!op->untimed)
		op->end += microseconds(line, "\"dur\":");
	op->submit = microseconds(line, "\"submit\":");
	op->corr = number(line, "\"corr\":");
	op->root = number(line, "\"root\":");
	op->is_copy = !find(line, "\"grid\":");
	if (op->is_copy) {
		op->name = intern("-", 1);
		op->bytes = number(line, "\"bytes\":");
		return;
	}
	op->name = name_at(find(line, "\"name\":\""), "\"");
	op->queue = number(line, "\"queue\":");
	triple(line, "\"grid\":", op->shape.grid);
	triple(line, "\"block\":", op->shape.block);
}

static void multiply(struct shape *shape)
{
	int i;

	for (i = 0; i < 3; i++)
		shape->grid[i] *= shape->block[i];
}

/* The last settings of a graph; two launches of one handle do not overlap. */
static struct graph *graph_of(const char *line, const char *key)
{
	uint64_t handle = 0;
	const char *at = find(line, key);
	struct graph *g;
	size_t i;

	if (at)
		handle = strtoull(at, NULL, 16);
	for (i = 0; i < graphs.count; i++)
		if (AT(graphs, struct graph, i)->handle == handle)
			return AT(graphs, struct graph, i);
	g = APPEND(graphs, struct graph);
	g->handle = handle;
	return g;
}

static struct ask *graph_ask(const char *line)
{
	struct graph *g = graph_of(line, "\"hGraphExec\":\"");

	if (g->count == sizeof(g->asks) / sizeof(g->asks[0])) {
		complain("a graph of too many nodes");
		g->count = 0;
	}
	memset(&g->asks[g->count], 0, sizeof(g->asks[0]));
	return &g->asks[g->count++];
}

static struct ask *call_ask(struct storm *s, struct call *c)
{
	c->ask_count++;
	return APPEND(s->asks, struct ask);
}

/*
 * A graph's node was being set when the process was killed: the new parameters are in memory that
 * the tracer reads when the call returns. The graph was not launched with it either.
 */
static bool cut_off_setting(const char *name, const char *line)
{
	return !strncmp(name, "hipGraphExec", 12) && strstr(line, "\"flags\":\"unfinished");
}

static void read_asks(struct storm *s, struct call *c, const char *line)
{
	const char *name = names[c->name];
	struct graph *g;
	struct ask *a;

	c->asks = s->asks.count;
	if (cut_off_setting(name, line))
		return;
	if (!strcmp(name, "hipLaunchKernel")) {
		a = call_ask(s, c);
		triple(line, "\"numBlocks\":", a->shape.grid);
		triple(line, "\"dimBlocks\":", a->shape.block);
		multiply(&a->shape);
	} else if (!strcmp(name, "hipMemcpyAsync")) {
		call_ask(s, c)->bytes = number(line, "\"sizeBytes\":\"");
	} else if (!strcmp(name, "hipGraphExecKernelNodeSetParams")) {
		a = graph_ask(line);
		triple(line, "gridDim=", a->shape.grid);
		triple(line, "blockDim=", a->shape.block);
		multiply(&a->shape);
	} else if (!strcmp(name, "hipGraphExecMemcpyNodeSetParams1D")) {
		graph_ask(line)->bytes = number(line, "\"count\":\"");
	} else if (!strcmp(name, "hipGraphLaunch")) {
		g = graph_of(line, "\"graphExec\":\"");
		for (size_t i = 0; i < g->count; i++)
			*call_ask(s, c) = g->asks[i];
		g->count = 0;
	}
}

static void traced_call(struct storm *s, const char *line)
{
	struct call *c = APPEND(s->calls, struct call);

	c->corr = number(line, "\"corr\":");
	c->parent = number(line, "\"parent\":");
	c->begin = microseconds(line, "\"ts\":");
	c->end = c->begin + microseconds(line, "\"dur\":");
	c->tid = number(line, "\"tid\":");
	c->name = name_at(find(line, "\"name\":\""), "\"");
	read_asks(s, c, line);
}

static void read_trace_line(struct storm *s, const char *line)
{
	bool span = strstr(line, "\"ph\":\"X\"");

	if (strstr(line, "\"cat\":\"gpu\"") && (span || strstr(line, "no-times")))
		traced_op(s, line);
	else if (span && (strstr(line, "\"cat\":\"hip\"") || strstr(line, "\"cat\":\"hsa\"")))
		traced_call(s, line);
}

static void read_lines(struct storm *s, const char *path,
		       void (*take)(struct storm *s, const char *line))
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		die(path);
	while (getline(&line, &size, f) > 0)
		take(s, line);
	if (ferror(f))
		die(path);
	free(line);
	fclose(f);
}

void storm__read_truth(struct storm *s, const char *path)
{
	read_lines(s, path, read_truth_line);
}

void storm__read_trace(struct storm *s, const char *path)
{
	read_lines(s, path, read_trace_line);
}
