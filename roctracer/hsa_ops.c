// SPDX-License-Identifier: MIT
/*
 * The work that HSA's functions give to GPUs, and when GPUs ran it, as librtrace-agent.so reports
 * it. The agent looks at queues and copies, once for a tracer and for us.
 *
 * An operation has the correlation id of the call in which it was submitted.
 */
#include "roctracer/hsa_ops.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "abi/agent_client.h"
#include "inprocess/load_agent.h"
#include "roctracer/graph_work.h"
#include "roctracer/hip.h"
#include "roctracer/hsa.h"
#include "roctracer/hsa_events.h"
#include "roctracer/record_pools.h"
#include "roctracer/roctracer_hsa.h"
#include "abi/roctracer_subscriber.h"

TABLE(hsa_ops, ACTIVITY_DOMAIN_HSA_OPS, HSA_OP_ID_NUMBER);

/* What the agent keeps for us while an operation is in flight. */
struct operation {
	activity_record_t record;
	bool record_it;	  /* of HSA_OPS */
	uint64_t graph;	  /* that it is of, if HIP needs to know; 0: none */
	void *subscribed; /* the subscriber's; NULL: not reported to it */
};

/* The agent's functions; once found they stay. */
static rtrace_agent_tell_fn *agent_tell;
static rtrace_agent_collect_fn *agent_collect;

/* ---- what the agent calls ---- */

/* HIP does not say all of its own operations: see graph_work.h. */
static bool hip_needs(uint32_t op)
{
	return graph_work__wants(op) && table__is_enabled(&hip_ops, op);
}

static const struct rtrace_subscriber *subscriber(void)
{
	return __atomic_load_n(&subscriber_of_calls, __ATOMIC_ACQUIRE);
}

static uint32_t wanted_by_subscriber(void)
{
	const struct rtrace_subscriber *s = subscriber();

	return s && s->wants ? s->wants() : 0;
}

static uint32_t wants(void)
{
	uint32_t all = 0;

	if (table__is_enabled(&hsa_ops, HSA_OP_ID_DISPATCH) || hip_needs(HSA_OP_ID_DISPATCH))
		all |= RTRACE_WANT_KERNELS;
	if (table__is_enabled(&hsa_ops, HSA_OP_ID_COPY) || hip_needs(HSA_OP_ID_COPY))
		all |= RTRACE_WANT_COPIES;
	if (table__is_enabled(&hsa_ops, HSA_OP_ID_BARRIER))
		all |= RTRACE_WANT_BARRIERS;
	if (table__is_enabled(&hsa_events, HSA_EVT_ID_SUBMIT))
		all |= RTRACE_WANT_PACKETS;
	return all | wanted_by_subscriber();
}

static struct rtrace_caller caller(void)
{
	const struct rtrace_subscriber *s = subscriber();
	const struct thread *t = thread_current;
	struct rtrace_caller c = {
		.id = t ? ids__top(&t->calls) : 0,
		.graph = t ? t->graph : 0,
	};

	if (s && s->in)
		s->in(&c.subscriber_id, &c.subscriber_ancestor);
	return c;
}

/* The id that the subscriber's `in` has returned. */
static bool hold(uint64_t id)
{
	return subscriber()->hold(id);
}

static void release(uint64_t id)
{
	subscriber()->release(id);
}

static uint32_t op_of(uint32_t wanted_as)
{
	switch (wanted_as) {
	case RTRACE_WANT_KERNELS:
		return HSA_OP_ID_DISPATCH;
	case RTRACE_WANT_COPIES:
		return HSA_OP_ID_COPY;
	default:
		return HSA_OP_ID_BARRIER;
	}
}

static void *submitted(const struct rtrace_operation *op)
{
	uint32_t what = op_of(op->wanted_as);
	uint64_t graph = graph_work__wants(what) ? op->caller.graph : 0;
	bool record_it = table__has_pool(&hsa_ops, what);
	void *subscribed =
		wanted_by_subscriber() & op->wanted_as ? subscriber_of_calls->submitted(op) : NULL;
	struct operation *o = record_it || graph || subscribed ? calloc(1, sizeof(*o)) : NULL;
	activity_record_t *record;

	if (!o && subscribed)
		subscriber_of_calls->ended(subscribed, 0, 0, false);
	if (!o)
		return NULL;
	o->subscribed = subscribed;
	o->graph = graph;
	o->record_it = record_it;
	record = &o->record;
	record->domain = ACTIVITY_DOMAIN_HSA_OPS;
	record->op = what;
	record->correlation_id = op->caller.id;
	record->device_id = op->node;
	record->queue_id = op->queue;
	if (what == HSA_OP_ID_COPY)
		record->bytes = op->bytes;
	else
		record->kernel_name = op->kernel;
	return o;
}

static void ended(void *operation, uint64_t begin, uint64_t end, bool failed)
{
	struct operation *o = operation;
	activity_record_t *record = &o->record;
	bool ran = begin || !failed;
	struct thread *t = ran && o->record_it ? thread__self() : NULL;

	record->begin_ns = hsa__to_ns(begin);
	record->end_ns = hsa__to_ns(end);
	if (o->graph)
		graph_work__put(o->graph, record);
	if (o->subscribed)
		subscriber_of_calls->ended(o->subscribed, record->begin_ns, record->end_ns, failed);
	if (t && table__is_enabled(&hsa_ops, record->op)) /* stopped or not, as it has begun */
		table__record_op(&hsa_ops, t, record,
				 record->op == HSA_OP_ID_DISPATCH ? record->kernel_name : NULL);
	free(o);
}

static void packet_written(const struct rtrace_packet *packet)
{
	hsa_evt_data_t data = {
		.submit =
			{
				.packet = packet->packet,
				.kernel_name = packet->kernel,
				.queue = packet->queue,
				.device_type = HSA_DEVICE_TYPE_GPU,
				.device_id = packet->node,
			},
	};
	struct thread *t = NULL;

	if (table__has_callback(&hsa_events, HSA_EVT_ID_SUBMIT))
		t = thread__self();
	if (t)
		table__call(&hsa_events, t, HSA_EVT_ID_SUBMIT, &data);
}

/* ---- what we ask of it ---- */

static const struct rtrace_client client = {wants,     caller, hold,	      release,
					    submitted, ended,  packet_written};

static void *load_agent(void)
{
	void *library = agent_library__load();

	if (!library)
		return NULL;
	__atomic_store_n(&agent_collect, dlsym(library, "rtrace_agent_collect"), __ATOMIC_RELAXED);
	__atomic_store_n(&agent_tell, dlsym(library, "rtrace_agent_tell"), __ATOMIC_RELEASE);
	return library;
}

bool hsa_ops__can_be(void)
{
	return agent_library__is_there();
}

/* If the runtime does not load us, it may load the agent. Then the agent has our functions. */
void hsa_ops__settle(void)
{
	rtrace_agent_tell_fn *tell = __atomic_load_n(&agent_tell, __ATOMIC_ACQUIRE);

	if (!tell && wants() && load_agent())
		tell = __atomic_load_n(&agent_tell, __ATOMIC_ACQUIRE);
	if (tell)
		tell(RTRACE_CLIENT_VERSION, &client);
}

void hsa_ops__collect(void)
{
	rtrace_agent_collect_fn *collect = __atomic_load_n(&agent_collect, __ATOMIC_RELAXED);

	if (collect && !region_is_inside() && !pool__is_a_thread())
		collect();
}

void hsa_ops__load(HsaApiTable *table, uint64_t version, uint64_t failed_count,
		   const char *const *failed_names)
{
	bool (*on_load)(HsaApiTable *, uint64_t, uint64_t, const char *const *) = NULL;
	void *library = load_agent();

	if (library)
		on_load = dlsym(library, "OnLoad");
	if (on_load)
		on_load(table, version, failed_count, failed_names);
	hsa_ops__settle();
}

void hsa_ops__unload(void)
{
	void *library = agent_library__find();
	void (*on_unload)(void) = library ? dlsym(library, "OnUnload") : NULL;

	if (on_unload)
		on_unload();
}
