// SPDX-License-Identifier: MIT
/*
 * Compares a JSON trace of one process with the simulator's truth log, operation by operation, and
 * leads each operation back to the call that asked for it.
 *
 *     storm_check [-c|-k] TRUTH TRACE
 *
 * Every dispatch and copy of the truth log must be in the trace once, with its name, device, sizes,
 * and times within 1 us, and on one queue of the trace for each queue of the truth. The arguments
 * of its root call must ask for that very operation: the shape of the grid, or the bytes. A graph
 * launch asks for what has been set for the nodes of its graph since the launch before. All that
 * was asked for must have been done once. With -c causes are not judged.
 *
 * With -k the process was killed. An operation may then be in the trace without times if it is not
 * in the truth log, or if it is the last there of its queue: the simulator writes the log before it
 * completes the signal, and may have been killed between the two. A copy that nobody asked for is
 * the runtime's upload of code if it is the last of its queue: by what follows we would know it.
 *
 * Prints `calls NAME N` and `kernels NAME N` as the workloads do, of the trace, and what was worst.
 * The trace must be of rtrace-bpf -M: an event a line, kernels by their mangled names. What the
 * workload does not do is not understood: other calls that launch or copy are not known as causes.
 */
#include "tests/e2e/storm.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRECISION_NS 1000
#define MAX_QUEUES   1024
#define MAX_NAMES    4096
#define MAX_SHOWN    20 /* complaints */

static struct storm s;
static uint32_t *call_table; /* index + 1 in the calls, by correlation ID */
static size_t call_table_size;
static unsigned long complaints;

void complain(const char *format, ...)
{
	va_list args;

	if (complaints++ >= MAX_SHOWN)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void die(const char *what)
{
	fprintf(stderr, "storm_check: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- calls by correlation ID ---- */

static size_t slot_of(uint64_t corr)
{
	return corr * 0x9e3779b97f4a7c15ULL >> 20 & (call_table_size - 1);
}

static void index_calls(void)
{
	size_t i, slot;

	for (call_table_size = 1024; call_table_size < 2 * s.calls.count;)
		call_table_size *= 2;
	call_table = calloc(call_table_size, sizeof(*call_table));
	if (!call_table)
		die("memory");
	for (i = 0; i < s.calls.count; i++) {
		uint64_t corr = AT(s.calls, struct call, i)->corr;

		for (slot = slot_of(corr); call_table[slot];) {
			if (AT(s.calls, struct call, call_table[slot] - 1)->corr == corr)
				complain("correlation ID %llu twice", (unsigned long long)corr);
			slot = (slot + 1) & (call_table_size - 1);
		}
		call_table[slot] = i + 1;
	}
}

static struct call *find_call(uint64_t corr)
{
	size_t slot;

	for (slot = slot_of(corr); call_table[slot]; slot = (slot + 1) & (call_table_size - 1))
		if (AT(s.calls, struct call, call_table[slot] - 1)->corr == corr)
			return AT(s.calls, struct call, call_table[slot] - 1);
	return NULL;
}

/* ---- the comparison ---- */

static const char *describe(const struct op *op)
{
	static char text[512];

	if (op->is_copy)
		snprintf(text, sizeof(text), "gpu %d copy of %llu bytes at %llu", op->gpu,
			 (unsigned long long)op->bytes, (unsigned long long)op->begin);
	else
		snprintf(text, sizeof(text), "gpu %d %s %ux%ux%u/%ux%ux%u at %llu", op->gpu,
			 storm__name(op->name), op->shape.grid[0], op->shape.grid[1],
			 op->shape.grid[2], op->shape.block[0], op->shape.block[1],
			 op->shape.block[2], (unsigned long long)op->begin);
	return text;
}

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

/* By all that must be the same in both. */
static int compare_key(const struct op *a, const struct op *b)
{
	int order = ORDER(a->dropped, b->dropped);

	if (!order)
		order = ORDER(a->is_copy, b->is_copy);
	if (!order)
		order = ORDER(a->gpu, b->gpu);
	if (!order)
		order = ORDER(a->name, b->name);
	if (!order)
		order = memcmp(&a->shape, &b->shape, sizeof(a->shape));
	/* Dispatches that copy for the runtime have their bytes in the truth log only. */
	return order || !a->is_copy ? order : ORDER(a->bytes, b->bytes);
}

static int compare(const void *x, const void *y)
{
	const struct op *a = x, *b = y;
	int order = compare_key(a, b);

	if (!order)
		order = ORDER(a->untimed, b->untimed);
	return order ? order : ORDER(a->begin, b->begin);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t worst;

static void check_times(const struct op *true_one, const struct op *op)
{
	uint64_t begin = apart(true_one->begin, op->begin), end = apart(true_one->end, op->end);
	uint64_t off = begin > end ? begin : end;

	if (off > worst)
		worst = off;
	if (off > PRECISION_NS)
		complain("off by %llu ns: %s", (unsigned long long)off, describe(op));
}

static unsigned int queues_used;

static void check_queue(const struct op *true_one, const struct op *op)
{
	static unsigned int to_traced[MAX_QUEUES], to_true[MAX_QUEUES];

	if (op->is_copy)
		return;
	if (!op->queue || op->queue >= MAX_QUEUES) {
		complain("queue %u: %s", op->queue, describe(op));
		return;
	}
	if (!to_traced[true_one->queue] && !to_true[op->queue]) {
		to_traced[true_one->queue] = op->queue;
		to_true[op->queue] = true_one->queue;
		queues_used++;
	}
	if (to_traced[true_one->queue] != op->queue || to_true[op->queue] != true_one->queue)
		complain("on queue %u instead of %u: %s", op->queue, to_traced[true_one->queue],
			 describe(op));
}

static bool asks_for(const struct ask *a, const struct op *true_one)
{
	if (a->done)
		return false;
	if (true_one->bytes || true_one->is_copy)
		return a->bytes == true_one->bytes;
	return !a->bytes && !memcmp(&a->shape, &true_one->shape, sizeof(a->shape));
}

static void check_cause(const struct op *true_one, const struct op *op)
{
	const struct call *root = find_call(op->root), *inner = find_call(op->corr);
	size_t i;

	if (!root || !inner) {
		complain("no call %llu: %s", (unsigned long long)(root ? op->corr : op->root),
			 describe(op));
		return;
	}
	if (root->parent || inner->tid != root->tid || inner->begin < root->begin ||
	    inner->end > root->end)
		complain("call %llu is not in its outermost call %llu",
			 (unsigned long long)op->corr, (unsigned long long)op->root);
	if (op->submit < inner->begin || op->submit > inner->end)
		complain("not submitted in its call: %s", describe(op));
	for (i = root->asks; i < root->asks + root->ask_count; i++) {
		struct ask *a = AT(s.asks, struct ask, i);

		if (!asks_for(a, true_one))
			continue;
		a->done = true;
		return;
	}
	complain("call %llu, %s, has not asked for it: %s", (unsigned long long)root->corr,
		 storm__name(root->name), describe(op));
}

static bool causes = true, killed;
static unsigned long unfinished; /* operations of the trace without times */
static uint64_t last_ends[MAX_QUEUES];

static void find_last_ends(void)
{
	for (size_t i = 0; i < s.truth.count; i++) {
		const struct op *op = AT(s.truth, struct op, i);

		if (last_ends[op->queue] < op->end)
			last_ends[op->queue] = op->end;
	}
}

static void check_pair(const struct op *true_one, const struct op *op)
{
	if (op->untimed && killed && true_one->end == last_ends[true_one->queue])
		return;
	if (op->untimed)
		complain("without times: %s", describe(true_one));
	else
		check_times(true_one, op);
	check_queue(true_one, op);
	if (causes)
		check_cause(true_one, op);
}

static bool was_asked_for(const struct op *true_one)
{
	for (size_t i = 0; i < s.asks.count; i++)
		if (asks_for(AT(s.asks, struct ask, i), true_one))
			return true;
	return false;
}

/* The packets that follow on its queue distinguish an upload of code from a copy. */
static bool is_cut_off_upload(const struct op *true_one)
{
	return killed && true_one->is_copy && true_one->end == last_ends[true_one->queue] &&
	       !was_asked_for(true_one);
}

static void check_ops(void)
{
	size_t i = 0, k = 0;
	int order;

	qsort(s.truth.data, s.truth.count, sizeof(struct op), compare);
	qsort(s.traced.data, s.traced.count, sizeof(struct op), compare);
	while (s.truth.count && AT(s.truth, struct op, s.truth.count - 1)->dropped)
		s.truth.count--;
	while (i < s.truth.count || k < s.traced.count) {
		const struct op *true_one = AT(s.truth, struct op, i),
				*op = AT(s.traced, struct op, k);

		if (i == s.truth.count)
			order = 1;
		else
			order = k == s.traced.count ? -1 : compare_key(true_one, op);
		if (order < 0 && !is_cut_off_upload(true_one))
			complain("not in the trace: %s", describe(true_one));
		else if (order > 0 && !(killed && op->untimed))
			complain("not in the truth log: %s", describe(op));
		else if (!order)
			check_pair(true_one, op);
		i += order <= 0;
		k += order >= 0;
	}
}

static void check_asks(void)
{
	size_t i, k;

	for (i = 0; i < s.calls.count; i++) {
		const struct call *c = AT(s.calls, struct call, i);

		for (k = c->asks; k < c->asks + c->ask_count; k++)
			if (!AT(s.asks, struct ask, k)->done)
				complain("call %llu, %s: not all that it asked for was done",
					 (unsigned long long)c->corr, storm__name(c->name));
	}
}

static void print_counts(void)
{
	static unsigned long called[MAX_NAMES], ran[MAX_NAMES];
	unsigned long copies = 0;
	unsigned int n;
	size_t i;

	for (i = 0; i < s.calls.count; i++)
		called[AT(s.calls, struct call, i)->name] += !AT(s.calls, struct call, i)->parent;
	for (i = 0; i < s.traced.count; i++) {
		const struct op *op = AT(s.traced, struct op, i);

		copies += op->is_copy;
		unfinished += op->untimed;
		ran[op->name] += !op->is_copy;
	}
	for (n = 0; n < storm__names(); n++) {
		if (called[n])
			printf("calls %s %lu\n", storm__name(n), called[n]);
		if (ran[n])
			printf("kernels %s %lu\n", storm__name(n), ran[n]);
	}
	printf("%zu dispatches and %lu copies on %u queues, times within %llu ns\n",
	       s.traced.count - copies, copies, queues_used, (unsigned long long)worst);
	if (killed)
		printf("%lu without times, %zu in the truth log\n", unfinished, s.truth.count);
}

int main(int argc, char **argv)
{
	if (argc == 4 && (!strcmp(argv[1], "-c") || !strcmp(argv[1], "-k"))) {
		causes = false;
		killed = argv[1][1] == 'k';
		argv++;
		argc--;
	}
	if (argc != 3) {
		fprintf(stderr, "storm_check [-c|-k] TRUTH TRACE\n");
		return 2;
	}
	storm__read_truth(&s, argv[1]);
	storm__read_trace(&s, argv[2]);
	if (!s.truth.count)
		complain("no operation in %s", argv[1]);
	index_calls();
	find_last_ends();
	check_ops();
	if (causes)
		check_asks();
	print_counts();
	if (complaints)
		printf("%lu complaints\n", complaints);
	return complaints > 0;
}
