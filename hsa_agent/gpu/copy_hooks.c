/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies: learns when they ran.
 *
 * While recording, a copy completes one of our signals in the place of the application's. The
 * runtime's handler thread then calls copy_done, which takes the times, writes the record and only
 * then completes the application's signal: a program that has waited for its copy finds it
 * recorded.
 */
#include "inprocess/peek.h"
#include "hsa_agent/gpu/signal_relay.h"

#define LINE_TRIES 4

struct copy_times {
	hsa_amd_profiling_async_copy_time_t runtime; /* what it has made of them */
	struct times times;
};

static bool same_line(const struct clock_line *a, const struct clock_line *b)
{
	return a->ticks == b->ticks && a->from == b->from && a->to == b->to;
}

/*
 * The runtime reports only the times that it has converted from the ticks. The ticks are recovered
 * by its own line, which must have been the same before and after.
 */
static void read_times(const struct relay *c, struct copy_times *t)
{
	struct clock_line before, after = {0};

	*t = (struct copy_times){0};
	for (int i = 0; i < LINE_TRIES && !t->times.ticks; i++) {
		bool known = clocks__line(c->device_id, &before);

		/* Fails when the application's wish not to have times was in time. */
		if (hsa.amd.hsa_amd_profiling_get_async_copy_time_fn(c->timed, &t->runtime)) {
			t->runtime.start = t->runtime.end = 0;
			return;
		}
		t->times.begin = t->times.runtime_begin = t->runtime.start;
		t->times.end = t->times.runtime_end = t->runtime.end;
		if (!known)
			return;
		t->times.ticks = clocks__line(c->device_id, &after) && same_line(&before, &after);
	}
	if (t->times.ticks) {
		t->times.begin = clocks__to_ticks(&after, t->times.begin);
		t->times.end = clocks__to_ticks(&after, t->times.end);
	}
}

static void copy_ended(struct relay *c, hsa_signal_value_t value)
{
	struct copy_times t;

	read_times(c, &t);
	if (agent.shm.base)
		inflight__tell_done(&c->notice, c->device_id, &t.times, value);
	shadow__settle_copy(c->own, c->notice.op, t.runtime.start, t.runtime.end);
}

static bool record_copy(uint64_t op, const struct copy_request *r)
{
	struct rt_agent_rec *rec;
	uint64_t pos;

	rec = shared_memory__claim(&agent.shm, RT_AGENT_COPY, &pos);
	if (!rec)
		return false;
	rec->tid = agent__tid();
	rec->op = op;
	call_spans__in(&rec->corr, &rec->root);
	rec->flags = r->flags;
	rec->copy.engine = r->engine;
	rec->copy.agent = r->agent;
	rec->copy.src_agent = r->src_agent;
	rec->copy.dst_agent = r->dst_agent;
	rec->copy.bytes = r->bytes;
	rec->copy.src = (uint64_t)r->src;
	rec->copy.dst = (uint64_t)r->dst;
	rec->time = call_spans__now();
	shared_memory__publish(rec, pos);
	return true;
}

void copies__lose(void)
{
	if (agent_wanted())
		shared_memory__lose(&agent.shm, RT_AGENT_COPY);
}

bool copies__tell_submitted(struct notice *n, const struct copy_request *r)
{
	if (agent_active())
		n->recorded = record_copy(n->op, r);
	else
		copies__lose();
	n->operation = client__copy_submitted(r);
	return notice_anybody(n);
}

bool copies__are_wanted(void)
{
	return agent_active() || client__wants(RT_AGENT_COPY);
}

/* NULL: that cannot be; the copy is then counted as lost and reported without times. */
static struct relay *new_relay(const struct copy_request *r, hsa_signal_t own)
{
	struct relay *c = signal_relay__new(own);

	if (c && shadow__expect_copy(own, c->notice.op)) {
		c->device_id = r->agent;
		c->flags = RT_FLIGHT_COPY;
		return c;
	}
	copies__lose();
	client__ended(client__copy_submitted(r), &(struct times){0}, false);
	if (c)
		signal_relay__put(c);
	return NULL;
}

/* A caller may name the GPU as both agents, whatever the addresses are. */
static void find_owner(uint32_t *agent, const void *address)
{
	uint32_t owner = device__id(memory_owner__of(&hsa, address, 1));

	if (owner)
		*agent = owner;
}

/*
 * Reports a copy that is about to be submitted and replaces its completion signal. NULL: the copy
 * is to be submitted as it is. An empty copy completes nothing in the runtime, so it is not
 * touched; nor is a copy without a signal, which the runtime refuses.
 */
static struct relay *begin(struct copy_request *r, hsa_signal_t *completion)
{
	bool is_copy = r->bytes && signal__is_real(*completion);
	struct relay *c = NULL;
	hsa_signal_t timed;

	if (is_copy && copies__are_wanted()) {
		find_owner(&r->src_agent, r->src);
		find_owner(&r->dst_agent, r->dst);
		c = new_relay(r, *completion);
	} else if (is_copy) {
		copies__lose();
	}
	if (!c)
		goto untouched;
	if (!copies__tell_submitted(&c->notice, r))
		goto put;
	timed = c->timed; /* read now: later the relay may be another operation's */
	if (!signal_relay__start(c, copy_ended)) {
		inflight__tell_untimed(&c->notice, 0);
		goto put;
	}
	/* From here on the runtime takes times until it has ended, see copies__profile. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (copies__are_wanted()) {
		*completion = timed;
		return c;
	}
	inflight__tell_untimed(&c->notice, 0);
	signal_relay__cancel(c);
	goto untouched;
put:
	signal_relay__put(c);
untouched:
	if (completion->handle)
		shadow_drop(*completion);
	return NULL;
}

/* The runtime has answered. */
static hsa_status_t submitted(struct relay *c, hsa_status_t status)
{
	if (!c || status == HSA_STATUS_SUCCESS)
		return status;
	shadow_drop(c->own);
	inflight__tell_done(&c->notice, 0, &(struct times){.refused = true}, -1);
	signal_relay__cancel(c);
	return status;
}

static struct copy_request plain(const void *dst, hsa_agent_t dst_agent, const void *src,
				 hsa_agent_t src_agent, size_t size)
{
	uint32_t from = device__id(src_agent), to = device__id(dst_agent);

	return (struct copy_request){
		.agent = device__gpu(from).handle ? from : to,
		.src_agent = from,
		.dst_agent = to,
		.bytes = size,
		.src = src,
		.dst = dst,
	};
}

hsa_status_t hook_hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
					    hsa_agent_t src_agent, size_t size, uint32_t num_deps,
					    const hsa_signal_t *deps, hsa_signal_t completion)
{
	struct copy_request r = plain(dst, dst_agent, src, src_agent, size);
	struct relay *c = begin(&r, &completion);

	return submitted(c, hsa.amd.hsa_amd_memory_async_copy_fn(dst, dst_agent, src, src_agent,
								 size, num_deps, deps, completion));
}

hsa_status_t hook_hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *dst,
						 const hsa_dim3_t *dst_offset,
						 const hsa_pitched_ptr_t *src,
						 const hsa_dim3_t *src_offset,
						 const hsa_dim3_t *range, hsa_agent_t copy_agent,
						 hsa_amd_copy_direction_t dir, uint32_t num_deps,
						 const hsa_signal_t *deps, hsa_signal_t completion)
{
	struct copy_request r = {0};
	hsa_pitched_ptr_t from, to;
	hsa_dim3_t size;
	struct relay *c;

	if (peek__all(&to, dst, sizeof(to)) && peek__all(&from, src, sizeof(from)) &&
	    peek__all(&size, range, sizeof(size))) {
		uint32_t host = device__cpu_id(), gpu = device__id(copy_agent);

		r.agent = gpu;
		r.src_agent = dir == hsaHostToDevice || dir == hsaHostToHost ? host : gpu;
		r.dst_agent = dir == hsaDeviceToHost || dir == hsaHostToHost ? host : gpu;
		r.flags = RT_AGENT_F_RECT;
		r.bytes = (uint64_t)size.x * size.y * size.z;
		r.src = from.base;
		r.dst = to.base;
	}
	c = begin(&r, &completion);
	return submitted(c, hsa.amd.hsa_amd_memory_async_copy_rect_fn(
				    dst, dst_offset, src, src_offset, range, copy_agent, dir,
				    num_deps, deps, completion));
}

#ifdef RT_HSA_HAS_hsa_amd_memory_async_copy_on_engine
hsa_status_t copies__async_copy_on_engine(void *dst, hsa_agent_t dst_agent, const void *src,
					  hsa_agent_t src_agent, size_t size, uint32_t num_deps,
					  const hsa_signal_t *deps, hsa_signal_t completion,
					  hsa_amd_sdma_engine_id_t engine, bool force_sdma)
{
	struct copy_request r = plain(dst, dst_agent, src, src_agent, size);
	struct relay *c;

	r.engine = __builtin_ffs(engine); /* a mask of one bit */
	r.flags = force_sdma ? RT_AGENT_F_SDMA : 0;
	c = begin(&r, &completion);
	return submitted(c, hsa.amd.hsa_amd_memory_async_copy_on_engine_fn(
				    dst, dst_agent, src, src_agent, size, num_deps, deps,
				    completion, engine, force_sdma));
}
#endif

/* ---- the runtime's switch for the times of copies ---- */

static pthread_mutex_t switch_lock = PTHREAD_MUTEX_INITIALIZER;
static bool wanted_by_app, wanted_by_us;

hsa_status_t hook_hsa_amd_profiling_async_copy_enable(bool enable)
{
	hsa_status_t status;

	pthread_mutex_lock(&switch_lock);
	status = hsa.amd.hsa_amd_profiling_async_copy_enable_fn(enable || wanted_by_us);
	if (status == HSA_STATUS_SUCCESS)
		wanted_by_app = enable;
	pthread_mutex_unlock(&switch_lock);
	return status;
}

void copies__profile(bool on)
{
	pthread_mutex_lock(&switch_lock);
	if (on != wanted_by_us) {
		wanted_by_us = on;
		hsa.amd.hsa_amd_profiling_async_copy_enable_fn(wanted_by_app || wanted_by_us);
	}
	pthread_mutex_unlock(&switch_lock);
}

void copies__release(void)
{
	pthread_mutex_lock(&switch_lock);
	wanted_by_app = wanted_by_us = false;
	pthread_mutex_unlock(&switch_lock);
}

void copies__forked(void)
{
	pthread_mutex_init(&switch_lock, NULL);
	wanted_by_app = wanted_by_us = false;
}
