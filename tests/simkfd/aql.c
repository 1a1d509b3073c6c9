/* SPDX-License-Identifier: MIT */
/*
 * The packet processor of compute queues: AQL packets, as gfx9 firmware treats them.
 *
 * The doorbell's value is the index of the last packet. A packet is taken by copying it, setting
 * its slot's header to INVALID and only then advancing the read index, which lets producers use the
 * slot.
 *
 * Threads that share a queue may store to the doorbell in another order than that of their packets,
 * and then only the last value written stays. So the highest one counts; and packets that are
 * complete (valid header, index below the write index) but were submitted by no doorbell store are
 * run after a grace period.
 *
 * A queue's time line: a packet begins when it and a doorbell for it were seen, or when a packet
 * before it has made room (barrier bit, SIMKFD_OVERLAP), plus SIMKFD_GAP_NS if nothing else is in
 * flight.
 *
 * A kernel that needs more private memory than its queue has scratch memory for waits until the
 * runtime has been asked for it and has answered.
 */
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <string.h>

#include "tests/simkfd/blit.h"
#include "tests/simkfd/event.h"
#include "tests/simkfd/kernel.h"
#include "tests/simkfd/memory.h"
#include "tests/simkfd/queue.h"
#include "tests/simkfd/simkfd.h"

#define PACKET_SIZE	     64
#define PACKETS_PER_STEP     64 /* then the other queues have their turn */
#define BYTES_PER_NS	     400 /* what a blit kernel takes for its bytes, beside SIMKFD_KERNEL_NS */
#define FORMAT_BARRIER_VALUE 2	 /* of vendor packets; 1 is a PM4 indirect buffer */
#define QUEUE_NEEDS_SCRATCH  1	 /* in queue_inactive_signal: the next kernel has too little; */
#define QUEUE_ERROR_PACKET   32 /*     the packet's format is wrong */
#define FAULT_ADDRESS	     0xdead0000

union packet {
	uint16_t header;
	hsa_kernel_dispatch_packet_t dispatch;
	hsa_barrier_and_packet_t barrier;
	hsa_amd_barrier_value_packet_t vendor;
};

_Static_assert(sizeof(union packet) == PACKET_SIZE, "AQL packets have one size");

enum verdict {
	RUN,	 /* the packet has begun */
	BLOCKED, /* it waits for a signal */
	HALTED,	 /* the queue is out of service */
};

/* ---- signals ---- */

static amd_signal_t *signal_host(uint64_t handle)
{
	return memory__host(handle);
}

static int64_t signal_value(hsa_signal_t signal)
{
	return __atomic_load_n(&signal_host(signal.handle)->value, __ATOMIC_ACQUIRE);
}

static amd_queue_t *queue_descriptor(const struct queue *q)
{
	return (amd_queue_t *)((char *)q->read_pointer - offsetof(amd_queue_t, read_dispatch_id));
}

static void send_interrupt(uint64_t mailbox, uint32_t event_id)
{
	if (!mailbox)
		return;
	*(volatile uint64_t *)memory__host(mailbox) = event_id;
	event__signal(event_id);
}

/* Mailbox and event are read first: once the value is 0 the signal may be freed. */
static void complete_signal(const struct queue *q, uint64_t handle, const struct truth *t)
{
	amd_signal_t *signal = signal_host(handle);
	uint64_t mailbox = signal->event_mailbox_ptr;
	uint32_t event_id = signal->event_id;

	if (queue_descriptor(q)->queue_properties & AMD_QUEUE_PROPERTIES_ENABLE_PROFILING) {
		signal->start_ts = clock__gpu_ticks(q->gpu, t->begin);
		signal->end_ts = clock__gpu_ticks(q->gpu, t->end);
	}
	__atomic_fetch_sub(&signal->value, 1, __ATOMIC_ACQ_REL);
	send_interrupt(mailbox, event_id);
}

/* As the firmware reports it: an error code in queue_inactive_signal, and the queue halts. */
static void queue_error(struct queue *q, int64_t code)
{
	uint64_t handle = queue_descriptor(q)->queue_inactive_signal.handle;
	amd_signal_t *signal = signal_host(handle);

	queue_stop(q);
	sim__log(1, "queue %u: error %lld", q->number, (long long)code);
	if (!handle)
		return;
	__atomic_store_n(&signal->value, code, __ATOMIC_RELEASE);
	send_interrupt(signal->event_mailbox_ptr, signal->event_id);
}

/* ---- packets ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* When the next packet begins if nothing but the queue itself holds it up. */
static uint64_t begin_time(const struct queue *q, uint64_t gap)
{
	const struct aql_state *s = &q->aql;

	return later(q->available, later(s->last_begin, s->last_end + (s->flying ? 0 : gap)));
}

static void run_host_function(const struct kernel *k, const hsa_kernel_dispatch_packet_t *p,
			      const void *args)
{
	struct simkfd_dispatch dispatch = {
		.grid = {p->grid_size_x, p->grid_size_y, p->grid_size_z},
		.workgroup = {p->workgroup_size_x, p->workgroup_size_y, p->workgroup_size_z},
		.kernarg = args,
		.host = memory__host,
	};

	k->run(&dispatch);
}

static enum verdict begin_dispatch(struct queue *q, const union packet *packet, struct truth *t)
{
	const hsa_kernel_dispatch_packet_t *p = &packet->dispatch;
	const struct kernel *k = kernel__by_object(p->kernel_object);
	const void *args = NULL;

	if (p->kernarg_address)
		args = memory__host((uint64_t)(uintptr_t)p->kernarg_address);
	t->kind = "dispatch";
	t->kernel = k ? k->name : NULL;
	t->grid[0] = p->grid_size_x;
	t->grid[1] = p->grid_size_y;
	t->grid[2] = p->grid_size_z;
	t->workgroup[0] = p->workgroup_size_x;
	t->workgroup[1] = p->workgroup_size_y;
	t->workgroup[2] = p->workgroup_size_z;
	if (k && k->faults) {
		event__memory_fault(q->gpu, FAULT_ADDRESS);
		queue_stop(q);
		return HALTED;
	}
	if (k && k->blit && args)
		t->bytes = k->blit(args);
	else if (k && k->run)
		run_host_function(k, p, args);
	else if (!k && args && blit__nameless(args, p->grid_size_x, &t->bytes))
		t->kind = "blit";
	t->begin = begin_time(q, config.gap_ns);
	t->end = t->begin + (k ? k->duration : config.kernel_ns) + t->bytes / BYTES_PER_NS;
	sim__log(2, "queue %u: %s %s, %llu bytes", q->number, t->kind, t->kernel ? t->kernel : "-",
		 (unsigned long long)t->bytes);
	return RUN;
}

/*
 * False: the runtime has been asked for more scratch memory, by a value in queue_inactive_signal,
 * and has not set it back yet. When it has, the kernel runs with what there is.
 */
static bool has_scratch(struct queue *q, const hsa_kernel_dispatch_packet_t *p)
{
	const amd_queue_t *descriptor = queue_descriptor(q);
	uint64_t handle = descriptor->queue_inactive_signal.handle;
	amd_signal_t *signal;

	if (!handle || (!q->aql.scratch_asked &&
			p->private_segment_size <= descriptor->scratch_wave64_lane_byte_size))
		return true;
	signal = signal_host(handle);
	if (!q->aql.scratch_asked) {
		sim__log(1, "queue %u: %u bytes of scratch memory are needed", q->number,
			 p->private_segment_size);
		q->aql.scratch_asked = true;
		__atomic_store_n(&signal->value, QUEUE_NEEDS_SCRATCH, __ATOMIC_RELEASE);
		send_interrupt(signal->event_mailbox_ptr, signal->event_id);
		return false;
	}
	if (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE))
		return false;
	q->aql.scratch_asked = false;
	q->available = clock__boot_ns();
	return true;
}

static bool barrier_open(const hsa_barrier_and_packet_t *p, bool any, bool *depends)
{
	unsigned int i, signals = 0, satisfied = 0;

	for (i = 0; i < 5; i++) {
		if (!p->dep_signal[i].handle)
			continue;
		signals++;
		satisfied += signal_value(p->dep_signal[i]) == 0;
	}
	*depends = signals;
	return any ? !signals || satisfied : satisfied == signals;
}

static bool barrier_value_open(const hsa_amd_barrier_value_packet_t *p, bool *depends)
{
	int64_t value;

	*depends = p->signal.handle;
	if (!p->signal.handle)
		return true;
	value = signal_value(p->signal) & p->mask;
	switch (p->cond) {
	case HSA_SIGNAL_CONDITION_EQ:
		return value == p->value;
	case HSA_SIGNAL_CONDITION_NE:
		return value != p->value;
	case HSA_SIGNAL_CONDITION_LT:
		return value < p->value;
	default:
		return value >= p->value;
	}
}

static enum verdict begin_barrier(struct queue *q, bool open, bool depends, struct truth *t)
{
	if (!open)
		return BLOCKED;
	t->kind = "barrier";
	t->begin = begin_time(q, 0);
	if (depends) /* what it depends on was the case only just now */
		t->begin = later(t->begin, clock__boot_ns());
	t->end = t->begin;
	return RUN;
}

static enum verdict begin_pm4(struct queue *q, struct truth *t)
{
	t->kind = "pm4";
	t->begin = begin_time(q, 0);
	t->end = t->begin;
	return RUN;
}

static enum verdict begin_packet(struct queue *q, const union packet *p, struct truth *t)
{
	uint8_t type = p->header >> HSA_PACKET_HEADER_TYPE;
	bool depends = false, open;

	switch (type) {
	case HSA_PACKET_TYPE_KERNEL_DISPATCH:
		return has_scratch(q, &p->dispatch) ? begin_dispatch(q, p, t) : BLOCKED;
	case HSA_PACKET_TYPE_BARRIER_AND:
	case HSA_PACKET_TYPE_BARRIER_OR:
		open = barrier_open(&p->barrier, type == HSA_PACKET_TYPE_BARRIER_OR, &depends);
		return begin_barrier(q, open, depends, t);
	case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
		if (p->vendor.header.AmdFormat != FORMAT_BARRIER_VALUE)
			return begin_pm4(q, t);
		open = barrier_value_open(&p->vendor, &depends);
		return begin_barrier(q, open, depends, t);
	default:
		queue_error(q, QUEUE_ERROR_PACKET);
		return HALTED;
	}
}

/* ---- the queue ---- */

static uint16_t *slot_header(const struct queue *q, uint64_t index)
{
	uint8_t *ring = memory__host(q->ring);

	return (uint16_t *)(ring + index % (q->ring_size / PACKET_SIZE) * PACKET_SIZE);
}

static uint16_t load_header(const uint16_t *slot)
{
	return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

static bool is_invalid(uint16_t header)
{
	return (uint8_t)(header >> HSA_PACKET_HEADER_TYPE) == HSA_PACKET_TYPE_INVALID;
}

static bool has_barrier_bit(uint16_t header)
{
	return header >> HSA_PACKET_HEADER_BARRIER & 1;
}

static void look_at_doorbell(struct queue *q)
{
	uint64_t doorbell = __atomic_load_n(q->doorbell, __ATOMIC_ACQUIRE);

	if (doorbell == q->doorbell_seen)
		return;
	q->doorbell_seen = doorbell;
	if ((int64_t)(doorbell + 1 - q->limit) > 0)
		q->limit = doorbell + 1;
	q->aql.unrung_since = 0;
}

/*
 * A thread may store the index of its own packet before another thread has written an earlier one.
 * The clock is read after it, or a packet could begin before it was written or submitted.
 */
static void look_at_packets(struct queue *q)
{
	uint64_t end = q->read + q->ring_size / PACKET_SIZE, before = q->aql.written;

	while (q->aql.written < q->limit && q->aql.written < end &&
	       !is_invalid(load_header(slot_header(q, q->aql.written))))
		q->aql.written++;
	if (q->aql.written != before)
		q->available = clock__boot_ns();
}

static bool is_unrung(const struct queue *q)
{
	return q->limit < *q->write_pointer && !is_invalid(load_header(slot_header(q, q->limit)));
}

/* Returns when the grace period of packets without a doorbell store ends, or NEVER. */
static uint64_t look_for_unrung(struct queue *q, uint64_t now)
{
	if (q->read < q->limit || !is_unrung(q)) {
		q->aql.unrung_since = 0;
		return NEVER;
	}
	if (!q->aql.unrung_since)
		q->aql.unrung_since = now;
	if (now < q->aql.unrung_since + config.unrung_ns)
		return q->aql.unrung_since + config.unrung_ns;
	while (is_unrung(q) && q->limit < q->read + q->ring_size / PACKET_SIZE)
		q->limit++;
	q->aql.unrung_since = 0;
	return now;
}

/* Completes what has ended by now, earliest end first. Returns the next end, or NEVER. */
static uint64_t complete_flights(struct queue *q, uint64_t now)
{
	struct aql_state *s = &q->aql;
	struct flight *first, done;
	unsigned int i;

	while (s->flying) {
		first = &s->flights[0];
		for (i = 1; i < s->flying; i++)
			if (s->flights[i].truth.end < first->truth.end)
				first = &s->flights[i];
		if (first->truth.end > now)
			return first->truth.end;
		done = *first;
		s->flying--;
		memmove(first, first + 1, (char *)&s->flights[s->flying] - (char *)first);
		s->last_end = later(s->last_end, done.truth.end);
		truth__write(q, &done.truth);
		if (done.signal)
			complete_signal(q, done.signal, &done.truth);
	}
	return NEVER;
}

/* Takes a packet that has begun out of the ring. */
static void take_packet(struct queue *q, const union packet *p, uint16_t *slot)
{
	struct aql_state *s = &q->aql;
	struct flight *f = &s->flights[s->flying++];

	f->signal = p->barrier.completion_signal.handle;
	f->truth.n = q->read;
	f->truth.op = q->op;
	f->truth.barrier = has_barrier_bit(p->header);
	if (f->signal || strcmp(f->truth.kind, "blit"))
		q->op++;
	s->last_begin = f->truth.begin;
	q->blocked_since = 0;
	__atomic_store_n(slot, HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE, __ATOMIC_RELEASE);
	q->read++;
	__atomic_store_n(q->read_pointer, q->read, __ATOMIC_RELEASE);
}

/* Begins the next packet if it may. Else returns false, with *next the time to look again. */
static bool begin_next(struct queue *q, uint64_t now, uint64_t *next)
{
	struct flight *f = &q->aql.flights[q->aql.flying];
	enum verdict verdict;
	union packet packet;
	uint16_t *slot;

	if (q->read >= q->limit || q->aql.flying >= config.overlap)
		return false;
	if (q->read >= q->aql.written) {
		*next = queue_blocked(q, now);
		return false;
	}
	slot = slot_header(q, q->read);
	packet.header = load_header(slot);
	if (has_barrier_bit(packet.header) && q->aql.flying)
		return false;
	memcpy(&packet, slot, sizeof(packet));
	memset(&f->truth, 0, sizeof(f->truth));
	verdict = begin_packet(q, &packet, &f->truth);
	if (verdict == RUN) {
		take_packet(q, &packet, slot);
		return true;
	}
	if (verdict == BLOCKED)
		*next = queue_blocked(q, now);
	return false;
}

uint64_t aql__step(struct queue *q)
{
	uint64_t now, end, again = NEVER, unrung;
	int budget = PACKETS_PER_STEP;

	look_at_doorbell(q);
	look_at_packets(q);
	now = clock__boot_ns();
	do {
		end = complete_flights(q, now);
		if (!budget--)
			return now;
	} while (begin_next(q, now, &again));
	unrung = look_for_unrung(q, now);
	if (unrung < again)
		again = unrung;
	return end < again ? end : again;
}
