// SPDX-License-Identifier: MIT
/*
 * Sweeps over the operations of all GPUs in the order of their times, and finds the times in which
 * a GPU has nothing to do; idle_calls.c finds what the host did meanwhile.
 *
 * Three unions of intervals are measured for each GPU: of its kernels; of kernels and copies; of
 * all, from submission to end. Each contains the one before, so their differences are times too.
 */
#include "user/report/gpu_idle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/report/idle_calls.h"

#define HASH_NONFATAL_OOM 1
#include "common/hash.h"

#define OPERATIONS_MAX (1u << 20)
#define CALLS_MAX      (2u << 20)

struct operation {
	uint64_t submit, begin, end;
	uint32_t device;
	uint32_t thread : 31, copy : 1;
};

struct device_key {
	uint32_t pid;
	int32_t device;
};

struct device_index {
	struct device_key key;
	uint32_t index;
	UT_hash_handle hh;
};

struct idle {
	struct idle_limits limits;
	struct idle_calls *calls;
	struct idle_device *devices;
	struct device_index *by_key;
	uint32_t device_count, device_room;
	struct operation *operations;
	size_t operation_count, operation_room;
	uint64_t settled; /* all time before is attributed */
	int error;
};

struct idle *gpu_idle__new(const struct idle_limits *limits)
{
	static const struct idle_limits usual = {OPERATIONS_MAX, CALLS_MAX};
	struct idle *idle = calloc(1, sizeof(*idle));

	if (!idle)
		return NULL;
	idle->limits = limits ? *limits : usual;
	idle->calls = idle_calls__new(idle->limits.calls);
	if (idle->calls)
		return idle;
	free(idle);
	return NULL;
}

void gpu_idle__free(struct idle *idle)
{
	struct device_index *i, *next;

	if (!idle)
		return;
	HASH_ITER (hh, idle->by_key, i, next) {
		HASH_DEL(idle->by_key, i);
		free(i);
	}
	for (uint32_t d = 0; d < idle->device_count; d++)
		free(idle->devices[d].calls);
	free(idle->devices);
	free(idle->operations);
	idle_calls__free(idle->calls);
	free(idle);
}

/* Room for one more item. */
static void *grow(struct idle *idle, void *items, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return items;
	grown = realloc(items, more * size);
	if (!grown) {
		idle->error = -ENOMEM;
		return NULL;
	}
	*room = more;
	return grown;
}

/* ---- devices ---- */

static bool add_device(struct idle *idle, struct device_index *i)
{
	size_t room = idle->device_room;
	struct idle_device *devices =
		grow(idle, idle->devices, idle->device_count, &room, sizeof(*devices));

	if (!devices)
		return false;
	idle->devices = devices;
	idle->device_room = room;
	HASH_ADD(hh, idle->by_key, key, sizeof(i->key), i);
	if (!i->hh.tbl)
		return false;
	i->index = idle->device_count++;
	devices[i->index] = (struct idle_device){.pid = i->key.pid, .device = i->key.device};
	return true;
}

static struct idle_device *get_device(struct idle *idle, uint32_t pid, int32_t device)
{
	const struct device_key key = {pid, device};
	struct device_index *i;

	HASH_FIND(hh, idle->by_key, &key, sizeof(key), i);
	if (i)
		return &idle->devices[i->index];
	i = calloc(1, sizeof(*i));
	if (i)
		i->key = key;
	if (i && add_device(idle, i))
		return &idle->devices[i->index];
	free(i);
	idle->error = -ENOMEM;
	return NULL;
}

/* ---- the sweep ---- */

/* How much of the interval is new, after the time that is covered so far. */
static uint64_t cover(uint64_t *until, uint64_t begin, uint64_t end)
{
	if (begin < *until)
		begin = *until;
	if (end <= begin)
		return 0;
	*until = end;
	return end - begin;
}

/* To be called in the order of submissions; again does no harm. */
static int sweep_active(struct idle *idle, const struct operation *op)
{
	struct idle_device *d = &idle->devices[op->device];
	int err = 0;

	if (!d->seen)
		d->first = d->last = d->active_until = op->submit;
	d->seen = true;
	if (op->submit > d->active_until) {
		d->waits++;
		err = idle_calls__wait(idle->calls, op->thread, op->device, d->active_until,
				       op->submit);
		d->active_until = op->submit;
	}
	d->active += cover(&d->active_until, op->submit, op->end);
	return err;
}

/* To be called in the order of begins. */
static void sweep_busy(struct idle *idle, const struct operation *op)
{
	struct idle_device *d = &idle->devices[op->device];

	if (!op->copy)
		d->kernels += cover(&d->kernels_until, op->begin, op->end);
	d->either += cover(&d->either_until, op->begin, op->end);
	if (op->end > d->last)
		d->last = op->end;
}

static int by_submit(const void *a, const void *b)
{
	const struct operation *x = a, *y = b;

	return (x->submit > y->submit) - (x->submit < y->submit);
}

static int by_begin(const void *a, const void *b)
{
	const struct operation *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* UINT64_MAX is the end of all times. */
static bool is_before(uint64_t time, uint64_t until)
{
	return time < until || until == UINT64_MAX;
}

/* Attributes the time before `until`, and forgets the operations that began before. */
static int settle_operations(struct idle *idle, uint64_t until)
{
	struct operation *ops = idle->operations;
	size_t n = idle->operation_count, done = 0;
	int err = 0;

	idle->settled = until;
	if (!n)
		return 0;
	qsort(ops, n, sizeof(*ops), by_submit);
	for (size_t i = 0; i < n && is_before(ops[i].submit, until) && !err; i++)
		err = sweep_active(idle, &ops[i]);
	qsort(ops, n, sizeof(*ops), by_begin);
	while (done < n && is_before(ops[done].begin, until))
		sweep_busy(idle, &ops[done++]);
	if (done)
		memmove(ops, ops + done, (n - done) * sizeof(*ops));
	idle->operation_count -= done;
	return err;
}

static int settle(struct idle *idle, uint64_t until, bool final)
{
	int err = until > idle->settled ? settle_operations(idle, until) : 0;

	return err ? err
		   : idle_calls__settle(idle->calls, idle->devices, idle->device_count,
					idle->settled, final);
}

/* ---- what the caller passes ---- */

/* The older half of the operations goes. */
static int make_room(struct idle *idle)
{
	size_t n = idle->operation_count;
	uint64_t middle;

	qsort(idle->operations, n, sizeof(struct operation), by_begin);
	middle = idle->operations[n / 2].begin;
	return settle(idle, middle < UINT64_MAX ? middle + 1 : middle, false);
}

/* Time that is attributed stays so: false if nothing of the operation is left. */
static bool clip(struct idle *idle, struct idle_device *d, struct operation *op)
{
	uint64_t settled = idle->settled;

	if (op->submit > op->begin)
		op->submit = op->begin;
	if (op->begin < settled) {
		d->late++;
		d->late_ns += (op->end < settled ? op->end : settled) - op->begin;
		op->begin = settled;
	}
	if (op->submit < settled)
		op->submit = settled;
	return op->end >= op->begin;
}

static void add_operation(struct idle *idle, const struct event *ev, int32_t device)
{
	struct idle_device *d = device >= 0 ? get_device(idle, ev->pid, device) : NULL;
	struct operation op = {.submit = ev->gpu.submit, .begin = ev->begin, .end = ev->end};
	struct operation *ops;

	if (!d)
		return;
	d->operations++;
	if (ev->flags & EV_F_NO_TIMES) {
		d->no_times++;
		return;
	}
	if (!clip(idle, d, &op))
		return;
	op.device = d - idle->devices;
	op.copy = ev->kind == EV_COPY;
	op.thread = idle_calls__thread(idle->calls, ev->pid, ev->tid);
	ops = grow(idle, idle->operations, idle->operation_count, &idle->operation_room,
		   sizeof(*ops));
	if (!ops)
		return;
	idle->operations = ops;
	ops[idle->operation_count++] = op;
}

int gpu_idle__operation(struct idle *idle, const struct event *ev)
{
	const struct gpu_info *g = &ev->gpu;

	if (ev->kind != EV_DISPATCH && ev->kind != EV_COPY)
		return 0;
	/* A copy between two GPUs occupies both. */
	add_operation(idle, ev, g->device);
	if (ev->kind == EV_COPY && g->src_device != g->device)
		add_operation(idle, ev, g->src_device);
	if (ev->kind == EV_COPY && g->dst_device != g->device && g->dst_device != g->src_device)
		add_operation(idle, ev, g->dst_device);
	if (!idle->error && idle->operation_count >= idle->limits.operations)
		idle->error = make_room(idle);
	return idle->error;
}

int gpu_idle__call(struct idle *idle, const struct event *ev, uint32_t name)
{
	int err = idle_calls__add(idle->calls, ev->pid, ev->tid, ev->begin, ev->end, name);

	if (!err && idle_calls__is_full(idle->calls))
		err = settle(idle, idle_calls__middle(idle->calls), false);
	return err ? err : idle->error;
}

/* ---- the result ---- */

static int by_time(const void *a, const void *b)
{
	const struct idle_call *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->name < y->name ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
	const struct idle_device *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/* Those that there are, the longest first. */
static void list_calls(struct idle_device *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->call_room; i++)
		if (d->calls[i].ns)
			d->calls[n++] = (struct idle_call){i, d->calls[i].ns};
	d->call_count = n;
	if (n)
		qsort(d->calls, n, sizeof(*d->calls), by_time);
}

int gpu_idle__end(struct idle *idle)
{
	int err = settle(idle, UINT64_MAX, true);

	for (size_t i = 0; i < idle->device_count; i++)
		list_calls(&idle->devices[i]);
	if (idle->device_count)
		qsort(idle->devices, idle->device_count, sizeof(*idle->devices), by_number);
	return err;
}

const struct idle_device *gpu_idle__devices(const struct idle *idle, size_t *count)
{
	*count = idle->device_count;
	return idle->devices;
}

uint64_t idle_device__empty(const struct idle_device *d)
{
	return d->last - d->first - d->active;
}
