// SPDX-License-Identifier: MIT
/*
 * Tests where the time of GPUs goes: hand-made operations and calls with results computed by hand,
 * and random ones against a count of every nanosecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "user/report/gpu_idle.h"

#define PID 100
#define ANN 101 /* threads */
#define BOB 102

enum { MALLOC = 1, LAUNCH, WAIT, NAMES };

static struct event operation(enum ev_kind kind, int32_t device, uint32_t tid, uint64_t submit,
			      uint64_t begin, uint64_t end)
{
	return (struct event){.kind = kind,
			      .domain = DOMAIN_GPU,
			      .pid = PID,
			      .tid = tid,
			      .begin = begin,
			      .end = end,
			      .gpu = {.device = device,
				      .submit = submit,
				      .src_device = DEVICE_CPU,
				      .dst_device = device}};
}

static void kernel(struct idle *idle, int32_t device, uint32_t tid, uint64_t submit, uint64_t begin,
		   uint64_t end)
{
	const struct event ev = operation(EV_DISPATCH, device, tid, submit, begin, end);

	assert_int_equal(gpu_idle__operation(idle, &ev), 0);
}

static void copy(struct idle *idle, int32_t from, int32_t to, uint64_t submit, uint64_t begin,
		 uint64_t end)
{
	struct event ev = operation(EV_COPY, from >= 0 ? from : to, ANN, submit, begin, end);

	ev.gpu.src_device = from;
	ev.gpu.dst_device = to;
	assert_int_equal(gpu_idle__operation(idle, &ev), 0);
}

static void call(struct idle *idle, uint32_t tid, uint32_t name, uint64_t begin, uint64_t end)
{
	const struct event ev = {
		.kind = EV_SPAN, .pid = PID, .tid = tid, .begin = begin, .end = end};

	assert_int_equal(gpu_idle__call(idle, &ev, name), 0);
}

static struct idle *new_idle(size_t operations, size_t calls)
{
	const struct idle_limits limits = {operations, calls};
	struct idle *idle = gpu_idle__new(operations ? &limits : NULL);

	assert_non_null(idle);
	return idle;
}

static uint64_t in_call(const struct idle_device *d, uint32_t name)
{
	for (size_t i = 0; i < d->call_count; i++)
		if (d->calls[i].name == name)
			return d->calls[i].ns;
	return 0;
}

/* All parts together are all of the time. */
static void assert_complete(const struct idle_device *d)
{
	uint64_t sum = d->active + d->application + d->unknown;

	for (size_t i = 0; i < d->call_count; i++)
		sum += d->calls[i].ns;
	assert_int_equal(sum, d->last - d->first);
	assert_true(d->kernels <= d->either && d->either <= d->active);
}

/* Ends it; the only device. */
static const struct idle_device *only_device(struct idle *idle)
{
	const struct idle_device *d;
	size_t count;

	assert_int_equal(gpu_idle__end(idle), 0);
	d = gpu_idle__devices(idle, &count);
	assert_int_equal(count, 1);
	assert_complete(d);
	return d;
}

static void assert_parts(const struct idle_device *d, uint64_t kernels, uint64_t only_copies,
			 uint64_t launch, uint64_t application)
{
	assert_int_equal(d->kernels, kernels);
	assert_int_equal(d->either - d->kernels, only_copies);
	assert_int_equal(d->active - d->either, launch);
	assert_int_equal(d->application, application);
}

/* ---- by hand ---- */

static void each_part(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;

	call(idle, ANN, MALLOC, 0, 2);
	call(idle, ANN, LAUNCH, 3, 10);
	kernel(idle, 0, ANN, 5, 20, 30); /* 15 of latency, then 10 */
	call(idle, ANN, WAIT, 12, 33);	 /* 3 after the kernel */
	call(idle, ANN, LAUNCH, 40, 60); /* 7 in no call, 10 until the submission */
	kernel(idle, 0, ANN, 50, 50, 70);
	d = only_device(idle);
	assert_int_equal(d->first, 5);
	assert_int_equal(d->last, 70);
	assert_parts(d, 30, 0, 15, 7);
	assert_int_equal(in_call(d, WAIT), 3);
	assert_int_equal(in_call(d, LAUNCH), 10);
	assert_int_equal(in_call(d, MALLOC), 0);
	assert_int_equal(d->unknown, 0);
	assert_int_equal(d->waits, 1);
	assert_int_equal(d->operations, 2);
	gpu_idle__free(idle);
}

static void overlapping(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;

	/* Reported in the order of ends. */
	kernel(idle, 0, ANN, 12, 20, 25); /* inside of the next */
	kernel(idle, 0, ANN, 10, 10, 40);
	kernel(idle, 0, ANN, 11, 35, 50);
	copy(idle, DEVICE_CPU, 0, 12, 45, 60); /* 10 alone */
	copy(idle, DEVICE_CPU, 0, 13, 55, 65); /* and 5 */
	kernel(idle, 0, ANN, 60, 70, 80);      /* submitted during the copy: 5 of latency */
	d = only_device(idle);
	assert_parts(d, 50, 15, 5, 0);
	assert_int_equal(d->last - d->first, 70);
	assert_int_equal(d->waits, 0);
	gpu_idle__free(idle);
}

static void submitted_before_the_gap(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;

	call(idle, ANN, LAUNCH, 0, 5);
	kernel(idle, 0, ANN, 1, 10, 20);
	call(idle, ANN, WAIT, 6, 100);
	kernel(idle, 0, ANN, 2, 30, 40);   /* 10 in which it was submitted, but did not begin */
	kernel(idle, 0, ANN, 35, 60, 61);  /* 20 */
	kernel(idle, 0, ANN, 50, 90, 100); /* 29 */
	d = only_device(idle);
	assert_parts(d, 31, 0, 9 + 10 + 20 + 29, 0);
	assert_int_equal(in_call(d, WAIT), 0);
	gpu_idle__free(idle);
}

/* Waits of 1, 2, ... in another order; in half of them the host is in a call for two thirds. */
static void longest_waits(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;
	uint64_t at = 100;

	kernel(idle, 0, ANN, at, at, at + 10);
	for (uint64_t i = 0; i < 50; i++) {
		uint64_t ns = 30 * (1 + i * 7 % 50);

		at += 10;
		if (i % 2) {
			call(idle, ANN, MALLOC, at, at + ns / 3);
			call(idle, ANN, WAIT, at + ns / 3, at + ns);
		}
		at += ns;
		kernel(idle, 0, ANN, at, at, at + 10);
	}
	d = only_device(idle);
	assert_int_equal(d->waits, 50);
	assert_int_equal(d->longest_count, IDLE_LONGEST);
	for (uint64_t i = 0; i < IDLE_LONGEST; i++) {
		const struct idle_wait *w = &d->longest[i];

		assert_int_equal(w->end - w->begin, 30 * (50 - i));
		assert_int_equal(w->tid, ANN);
		assert_true(!w->in_ns || w->name == WAIT);
		assert_true(!w->in_ns || w->in_ns == (w->end - w->begin) / 3 * 2);
	}
	gpu_idle__free(idle);
}

static void no_length(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;

	kernel(idle, 0, ANN, 10, 10, 10);
	call(idle, ANN, LAUNCH, 15, 15);
	call(idle, ANN, WAIT, 15, 20);
	kernel(idle, 0, ANN, 20, 20, 20);
	kernel(idle, 0, ANN, 20, 20, 20);
	d = only_device(idle);
	assert_parts(d, 0, 0, 0, 5);
	assert_int_equal(in_call(d, WAIT), 5);
	assert_int_equal(d->last - d->first, 10);
	gpu_idle__free(idle);
}

static void one_operation(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;

	kernel(idle, 0, ANN, 0, 0, 10);
	d = only_device(idle);
	assert_parts(d, 10, 0, 0, 0);
	assert_int_equal(d->last - d->first, 10);
	gpu_idle__free(idle);
}

/* The GPU waits for the thread that submits next. */
static void two_threads(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;

	kernel(idle, 0, ANN, 0, 0, 10);
	call(idle, ANN, LAUNCH, 18, 22);
	kernel(idle, 0, ANN, 20, 20, 30); /* 8 in no call, 2 in this one */
	call(idle, BOB, MALLOC, 12, 35);  /* only the last 5 count */
	kernel(idle, 0, BOB, 40, 40, 50);
	call(idle, BOB, LAUNCH, 36, 45); /* 4 */
	call(idle, ANN, WAIT, 23, 60);
	d = only_device(idle);
	assert_parts(d, 30, 0, 0, 8 + 1);
	assert_int_equal(in_call(d, LAUNCH), 2 + 4);
	assert_int_equal(in_call(d, MALLOC), 5);
	assert_int_equal(in_call(d, WAIT), 0);
	gpu_idle__free(idle);
}

static void two_devices(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;
	size_t count;

	call(idle, ANN, LAUNCH, 0, 200);
	kernel(idle, 1, ANN, 10, 10, 20);
	kernel(idle, 0, ANN, 10, 10, 40);
	copy(idle, 0, 1, 50, 60, 80); /* occupies both */
	kernel(idle, 0, ANN, 90, 90, 100);
	assert_int_equal(gpu_idle__end(idle), 0);
	d = gpu_idle__devices(idle, &count);
	assert_int_equal(count, 2);
	assert_int_equal(d[0].device, 0);
	assert_complete(&d[0]);
	assert_parts(&d[0], 40, 20, 10, 0);
	assert_int_equal(in_call(&d[0], LAUNCH), 20);
	assert_complete(&d[1]);
	assert_parts(&d[1], 10, 20, 10, 0);
	assert_int_equal(in_call(&d[1], LAUNCH), 30);
	assert_int_equal(d[1].last, 80);
	gpu_idle__free(idle);
}

/* More threads than a small table holds. */
static void many_threads(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;

	for (uint32_t i = 0; i < 1000; i++) {
		call(idle, ANN + i, WAIT, i * 10, i * 10 + 3);
		kernel(idle, 0, ANN + i, i * 10 + 2, i * 10 + 2, i * 10 + 5);
	}
	d = only_device(idle);
	assert_parts(d, 3000, 0, 0, 999 * 5);
	assert_int_equal(in_call(d, WAIT), 999 * 2);
	gpu_idle__free(idle);
}

/* Without any call of the thread, nobody can say that it was in none. */
static void no_calls(void **state)
{
	struct idle *idle = new_idle(0, 0);
	const struct idle_device *d;

	call(idle, BOB, WAIT, 0, 100);
	kernel(idle, 0, ANN, 0, 0, 10);
	kernel(idle, 0, ANN, 30, 35, 40);
	d = only_device(idle);
	assert_parts(d, 15, 0, 5, 0);
	assert_int_equal(d->unknown, 20);
	assert_int_equal(d->call_count, 0);
	gpu_idle__free(idle);
}

static void odd_times(void **state)
{
	struct idle *idle = new_idle(0, 0);
	struct event no_end = operation(EV_DISPATCH, 0, ANN, 500, 500, 500);
	struct event barrier = operation(EV_BARRIER, 0, ANN, 600, 600, 700);
	struct event on_cpu = operation(EV_COPY, DEVICE_CPU, ANN, 600, 600, 700);
	const struct idle_device *d;

	no_end.flags = EV_F_NO_TIMES;
	call(idle, ANN, LAUNCH, 0, 1);
	kernel(idle, 0, ANN, 15, 10, 20); /* seems to have begun before it was submitted */
	kernel(idle, 0, ANN, UINT64_MAX, UINT64_MAX, UINT64_MAX);
	assert_int_equal(gpu_idle__operation(idle, &no_end), 0);
	assert_int_equal(gpu_idle__operation(idle, &barrier), 0);
	assert_int_equal(gpu_idle__operation(idle, &on_cpu), 0);
	d = only_device(idle);
	assert_int_equal(d->first, 10);
	assert_int_equal(d->last, UINT64_MAX);
	assert_parts(d, 10, 0, 0, UINT64_MAX - 20);
	assert_int_equal(d->operations, 3);
	assert_int_equal(d->no_times, 1);
	gpu_idle__free(idle);
}

static void nothing(void **state)
{
	struct idle *idle = new_idle(0, 0);
	size_t count;

	assert_int_equal(gpu_idle__end(idle), 0);
	gpu_idle__devices(idle, &count);
	assert_int_equal(count, 0);
	gpu_idle__free(idle);
}

/* ---- the window ---- */

/* A kernel every 100 ns, reported with the calls, or up to `late` kernels later. */
static const struct idle_device *regular(struct idle *idle, unsigned int n, unsigned int late)
{
	for (unsigned int i = 0; i < n + late; i++) {
		uint64_t at = i * 100ULL;

		if (i < n) {
			call(idle, ANN, LAUNCH, at, at + 10);
			call(idle, ANN, WAIT, at + 10, at + 60);
		}
		if (i >= late)
			kernel(idle, 0, ANN, at - late * 100 + 5, at - late * 100 + 15,
			       at - late * 100 + 50);
	}
	return only_device(idle);
}

static void assert_regular(const struct idle_device *d, unsigned int n)
{
	assert_parts(d, 35 * n, 0, 10 * n, 40 * (n - 1));
	assert_int_equal(in_call(d, WAIT), 10 * (n - 1));
	assert_int_equal(in_call(d, LAUNCH), 5 * (n - 1));
	assert_int_equal(d->late, 0);
}

static void in_small_windows(void **state)
{
	static const size_t limits[][2] = {{2, 1000}, {16, 64}, {1000, 50}, {64, 64}};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct idle *idle = new_idle(limits[i][0], limits[i][1]);

		assert_regular(regular(idle, 5000, i ? 5 : 0), 5000);
		gpu_idle__free(idle);
	}
}

/* One kernel runs all the time and is reported at the end, when its time has left the window. */
static void told_too_late(void **state)
{
	struct idle *idle = new_idle(16, 64);
	const struct idle_device *d;

	for (unsigned int i = 0; i < 100; i++)
		kernel(idle, 0, ANN, i * 10, i * 10, i * 10 + 5);
	kernel(idle, 0, BOB, 0, 0, 1000);
	d = only_device(idle);
	assert_int_equal(d->late, 1);
	assert_true(d->late_ns > 800 && d->late_ns < 1000);
	assert_int_equal(d->last, 1000);
	gpu_idle__free(idle);
}

/* The calls of a wait are kept until the one that it ended in is reported. */
static void in_a_long_call(void **state)
{
	struct idle *idle = new_idle(16, 1000);
	const struct idle_device *d;

	kernel(idle, 0, ANN, 0, 0, 100);
	call(idle, ANN, MALLOC, 110, 120);
	kernel(idle, 0, ANN, 200, 200, 1000);
	for (unsigned int i = 0; i < 100; i++)
		kernel(idle, 0, BOB, 1000 + i * 10, 1000 + i * 10, 1010 + i * 10);
	call(idle, ANN, WAIT, 150, 2000);
	d = only_device(idle);
	assert_parts(d, 1900, 0, 0, 10 + 30);
	assert_int_equal(in_call(d, MALLOC), 10);
	assert_int_equal(in_call(d, WAIT), 50);
	gpu_idle__free(idle);
}

/* A GPU with nothing to do for longer than calls are kept. */
static void calls_forgotten(void **state)
{
	struct idle *idle = new_idle(1000, 100);
	const struct idle_device *d;

	kernel(idle, 0, ANN, 0, 0, 10);
	for (unsigned int i = 1; i <= 1000; i++)
		call(idle, ANN, WAIT, i * 10, i * 10 + 5);
	kernel(idle, 0, ANN, 10010, 10010, 10020);
	d = only_device(idle);
	assert_true(d->unknown > 9000 && d->unknown < 9900);
	assert_true(in_call(d, WAIT) > 50);
	gpu_idle__free(idle);
}

/* ---- at random ---- */

#define LENGTH	   3000
#define OPERATIONS 60
#define CALLS	   40

struct world {
	struct event ops[OPERATIONS];
	struct event calls[2][CALLS]; /* of ANN and BOB, one after the other */
	uint32_t names[2][CALLS];
};

struct counts {
	uint64_t kernels, copies, launch, application, calls[NAMES];
};

static void make_world(struct world *w)
{
	for (int i = 0; i < OPERATIONS; i++) {
		/* Submissions differ, so that it is clear which one was next. */
		uint64_t submit = i * (LENGTH / OPERATIONS) + rand() % 10;
		uint64_t begin = submit + (rand() % 3 ? rand() % 20 : 0);
		uint64_t end = begin + rand() % (rand() % 5 ? 30 : 200);

		w->ops[i] = operation(rand() % 3 ? EV_DISPATCH : EV_COPY, 0, rand() % 2 ? ANN : BOB,
				      submit, begin, end);
	}
	for (int t = 0; t < 2; t++) {
		uint64_t at = 0;

		for (int i = 0; i < CALLS; i++) {
			uint64_t begin = at + rand() % 60;

			at = begin + rand() % 90;
			w->calls[t][i] = (struct event){.kind = EV_SPAN,
							.pid = PID,
							.tid = t ? BOB : ANN,
							.begin = begin,
							.end = at};
			w->names[t][i] = 1 + rand() % (NAMES - 1);
		}
	}
}

static bool is_in(uint64_t t, uint64_t begin, uint64_t end)
{
	return t >= begin && t < end;
}

/* Whoever submits next is in which call at that time? 0: none. */
static uint32_t call_at(const struct world *w, uint64_t t)
{
	int i = 0, thread;

	while (w->ops[i].gpu.submit <= t)
		i++;
	thread = w->ops[i].tid == BOB;
	for (int k = 0; k < CALLS; k++)
		if (is_in(t, w->calls[thread][k].begin, w->calls[thread][k].end))
			return w->names[thread][k];
	return 0;
}

static void count_one(const struct world *w, uint64_t t, struct counts *c)
{
	bool kernel = false, copies = false, waiting = false;

	for (int i = 0; i < OPERATIONS; i++) {
		const struct event *ev = &w->ops[i];

		kernel |= ev->kind == EV_DISPATCH && is_in(t, ev->begin, ev->end);
		copies |= ev->kind == EV_COPY && is_in(t, ev->begin, ev->end);
		waiting |= is_in(t, ev->gpu.submit, ev->begin);
	}
	if (kernel)
		c->kernels++;
	else if (copies)
		c->copies++;
	else if (waiting)
		c->launch++;
	else
		c->calls[call_at(w, t)]++;
}

static int by_end(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;

	return (x->end > y->end) - (x->end < y->end);
}

static void tell_one(struct idle *idle, const struct world *w, const struct event *ev)
{
	int thread = ev->tid == BOB;

	if (ev->kind != EV_SPAN)
		assert_int_equal(gpu_idle__operation(idle, ev), 0);
	else
		assert_int_equal(gpu_idle__call(idle, ev, w->names[thread][ev - w->calls[thread]]),
				 0);
}

/* As a trace reports it, in the order of ends. */
static void tell(struct idle *idle, const struct world *w)
{
	const struct event *all[OPERATIONS + 2 * CALLS];
	size_t n = 0;

	for (int i = 0; i < OPERATIONS; i++)
		all[n++] = &w->ops[i];
	for (int i = 0; i < 2 * CALLS; i++)
		all[n++] = &w->calls[i / CALLS][i % CALLS];
	qsort(all, n, sizeof(all[0]), by_end);
	for (size_t i = 0; i < n; i++)
		tell_one(idle, w, all[i]);
}

/* Reported in any order, with hardly any memory: some come late, but nothing is counted twice. */
static void in_any_order(void **state)
{
	uint64_t late = 0;

	for (unsigned int seed = 0; seed < 500; seed++) {
		struct idle *idle = new_idle(4, 8);
		struct world w;

		srand(seed);
		make_world(&w);
		for (int i = OPERATIONS - 1; i > 0; i--) {
			int k = rand() % (i + 1);
			struct event swapped = w.ops[i];

			w.ops[i] = w.ops[k];
			w.ops[k] = swapped;
		}
		for (int i = 0; i < OPERATIONS; i++) {
			assert_int_equal(gpu_idle__operation(idle, &w.ops[i]), 0);
			if (i < CALLS)
				assert_int_equal(gpu_idle__call(idle, &w.calls[i % 2][i / 2],
								w.names[i % 2][i / 2]),
						 0);
		}
		late += only_device(idle)->late;
		gpu_idle__free(idle);
	}
	assert_true(late > 1000);
}

static void at_random(void **state)
{
	for (unsigned int seed = 0; seed < 500; seed++) {
		struct idle *idle = seed % 2 ? new_idle(0, 0) : new_idle(30, 60);
		const struct idle_device *d;
		struct counts c = {};
		struct world w;

		srand(seed);
		make_world(&w);
		tell(idle, &w);
		d = only_device(idle);
		for (uint64_t t = d->first; t < d->last; t++)
			count_one(&w, t, &c);
		assert_int_equal(d->late, 0);
		assert_parts(d, c.kernels, c.copies, c.launch, c.calls[0]);
		for (uint32_t name = 1; name < NAMES; name++)
			assert_int_equal(in_call(d, name), c.calls[name]);
		gpu_idle__free(idle);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part),	 cmocka_unit_test(overlapping),
		cmocka_unit_test(no_length),	 cmocka_unit_test(submitted_before_the_gap),
		cmocka_unit_test(one_operation), cmocka_unit_test(two_threads),
		cmocka_unit_test(many_threads),	 cmocka_unit_test(two_devices),
		cmocka_unit_test(no_calls),	 cmocka_unit_test(odd_times),
		cmocka_unit_test(nothing),	 cmocka_unit_test(in_small_windows),
		cmocka_unit_test(told_too_late), cmocka_unit_test(calls_forgotten),
		cmocka_unit_test(at_random),	 cmocka_unit_test(in_a_long_call),
		cmocka_unit_test(in_any_order),	 cmocka_unit_test(longest_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
