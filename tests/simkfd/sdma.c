/* SPDX-License-Identifier: MIT */
/*
 * The packet processor of copy queues: SDMA packets, as gfx9 encodes them.
 *
 * Doorbell, write pointer and read pointer count bytes and never wrap; the ring does.
 *
 * A queue's time line: a packet that moves data begins when its doorbell was seen or when the
 * packet before it has ended, and takes its bytes' time; timestamp packets write where the queue is
 * on that line, so what the runtime reads is what the truth log says. The bytes are moved at the
 * begin; what follows in the ring waits until the end has come.
 */
#include <string.h>

#include "tests/simkfd/event.h"
#include "tests/simkfd/memory.h"
#include "tests/simkfd/queue.h"
#include "tests/simkfd/simkfd.h"

#define PACKETS_PER_STEP 256 /* then the other queues have their turn */
#define MAX_DWORDS	 16  /* no packet looked into is longer */
#define START_NS	 2000
#define FILL_SPEEDUP	 4 /* filling only writes */

enum sdma_op {
	SDMA_NOP = 0,
	SDMA_COPY = 1,
	SDMA_FENCE = 5,
	SDMA_TRAP = 6,
	SDMA_POLL = 8,
	SDMA_ATOMIC = 10,
	SDMA_FILL = 11,
	SDMA_TIMESTAMP = 13,
	SDMA_GCR = 17, /* cache control */
};

#define SDMA_COPY_LINEAR   0
#define SDMA_COPY_RECT	   4
#define SDMA_ATOMIC_ADD64  47
#define SDMA_FILL_BY_DWORD 2

/* One packet at work. */
struct sdma {
	struct queue *q;
	uint32_t dw[MAX_DWORDS];
	uint64_t now;
};

enum verdict {
	DONE,	 /* *length dwords are executed */
	MOVING,	 /* likewise, but they end later */
	BLOCKED, /* a poll does not hold yet */
	UNKNOWN,
};

static uint64_t address(const uint32_t *dw)
{
	return dw[0] | (uint64_t)dw[1] << 32;
}

static uint32_t bits(uint32_t dw, int shift, int width)
{
	return dw >> shift & ((1u << width) - 1);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static enum verdict begin_move(struct sdma *p, const char *kind, uint64_t bytes, double gbps)
{
	struct sdma_state *s = &p->q->sdma;

	s->time = later(s->time, p->q->available);
	s->truth = (struct truth){
		.n = p->q->lines++,
		.op = p->q->op,
		.kind = kind,
		.bytes = bytes,
		.begin = s->time,
		.end = s->time + START_NS + (uint64_t)(bytes / gbps),
	};
	s->moving = true;
	s->op_has_data = true;
	sim__log(2, "queue %u: sdma %s, %llu bytes", p->q->number, kind, (unsigned long long)bytes);
	return MOVING;
}

static enum verdict copy_linear(struct sdma *p)
{
	uint64_t size = (uint64_t)bits(p->dw[1], 0, 30) + 1;

	memory__copy(address(&p->dw[5]), address(&p->dw[3]), size);
	return begin_move(p, "copy", size, config.copy_gbps);
}

/* One side of a rectangular copy: five dwords that give a base, an offset and pitches in elements.
 */
struct window {
	uint64_t start, row_pitch, slice_pitch; /* bytes */
};

static struct window decode_window(const uint32_t *dw, int element_shift)
{
	struct window w;
	uint64_t x = bits(dw[2], 0, 14), y = bits(dw[2], 16, 14), z = bits(dw[3], 0, 11);

	w.row_pitch = ((uint64_t)(dw[3] >> 13) + 1) << element_shift;
	w.slice_pitch = ((uint64_t)bits(dw[4], 0, 28) + 1) << element_shift;
	w.start = address(dw) + (x << element_shift) + y * w.row_pitch + z * w.slice_pitch;
	return w;
}

static enum verdict copy_rect(struct sdma *p)
{
	int element_shift = p->dw[0] >> 29;
	struct window src = decode_window(&p->dw[1], element_shift);
	struct window dst = decode_window(&p->dw[6], element_shift);
	uint64_t row = (uint64_t)(bits(p->dw[11], 0, 14) + 1) << element_shift;
	uint64_t rows = bits(p->dw[11], 16, 14) + 1, slices = bits(p->dw[12], 0, 11) + 1, y, z;

	for (z = 0; z < slices; z++)
		for (y = 0; y < rows; y++)
			memory__copy(dst.start + z * dst.slice_pitch + y * dst.row_pitch,
				     src.start + z * src.slice_pitch + y * src.row_pitch, row);
	return begin_move(p, "copy", row * rows * slices, config.copy_gbps);
}

static enum verdict copy(struct sdma *p, uint32_t *length)
{
	switch (bits(p->dw[0], 8, 8)) {
	case SDMA_COPY_LINEAR:
		*length = 7;
		return copy_linear(p);
	case SDMA_COPY_RECT:
		*length = 13;
		return copy_rect(p);
	default:
		return UNKNOWN;
	}
}

/* The count is one less than the bytes; filling by dwords it is 4 * (n - 1). */
static enum verdict fill(struct sdma *p)
{
	uint64_t size = (uint64_t)bits(p->dw[4], 0, 22) + 1;
	size_t unit = 1;

	if (p->dw[0] >> 30 == SDMA_FILL_BY_DWORD) {
		unit = sizeof(uint32_t);
		size = (size + 3) & ~3ULL;
	}
	memory__fill(address(&p->dw[1]), size, &p->dw[3], unit);
	return begin_move(p, "fill", size, config.copy_gbps * FILL_SPEEDUP);
}

static bool compare(uint32_t function, uint32_t value, uint32_t reference)
{
	switch (function) {
	case 0:
		return true;
	case 1:
		return value < reference;
	case 2:
		return value <= reference;
	case 3:
		return value == reference;
	case 4:
		return value != reference;
	case 5:
		return value >= reference;
	default:
		return value > reference;
	}
}

/* With bit 31 clear the packet polls a register: that is the HDP flush, which needs nothing here.
 */
static enum verdict poll(struct sdma *p)
{
	struct sdma_state *s = &p->q->sdma;
	const volatile uint32_t *word;

	if (!(p->dw[0] >> 31))
		return DONE;
	word = memory__host(address(&p->dw[1]));
	if (!compare(bits(p->dw[0], 28, 3), *word & p->dw[4], p->dw[3]))
		return BLOCKED;
	s->time = later(s->time, p->now);
	return DONE;
}

/* A signal, a fence or a trap reports that the operation has ended. */
static void end_op(struct queue *q)
{
	if (q->sdma.op_has_data)
		q->op++;
	q->sdma.op_has_data = false;
}

static enum verdict fence(struct sdma *p)
{
	*(volatile uint32_t *)memory__host(address(&p->dw[1])) = p->dw[3];
	end_op(p->q);
	return DONE;
}

static enum verdict trap(struct sdma *p)
{
	event__signal(bits(p->dw[1], 0, 28));
	end_op(p->q);
	return DONE;
}

static enum verdict atomic(struct sdma *p)
{
	if (p->dw[0] >> 25 != SDMA_ATOMIC_ADD64)
		return UNKNOWN;
	__atomic_fetch_add((uint64_t *)memory__host(address(&p->dw[1])), address(&p->dw[3]),
			   __ATOMIC_ACQ_REL);
	end_op(p->q);
	return DONE;
}

static enum verdict timestamp(struct sdma *p)
{
	struct sdma_state *s = &p->q->sdma;

	s->time = later(s->time, p->q->available);
	*(volatile uint64_t *)memory__host(address(&p->dw[1])) =
		clock__gpu_ticks(p->q->gpu, s->time);
	return DONE;
}

static enum verdict execute(struct sdma *p, uint32_t *length)
{
	switch ((enum sdma_op)bits(p->dw[0], 0, 8)) {
	case SDMA_NOP:
		*length = 1 + bits(p->dw[0], 16, 14);
		return DONE;
	case SDMA_COPY:
		return copy(p, length);
	case SDMA_FENCE:
		*length = 4;
		return fence(p);
	case SDMA_TRAP:
		*length = 2;
		return trap(p);
	case SDMA_POLL:
		*length = 6;
		return poll(p);
	case SDMA_ATOMIC:
		*length = 8;
		return atomic(p);
	case SDMA_FILL:
		*length = 5;
		return fill(p);
	case SDMA_TIMESTAMP:
		*length = 3;
		return timestamp(p);
	case SDMA_GCR:
		*length = 5;
		return DONE;
	default:
		return UNKNOWN;
	}
}

static void fetch(struct sdma *p)
{
	const uint8_t *ring = memory__host(p->q->ring);
	uint64_t left = (p->q->limit - p->q->read) / sizeof(uint32_t), i, place;

	memset(p->dw, 0, sizeof(p->dw));
	for (i = 0; i < MAX_DWORDS && i < left; i++) {
		place = (p->q->read + i * sizeof(uint32_t)) % p->q->ring_size;
		p->dw[i] = *(const volatile uint32_t *)(ring + place);
	}
}

static void advance(struct queue *q, uint32_t length)
{
	q->read += length * sizeof(uint32_t);
	q->blocked_since = 0;
	__atomic_store_n(q->read_pointer, q->read, __ATOMIC_RELEASE);
}

static void end_move(struct queue *q)
{
	struct sdma_state *s = &q->sdma;

	truth__write(q, &s->truth);
	s->time = s->truth.end;
	s->moving = false;
	advance(q, s->length);
}

/* Executes the packet at the read pointer. Returns 0 to go on, else when to look again. */
static uint64_t step_packet(struct queue *q, uint64_t now)
{
	struct sdma p = {.q = q, .now = now};
	uint32_t length = 0;

	fetch(&p);
	switch (execute(&p, &length)) {
	case DONE:
		advance(q, length);
		return 0;
	case MOVING:
		q->sdma.length = length;
		return 0;
	case BLOCKED:
		return queue_blocked(q, now);
	default:
		sim__log(1, "queue %u: sdma packet %#x is not simulated", q->number, p.dw[0]);
		queue_stop(q);
		return NEVER;
	}
}

/*
 * Packets submitted while the queue is busy become available when it is not: otherwise the end of
 * the copy at work would be dated by the doorbell of the next one.
 */
static void take_doorbell(struct queue *q, uint64_t now)
{
	if (q->doorbell_seen <= q->limit)
		return;
	q->limit = q->doorbell_seen;
	q->available = now;
}

/* The clock is read after the doorbell, or a copy could begin before it was submitted. */
uint64_t sdma__step(struct queue *q)
{
	uint64_t doorbell = __atomic_load_n(q->doorbell, __ATOMIC_ACQUIRE);
	uint64_t now = clock__boot_ns(), again = 0;
	int budget = PACKETS_PER_STEP;

	q->doorbell_seen = doorbell;
	while (!again) {
		if (!budget--)
			return now;
		if (q->sdma.moving) {
			if (q->sdma.truth.end > now)
				return q->sdma.truth.end;
			end_move(q);
		}
		if (q->read >= q->limit)
			take_doorbell(q, now);
		again = q->read < q->limit ? step_packet(q, now) : NEVER;
	}
	return again;
}
