/* SPDX-License-Identifier: MIT */
/*
 * The library of the process that receives operations and packets, if there is one: agent_client.h.
 */
#include "abi/agent_client.h"

#include <errno.h>

#include "hsa_agent/gpu/queue_internal.h"
#include "hsa_agent/calls/call_stubs.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT rtrace_agent_tell_fn rtrace_agent_tell;
EXPORT rtrace_agent_collect_fn rtrace_agent_collect;
EXPORT rtrace_agent_behind_fn rtrace_agent_behind;

static const struct rtrace_client *client;

/* The queue with the packet, or operation, that the thread is reporting. */
static __thread const struct queue *telling __attribute__((tls_model("initial-exec")));

/* The first one stays it. */
static bool is_client(const struct rtrace_client *c)
{
	const struct rtrace_client *now = __atomic_load_n(&client, __ATOMIC_ACQUIRE);

	if (!now && __atomic_compare_exchange_n(&client, &now, c, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
		return true;
	return now == c;
}

int rtrace_agent_tell(uint32_t version, const struct rtrace_client *c)
{
	if (version != RTRACE_CLIENT_VERSION)
		return -EPROTO;
	if (!is_client(c))
		return -EBUSY;
	if (!telling)
		return reaper__ask_client() ? 0 : -EAGAIN;
	/*
	 * The locks are taken; packets are looked at. What another thread asks for meanwhile must
	 * not be taken back: the reaper does that, and the rest.
	 */
	__atomic_fetch_or(&agent.told, c->wants(), __ATOMIC_RELEASE);
	reaper__ask_client_later();
	return 0;
}

void rtrace_agent_collect(void)
{
	if (!telling)
		queues__reap();
}

void *rtrace_agent_behind(void *function)
{
	return call_stubs__behind(function);
}

uint32_t client__wishes(void)
{
	const struct rtrace_client *c = __atomic_load_n(&client, __ATOMIC_ACQUIRE);

	return c ? c->wants() : 0;
}

static uint32_t want_of(enum rt_agent_kind kind)
{
	switch (kind) {
	case RT_AGENT_DISPATCH:
		return RTRACE_WANT_KERNELS;
	case RT_AGENT_BARRIER:
		return RTRACE_WANT_BARRIERS;
	case RT_AGENT_COPY:
		return RTRACE_WANT_COPIES;
	default:
		return 0;
	}
}

bool client__wants(enum rt_agent_kind kind)
{
	return agent_told() & want_of(kind);
}

bool client__wants_packets(void)
{
	return agent_told() & RTRACE_WANT_PACKETS;
}

static const char *name_of(const hsa_kernel_dispatch_packet_t *kernel)
{
	return kernel ? kernel__name(kernel->kernel_object) : NULL;
}

struct rtrace_caller client__caller(void)
{
	return client->caller();
}

uint64_t client__hold(uint64_t subscriber_id)
{
	return subscriber_id && client->hold(subscriber_id) ? subscriber_id : 0;
}

void client__release(uint64_t subscriber_id)
{
	client->release(subscriber_id);
}

void *client__packet_submitted(const struct queue *q, enum rt_agent_kind kind, uint64_t index,
			       const hsa_kernel_dispatch_packet_t *kernel)
{
	struct rtrace_operation op = {
		.wanted_as = want_of(kind),
		.queue = q->id,
		.packet = kernel,
		.hsa_queue = q->hsa,
	};
	const struct queue *outer = telling;
	struct owner owner;
	void *operation;

	if (!client__wants(kind))
		return NULL;
	op.passed_on = owners__find_other(q->hsa, &q->owners, index, &owner);
	if (!op.passed_on)
		owner = (struct owner){.caller = client->caller(), .tid = agent__tid()};
	op.caller = owner.caller;
	op.tid = owner.tid;
	op.node = device__node(q->device_id);
	op.kernel = name_of(kernel);
	telling = q;
	operation = client->submitted(&op);
	telling = outer;
	return operation;
}

void *client__copy_submitted(const struct copy_request *r)
{
	struct rtrace_operation op = {
		.wanted_as = RTRACE_WANT_COPIES,
		.bytes = r->bytes,
		.src = r->src,
		.dst = r->dst,
	};

	/* The interfaces for tools have no name for a fill. */
	if (!client__wants(RT_AGENT_COPY) || r->flags & RT_AGENT_F_FILL)
		return NULL;
	op.caller = client->caller();
	op.tid = agent__tid();
	op.node = device__node(r->agent);
	op.src_node = device__node(r->src_agent);
	op.dst_node = device__node(r->dst_agent);
	return client->submitted(&op);
}

void client__ended(void *operation, const struct times *times, bool failed)
{
	if (operation)
		client->ended(operation, times->runtime_begin, times->runtime_end, failed);
}

void client__packet(const struct queue *q, const void *packet,
		    const hsa_kernel_dispatch_packet_t *kernel)
{
	const struct rtrace_packet p = {
		.packet = packet,
		.queue = q->hsa,
		.node = device__node(q->device_id),
		.kernel = name_of(kernel),
	};
	const struct queue *outer = telling;

	telling = q;
	client->packet(&p);
	telling = outer;
}

bool client__is_told_of(const struct queue *q)
{
	return telling == q;
}
