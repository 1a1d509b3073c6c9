/* SPDX-License-Identifier: MIT */
/*
 * The dispatch path: sees every packet of the application before the GPU does, and has the GPU
 * record when it ran.
 *
 * An application writes a packet into a queue's ring and then stores to the queue's doorbell, by a
 * function that stores to a signal: that function calls us. While dormant, that is one branch.
 * While recording, the packets that have been written since the last time are looked at, in place,
 * and then we make the doorbell store. A kernel's dispatch packet, on demand a barrier packet too,
 * that has no completion signal gets one of ours, into which the GPU writes the times; that is one
 * store of eight bytes. If the application's own signal S is there, it stays: the times are taken
 * from it (application_signals.c), and nothing is in the application's way. Only an S that counts
 * several operations cannot hold the times of each: ours completes, and the runtime's handler
 * thread counts S down (signal_relay.c).
 *
 * With several producers, a thread may submit packet 6 while 5 is reserved and not written yet. The
 * GPU would start 5 as soon as it is written, before we have seen it: so we store no doorbell value
 * beyond the packets that we have seen. The doorbell store of the thread that writes 5 submits both
 * 5 and 6.
 *
 * We do not see packets that the GPU takes before the doorbell store for them. These are packets
 * that a doorbell store of the runtime itself releases. They are also packets that are written
 * while a queue that had been taken off the hardware comes back. They run as they are, and are
 * counted as lost. A packet that the GPU takes while we look at it has no times; the look may be
 * long if a tool receives the packet. By then its place in the ring may hold another packet, with a
 * signal that some thread waits for.
 */
#include <string.h>

#include "hsa_agent/gpu/packets.h"
#include "hsa_agent/gpu/queue_internal.h"
#include "hsa_agent/gpu/signal_relay.h"

#define SIGNAL_OFFSET offsetof(hsa_kernel_dispatch_packet_t, completion_signal)
_Static_assert(SIGNAL_OFFSET == offsetof(hsa_barrier_and_packet_t, completion_signal) &&
		       SIGNAL_OFFSET == offsetof(hsa_barrier_or_packet_t, completion_signal) &&
		       SIGNAL_OFFSET == offsetof(hsa_amd_barrier_value_packet_t, completion_signal),
	       "one place for the completion signal");

typedef void (*store_fn)(hsa_signal_t signal, hsa_signal_value_t value);

static union packet *packet_at(const struct queue *q, uint64_t index)
{
	return packet_in(q->hsa, index);
}

/* Does a tracer want it, if it wants anything? */
static bool tracer_wants(enum rt_agent_kind kind)
{
	return kind == RT_AGENT_DISPATCH ||
	       (kind == RT_AGENT_BARRIER &&
		__atomic_load_n(&agent.wants, __ATOMIC_RELAXED) & RT_AGENT_WANT_BARRIERS);
}

static const hsa_kernel_dispatch_packet_t *kernel_of(const union packet *pkt, uint16_t header)
{
	return header_type(header) == HSA_PACKET_TYPE_KERNEL_DISPATCH ? &pkt->dispatch : NULL;
}

/* ---- the record ---- */

/* Which thread's packet it is: see packet_owners.c. */
static void fill_owner(struct rt_agent_rec *rec, const struct queue *q, uint64_t index)
{
	struct owner owner;

	rec->time = call_spans__now();
	if (!owners__find(&q->owners, index, &owner))
		return;
	rec->tid = owner.tid;
	if (!owners__are_elsewhere(q->hsa, index, &owner)) {
		call_spans__in(&rec->corr, &rec->root);
		return;
	}
	rec->dispatch.passed_on = rec->time;
	rec->time = owner.time;
	rec->corr = owner.corr;
	rec->root = owner.root;
}

static void fill_dispatch(struct rt_agent_rec *rec, const hsa_kernel_dispatch_packet_t *pkt)
{
	rec->dispatch.kernel = kernel__id(pkt->kernel_object);
	rec->dispatch.grid[0] = pkt->grid_size_x;
	rec->dispatch.grid[1] = pkt->grid_size_y;
	rec->dispatch.grid[2] = pkt->grid_size_z;
	rec->dispatch.workgroup[0] = pkt->workgroup_size_x;
	rec->dispatch.workgroup[1] = pkt->workgroup_size_y;
	rec->dispatch.workgroup[2] = pkt->workgroup_size_z;
	rec->dispatch.lds = pkt->group_segment_size;
	rec->dispatch.scratch = pkt->private_segment_size;
	rec->dispatch.kernel_object = pkt->kernel_object;
}

static bool write_record(const struct queue *q, enum rt_agent_kind kind, uint64_t op,
			 uint64_t index, const union packet *pkt)
{
	struct rt_agent_rec *rec;
	uint64_t pos;

	rec = shared_memory__claim(&agent.shm, kind, &pos);
	if (!rec)
		return false;
	rec->flags = pkt->header & 1u << HSA_PACKET_HEADER_BARRIER ? RT_AGENT_F_BARRIER : 0;
	rec->op = op;
	rec->dispatch.agent = q->device_id;
	rec->dispatch.queue = q->id;
	if (kind == RT_AGENT_DISPATCH)
		fill_dispatch(rec, &pkt->dispatch);
	fill_owner(rec, q, index);
	shared_memory__publish(rec, pos);
	return true;
}

/* A tracer that wants the packet does not get it. */
static void lose(enum rt_agent_kind kind)
{
	if (agent_wanted() && tracer_wants(kind))
		shared_memory__lose(&agent.shm, kind);
}

/* ... nor has the client got it: it receives the packet with unknown times. */
static void lose_for_all(const struct queue *q, uint64_t index, const union packet *pkt,
			 uint16_t header)
{
	enum rt_agent_kind kind = packet_kind(pkt, header);

	lose(kind);
	client__ended(client__packet_submitted(q, kind, index, kernel_of(pkt, header)),
		      &(struct times){0}, false);
}

/*
 * Reports the packet, and notes the receivers of its end. False: there are none. (If the GPU has
 * taken the packet already, its header may not show its type any more.)
 */
static bool tell_submitted(const struct queue *q, enum rt_agent_kind kind, uint64_t index,
			   const union packet *pkt, struct notice *n)
{
	if (agent_active() && tracer_wants(kind))
		n->recorded = write_record(q, kind, n->op, index, pkt);
	else
		lose(kind);
	n->operation = client__packet_submitted(q, kind, index,
						kind == RT_AGENT_DISPATCH ? &pkt->dispatch : NULL);
	return notice_anybody(n);
}

/* ---- the signal ---- */

/* The GPU has taken it before the doorbell store: its place may be another packet's by now. */
static bool is_taken(const struct queue *q, uint64_t index, const union packet *pkt)
{
	uint16_t header = __atomic_load_n(&pkt->header, __ATOMIC_ACQUIRE);

	return header_type(header) == HSA_PACKET_TYPE_INVALID ||
	       hsa.core.hsa_queue_load_read_index_scacquire_fn(q->hsa) > index;
}

/* False: the packet is taken. A signal that another packet has been given since is not touched. */
static bool set_signal(const struct queue *q, uint64_t index, union packet *pkt, hsa_signal_t own,
		       hsa_signal_t signal)
{
	return !is_taken(q, index, pkt) &&
	       __atomic_compare_exchange_n(&pkt->dispatch.completion_signal.handle, &own.handle,
					   signal.handle, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}

/* The end of a signal may be reported at once: so its receivers are noted before. */
static bool has_timer(struct queue *q, uint64_t index, union packet *pkt, struct op *op)
{
	if (op->own)
		return !is_taken(q, index, pkt) && shadow__watch(op->timed, op);
	if (!set_signal(q, index, pkt, (hsa_signal_t){0}, op->timed))
		return false;
	q->ready.handle = 0;
	return true;
}

/* The packet has no signal, or one that stays. False: that cannot be, or there is no room. */
static bool record_packet(struct queue *q, enum rt_agent_kind kind, uint64_t index,
			  union packet *pkt)
{
	hsa_signal_t own = pkt->dispatch.completion_signal;
	struct op *op = inflight__next(q);

	if (!op || (own.handle ? !signal__is_real(own) || !shadow__reserve(own)
			       : !inflight__make_ready(q)))
		return false;
	*op = (struct op){.notice = {.op = agent_next_op()},
			  .device = q->device,
			  .device_id = q->device_id,
			  .timed = own.handle ? own : q->ready,
			  .own = own.handle};
	if (!tell_submitted(q, kind, index, pkt, &op->notice)) {
		if (own.handle)
			shadow_drop(own);
		return true; /* counted */
	}
	if (op->notice.recorded)
		flight__begin(op->notice.op, op->timed, q->device_id, op->own ? RT_FLIGHT_OWN : 0);
	if (has_timer(q, index, pkt, op))
		inflight__push(q);
	else
		inflight__tell_untimed(&op->notice, op->device_id);
	return true;
}

static void shared_ended(struct relay *r, hsa_signal_value_t value)
{
	struct times times;

	if (!agent.shm.base)
		return;
	inflight__read_times(&r->notice, r->device, r->timed, &times);
	inflight__tell_done(&r->notice, r->device_id, &times, value);
}

/* The packet is one of several that complete the same signal. False: there is no room. */
static bool record_shared(struct queue *q, enum rt_agent_kind kind, uint64_t index,
			  union packet *pkt)
{
	struct relay *r = signal_relay__new(pkt->dispatch.completion_signal);
	hsa_signal_t timed;

	if (!r)
		return false;
	r->device = q->device;
	r->device_id = q->device_id;
	if (!tell_submitted(q, kind, index, pkt, &r->notice)) {
		signal_relay__put(r);
		return true; /* counted */
	}
	timed = r->timed; /* read now: later the relay may be another operation's */
	if (!signal_relay__start(r, shared_ended)) {
		inflight__tell_untimed(&r->notice, r->device_id);
		signal_relay__put(r);
	} else if (!set_signal(q, index, pkt, r->own, timed)) {
		inflight__tell_untimed(&r->notice, r->device_id);
		signal_relay__cancel(r);
	}
	return true;
}

/* The client's function may ring this queue's doorbell: see store_slowly. */
static void tell_packet(struct queue *q, const union packet *pkt, uint16_t header)
{
	if (unlikely(client__wants_packets()))
		client__packet(q, pkt, kernel_of(pkt, header));
}

/* The GPU is about to be given the packet. Also a while after recording has ended: see reaper.c. */
static void look_at(struct queue *q, uint64_t index, union packet *pkt, uint16_t header)
{
	enum rt_agent_kind kind = packet_kind(pkt, header);
	hsa_signal_t own = pkt->dispatch.completion_signal;

	tell_packet(q, pkt, header);
	if (own.handle)
		shadow_drop(own);
	if (!q->watched) {
		lose_for_all(q, index, pkt, header);
	} else if ((agent_active() && tracer_wants(kind)) || client__wants(kind)) {
		if (!record_packet(q, kind, index, pkt) &&
		    !(signal__is_real(own) && record_shared(q, kind, index, pkt)))
			lose_for_all(q, index, pkt, header);
	} else {
		lose(kind);
	}
}

/* ---- the doorbell ---- */

static uint64_t write_index(const struct queue *q)
{
	return hsa.core.hsa_queue_load_write_index_scacquire_fn(q->hsa);
}

/* Past the last packet that is reserved, or submitted by a program that keeps no write index. */
static uint64_t end_of_packets(const struct queue *q, uint64_t written)
{
	uint64_t rung = q->asked + 1;

	return rung > written && rung - q->scanned <= q->hsa->size ? rung : written;
}

/*
 * Looks at the packets after the last look. A packet that is reserved and not written yet ends it.
 */
static void look_at_new(struct queue *q, uint64_t written)
{
	for (; q->scanned < end_of_packets(q, written); q->scanned++) {
		union packet *pkt = packet_at(q, q->scanned);
		uint16_t header = __atomic_load_n(&pkt->header, __ATOMIC_ACQUIRE);

		if (header_type(header) != HSA_PACKET_TYPE_INVALID)
			look_at(q, q->scanned, pkt, header);
		else if (hsa.core.hsa_queue_load_read_index_scacquire_fn(q->hsa) <= q->scanned)
			break;
		else if (agent_wanted()) /* the GPU has taken it already */
			shared_memory__lose(&agent.shm, RT_AGENT_DISPATCH);
		owners__let_go(&q->owners, q->scanned);
	}
}

static void pass_on(struct queue *q, store_fn store)
{
	int64_t seen = (int64_t)q->scanned - 1;
	int64_t value = q->asked < seen ? q->asked : seen;

	if (value <= q->rung)
		return;
	__atomic_store_n(&q->rung, value, __ATOMIC_RELAXED);
	store(q->hsa->doorbell_signal, value);
}

/*
 * The application submits the packets up to `value`. A packet that is neither reserved nor visible
 * in the ring must not be kept waiting: such a program submits in a way that we do not know.
 */
static void follow(struct queue *q, hsa_signal_value_t value)
{
	int64_t written = write_index(q), first = q->asked < written ? written : q->asked + 1;

	if (value >= first && agent_follows())
		owners__note(q->hsa, first, value + 1 - first);
	if (value > q->asked)
		__atomic_store_n(&q->asked, value, __ATOMIC_RELAXED);
	look_at_new(q, written);
	if (value >= written && value >= (int64_t)q->scanned)
		q->follows = false;
}

/* What was reserved before we follow the queue is from before the client wanted anything. */
static void lose_unseen(const struct queue *q, uint64_t index)
{
	const union packet *pkt = packet_at(q, index);

	if (q->follows)
		lose(packet_kind(pkt, pkt->header));
	else
		lose_for_all(q, index, pkt, pkt->header);
}

static void ring(struct queue *q, hsa_signal_value_t value, store_fn store)
{
	if (q->follows && value >= q->begun)
		follow(q, value);
	if (q->follows && value >= q->begun) {
		pass_on(q, store);
		return;
	}
	/* Counts only the last of several packets submitted at once: the first is not known. */
	lose_unseen(q, value);
	store(q->hsa->doorbell_signal, value);
}

static void __attribute__((noinline))
store_slowly(hsa_signal_t signal, hsa_signal_value_t value, store_fn store)
{
	struct queue *q = queues__by_doorbell(signal);

	if (!q) {
		store(signal, value);
		return;
	}
	/* It goes with those that are being looked at. */
	if (unlikely(client__is_told_of(q))) {
		if (value > q->asked)
			__atomic_store_n(&q->asked, value, __ATOMIC_RELAXED);
		return;
	}
	pthread_mutex_lock(&q->lock);
	ring(q, value, store);
	pthread_mutex_unlock(&q->lock);
}

/* The one branch that a launch pays while packets are not looked at. */
#define STORE(order)                                                                         \
	void hook_hsa_signal_store_##order(hsa_signal_t signal, hsa_signal_value_t value)    \
	{                                                                                    \
		if (likely(!(agent_watching() | agent_asked())))                             \
			hsa.core.hsa_signal_store_##order##_fn(signal, value);               \
		else                                                                         \
			store_slowly(signal, value, hsa.core.hsa_signal_store_##order##_fn); \
	}

STORE(relaxed)
STORE(screlease)

/* The thread that writes a packet that is not written yet submits it, and has it counted. */
static void lose_held_back(const struct queue *q)
{
	uint64_t end = (uint64_t)q->asked + 1;

	for (uint64_t i = q->scanned; i < end && i - q->scanned < q->hsa->size; i++) {
		const union packet *pkt = packet_at(q, i);
		uint16_t header = __atomic_load_n(&pkt->header, __ATOMIC_ACQUIRE);

		if (header_type(header) != HSA_PACKET_TYPE_INVALID)
			lose_for_all(q, i, pkt, header);
	}
}

void dispatch__follow(struct queue *q, bool on)
{
	pthread_mutex_lock(&q->lock);
	if (on && !q->follows) {
		q->scanned = hsa.core.hsa_queue_load_read_index_scacquire_fn(q->hsa);
		if (q->scanned < write_index(q))
			q->scanned = write_index(q);
		q->begun = (int64_t)q->scanned;
		__atomic_store_n(&q->asked, q->begun - 1, __ATOMIC_RELAXED);
		__atomic_store_n(&q->rung, q->begun - 1, __ATOMIC_RELAXED);
	} else if (!on && q->follows && q->asked > q->rung) {
		lose_held_back(q);
		hsa.core.hsa_signal_store_screlease_fn(q->hsa->doorbell_signal, q->asked);
	}
	q->follows = on;
	pthread_mutex_unlock(&q->lock);
}

/* Read without the lock. While packets are held back, `asked` is above `rung`. */
static bool holds_back(const struct queue *q)
{
	return __atomic_load_n(&q->asked, __ATOMIC_RELAXED) >
	       __atomic_load_n(&q->rung, __ATOMIC_RELAXED);
}

void dispatch__pass_on(struct queue *q)
{
	/* If it is locked, a thread is storing to the doorbell. */
	if (!holds_back(q) || pthread_mutex_trylock(&q->lock))
		return;
	/* No further than that: a packet after those will be looked at by the thread that submits
	 * it. */
	if (q->follows) {
		look_at_new(q, q->asked + 1);
		pass_on(q, hsa.core.hsa_signal_store_screlease_fn);
	}
	pthread_mutex_unlock(&q->lock);
}
