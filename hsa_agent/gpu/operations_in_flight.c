/* SPDX-License-Identifier: MIT */
/*
 * The operations that the GPU has been given and that have not ended, as far as we know; queue by
 * queue.
 *
 * The reaper looks at the signal of each. One of ours is made ready again by the reaper, not on the
 * launch path, which would wait for its cache line from the GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "hsa_agent/gpu/queue_internal.h"
#include "inprocess/kernel_clock.h"

#define IN_FLIGHT_MIN 16384
#define WINDOW	      1024 /* operations looked at, from the oldest on, that may end out of order */

int inflight__init(struct queue *q, uint32_t packets)
{
	uint64_t ring = IN_FLIGHT_MIN;

	while (ring < 2ULL * packets)
		ring *= 2;
	q->mask = ring - 1;
	q->ops = calloc(ring, sizeof(*q->ops));
	q->spare = calloc(ring, sizeof(*q->spare));
	return q->ops && q->spare ? 0 : -1;
}

/* ---- of the launch path ---- */

struct op *inflight__next(struct queue *q)
{
	if (q->head - __atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) > q->mask)
		return NULL;
	return &q->ops[q->head & q->mask];
}

void inflight__push(struct queue *q)
{
	__atomic_store_n(&q->head, q->head + 1, __ATOMIC_RELEASE);
}

bool inflight__make_ready(struct queue *q)
{
	if (q->ready.handle)
		return true;
	if (q->spare_tail != __atomic_load_n(&q->spare_head, __ATOMIC_ACQUIRE))
		q->ready = q->spare[q->spare_tail++ & q->mask];
	else
		q->ready = signal__take_polled();
	return q->ready.handle;
}

/* ---- of the reaper ---- */

static void put_spare(struct queue *q, hsa_signal_t signal)
{
	signal_make_ready(signal);
	q->spare[q->spare_head & q->mask] = signal;
	__atomic_store_n(&q->spare_head, q->spare_head + 1, __ATOMIC_RELEASE);
}

void inflight__read_times(const struct notice *n, hsa_agent_t device, hsa_signal_t signal,
			  struct times *times)
{
	const amd_signal_t *abi = signal_abi(signal);
	hsa_amd_profiling_dispatch_time_t time = {0};

	*times = (struct times){
		.begin = abi->start_ts,
		.end = abi->end_ts,
		.ticks = clocks__have_ticks(),
	};
	if (!times->begin || !times->end) {
		*times = (struct times){0};
		return;
	}
	if (times->ticks && !n->operation)
		return;
	hsa.amd.hsa_amd_profiling_get_dispatch_time_fn(device, signal, &time);
	times->runtime_begin = time.start;
	times->runtime_end = time.end;
	if (!times->ticks) {
		times->begin = time.start;
		times->end = time.end;
	}
}

static void record_done(uint64_t op, uint32_t device_id, const struct times *times,
			hsa_signal_value_t value)
{
	struct rt_agent_rec *rec;
	uint64_t pos;

	rec = shared_memory__claim(&agent.shm, RT_AGENT_DONE, &pos);
	if (!rec)
		goto out;
	rec->op = op;
	rec->flags =
		(times->ticks ? RT_AGENT_F_TICKS : 0) | (times->refused ? RT_AGENT_F_REFUSED : 0);
	rec->done.agent = times->ticks ? device_id : 0;
	rec->done.gpu_begin = times->begin;
	rec->done.gpu_end = times->end;
	rec->done.status = value < 0 ? (uint64_t)value : 0;
	rec->time = kernel_clock__boot_ns();
	shared_memory__publish(rec, pos);
out:
	flight__end(op);
}

void inflight__tell_done(const struct notice *n, uint32_t device_id, const struct times *times,
			 hsa_signal_value_t value)
{
	if (n->recorded)
		record_done(n->op, device_id, times, value);
	client__ended(n->operation, times, value < 0);
}

void inflight__tell_untimed(const struct notice *n, uint32_t device_id)
{
	inflight__tell_done(n, device_id, &(struct times){0}, 0);
}

void inflight__tell_end(const struct op *op)
{
	struct times times;

	inflight__read_times(&op->notice, op->device, op->timed, &times);
	inflight__tell_done(&op->notice, op->device_id, &times, signal_value(op->timed));
}

/* Reports the end of an operation and makes its signal ready for another. False: it runs. */
static bool finish(struct queue *q, struct op *op)
{
	if (op->own)
		return shadow__has_ended(op);
	if (signal_value(op->timed) > 0)
		return false;
	inflight__tell_end(op);
	put_spare(q, op->timed);
	return true;
}

/* Nothing more is to be expected of it. Its signal may still be written to. */
static void give_up(struct op *op)
{
	if (op->own)
		shadow__forget(op);
	inflight__tell_untimed(&op->notice, op->device_id);
	op->ended = true;
}

/*
 * A packet that the GPU had taken before its signal was changed completes nothing: it must not
 * block the ring permanently.
 */
static void give_up_stuck(struct queue *q, uint64_t head, uint64_t ended)
{
	struct op *oldest = &q->ops[q->tail & q->mask];

	if (head - q->tail > q->mask / 2 && ended > WINDOW / 2 && !oldest->ended)
		give_up(oldest);
}

uint64_t inflight__reap(struct queue *q)
{
	uint64_t head = __atomic_load_n(&q->head, __ATOMIC_ACQUIRE), tail = q->tail, ended = 0;

	for (uint64_t i = tail; i != head && i - tail < WINDOW; i++) {
		struct op *op = &q->ops[i & q->mask];

		op->ended = op->ended || finish(q, op);
		ended += op->ended;
		if (op->ended && i == tail)
			tail++;
	}
	__atomic_store_n(&q->tail, tail, __ATOMIC_RELEASE);
	if (tail != head)
		give_up_stuck(q, head, ended);
	return head - tail;
}

/* ---- ends ---- */

void inflight__release(struct queue *q, bool gone)
{
	for (uint64_t tail = q->tail; inflight__reap(q); tail = q->tail) {
		struct op *op = &q->ops[q->tail & q->mask];

		if (q->tail != tail)
			continue; /* it looks at WINDOW at a time */
		q->tail++;
		if (op->ended)
			continue;
		give_up(op);
		if (gone && !op->own) {
			signal_make_ready(op->timed);
			signal__put_polled(op->timed);
		}
	}
	while (q->spare_tail != q->spare_head)
		signal__put_polled(q->spare[q->spare_tail++ & q->mask]);
	if (q->ready.handle)
		signal__put_polled(q->ready);
	q->ready.handle = 0;
}
