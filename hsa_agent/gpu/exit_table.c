/* SPDX-License-Identifier: MIT */
/* The table of the operations in flight, in the shared memory: see rt_agent_flight. */
#include "hsa_agent/core/agent_internal.h"

static struct rt_agent_flight *slot_of(uint64_t op)
{
	return &agent.shm.flights[op % RT_AGENT_FLIGHT_SLOTS];
}

/* An operation that is still in flight when its slot is wanted again is left out. */
void flight__begin(uint64_t op, hsa_signal_t signal, uint32_t device, uint32_t flags)
{
	struct rt_agent_flight *f = slot_of(op);

	/* Times that only the runtime can convert are of no use without it. */
	if (!clocks__have_ticks())
		return;
	__atomic_store_n(&f->op, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&f->signal, signal.handle, __ATOMIC_RELEASE);
	f->agent = device;
	f->flags = flags;
	__atomic_store_n(&f->op, op, __ATOMIC_RELEASE);
}

void flight__end(uint64_t op)
{
	struct rt_agent_flight *f = slot_of(op);

	if (__atomic_load_n(&f->op, __ATOMIC_RELAXED) == op)
		__atomic_store_n(&f->op, 0, __ATOMIC_SEQ_CST);
}

uint64_t flight__round(uint64_t numbered)
{
	struct rt_agent_state *state = agent.shm.state;
	uint64_t oldest = state->oldest;

	while (oldest < numbered &&
	       __atomic_load_n(&slot_of(oldest)->op, __ATOMIC_ACQUIRE) != oldest)
		oldest++;
	__atomic_store_n(&state->oldest, oldest, __ATOMIC_RELEASE);
	return __atomic_load_n(&state->ops, __ATOMIC_RELAXED) + 1;
}
