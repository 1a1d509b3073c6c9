/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies: learns when they ran.
 *
 * While recording, a copy completes one of our signals in the place of the application's. The
 * runtime's handler thread then calls copy_done, which takes the times, writes the record and only
 * then completes the application's signal: a program that has waited for its copy finds it
 * recorded.
 */
#include <stdlib.h>

#include "hsa_agent/core.h"

#define LINE_TRIES 4

struct copy {
	struct copy *next;  /* in the list of unused ones */
	hsa_signal_t timed; /* ours: the copy completes it */
	hsa_signal_t own;   /* the application's */
	uint64_t op;
	uint32_t gpu; /* whose clock the runtime takes for the times; 0: none */
	bool refused; /* by the runtime: there will be no copy */
};

/* What is known of a copy when it is submitted. */
struct request {
	uint32_t src_agent, dst_agent;
	uint64_t bytes;
	const void *src, *dst;
	uint32_t engine; /* from 1; 0: the runtime chooses */
	uint16_t flags;	 /* RT_AGENT_F_* */
};

static pthread_mutex_t unused_lock = PTHREAD_MUTEX_INITIALIZER;
static struct copy *unused;

static struct copy *new_copy(void)
{
	struct copy *c;

	pthread_mutex_lock(&unused_lock);
	c = unused;
	if (c)
		unused = c->next;
	pthread_mutex_unlock(&unused_lock);
	if (!c)
		c = malloc(sizeof(*c));
	if (!c)
		return NULL;
	c->refused = false;
	c->timed = signal_take_interrupt();
	if (c->timed.handle)
		return c;
	free(c);
	return NULL;
}

static void put_copy(struct copy *c)
{
	signal_put_interrupt(c->timed);
	pthread_mutex_lock(&unused_lock);
	c->next = unused;
	unused = c;
	pthread_mutex_unlock(&unused_lock);
}

struct times {
	hsa_amd_profiling_async_copy_time_t runtime;
	uint64_t begin, end;
	bool ticks; /* begin and end are; else they are the runtime's, too */
};

static bool same_line(const struct clock_line *a, const struct clock_line *b)
{
	return a->ticks == b->ticks && a->from == b->from && a->to == b->to;
}

/*
 * The runtime tells only what it has made of the ticks. They are found again by its own line, which
 * must have been the same before and after.
 */
static void read_times(const struct copy *c, struct times *t)
{
	struct clock_line before, after = {0};

	*t = (struct times){.ticks = false};
	for (int i = 0; i < LINE_TRIES && !t->ticks; i++) {
		bool known = clocks_line(c->gpu, &before);

		/* Fails when the application's wish not to have times was in time. */
		if (hsa.amd.hsa_amd_profiling_get_async_copy_time_fn(c->timed, &t->runtime)) {
			t->runtime.start = t->runtime.end = 0;
			return;
		}
		t->begin = t->runtime.start;
		t->end = t->runtime.end;
		if (!known)
			return;
		t->ticks = clocks_line(c->gpu, &after) && same_line(&before, &after);
	}
	if (t->ticks) {
		t->begin = clocks_to_ticks(&after, t->begin);
		t->end = clocks_to_ticks(&after, t->end);
	}
}

static void record_done(const struct copy *c, hsa_signal_value_t value, const struct times *t)
{
	struct rt_agent_rec *rec;
	uint64_t pos;

	rec = shm_claim(&agent.shm, RT_AGENT_DONE, &pos);
	if (!rec)
		return;
	rec->op = c->op;
	rec->flags = t->ticks ? RT_AGENT_F_TICKS : 0;
	rec->done.agent = t->ticks ? c->gpu : 0;
	rec->done.gpu_begin = t->begin;
	rec->done.gpu_end = t->end;
	rec->done.status = value < 0 ? (uint64_t)value : 0;
	rec->time = shm_now();
	shm_publish(rec, pos);
}

/*
 * Completes the application's signal as the copy would have done: one less, or the error. The times
 * go into it as well, for an application that reads them from there.
 */
static void complete_own(const struct copy *c, hsa_signal_value_t value)
{
	const amd_signal_t *from = signal_abi(c->timed);
	amd_signal_t *to = signal_abi(c->own);

	to->start_ts = from->start_ts;
	to->end_ts = from->end_ts;
	if (value < 0)
		hsa.core.hsa_signal_store_screlease_fn(c->own, value);
	else
		hsa.core.hsa_signal_subtract_screlease_fn(c->own, 1);
}

/* Called by the runtime's handler thread. False: once is enough. */
static bool copy_done(hsa_signal_value_t value, void *arg)
{
	struct copy *c = arg;
	struct times times;

	if (c->refused) {
		put_copy(c);
		return false;
	}
	read_times(c, &times);
	if (agent.shm.base)
		record_done(c, value, &times);
	shadow_settle(c->own, c->op, times.runtime.start, times.runtime.end);
	complete_own(c, value);
	put_copy(c);
	return false;
}

static bool record_copy(uint64_t op, const struct request *r)
{
	struct rt_agent_rec *rec;
	uint64_t pos;

	rec = shm_claim(&agent.shm, RT_AGENT_COPY, &pos);
	if (!rec)
		return false;
	rec->tid = agent_tid();
	rec->op = op;
	rec->flags = r->flags;
	rec->copy.engine = r->engine;
	rec->copy.src_agent = r->src_agent;
	rec->copy.dst_agent = r->dst_agent;
	rec->copy.bytes = r->bytes;
	rec->copy.src = (uint64_t)r->src;
	rec->copy.dst = (uint64_t)r->dst;
	rec->time = shm_now();
	shm_publish(rec, pos);
	return true;
}

/*
 * Records a copy that is about to be submitted and replaces its completion signal. NULL: the copy
 * is to be submitted as it is. An empty copy completes nothing in the runtime, so it is not
 * touched.
 */
static struct copy *begin(const struct request *r, hsa_signal_t *completion)
{
	bool is_copy = r->bytes && completion->handle;
	struct copy *c = NULL;

	if (is_copy && agent_active())
		c = new_copy();
	if (is_copy && !c && agent_wanted())
		shm_lose(&agent.shm, RT_AGENT_COPY);
	if (!c)
		goto untouched;
	c->op = agent_next_op();
	c->own = *completion;
	c->gpu = device_gpu(r->src_agent).handle ? r->src_agent : r->dst_agent;
	signal_abi(c->timed)->start_ts = 0;
	signal_abi(c->timed)->end_ts = 0;
	hsa.core.hsa_signal_store_relaxed_fn(c->timed, 1);
	if (!shadow_expect(c->own, c->op, (hsa_signal_t){0})) {
		shm_lose(&agent.shm, RT_AGENT_COPY);
		goto put;
	}
	if (!record_copy(c->op, r))
		goto put;
	if (!hsa.amd.hsa_amd_signal_async_handler_fn(c->timed, HSA_SIGNAL_CONDITION_LT, 1,
						     copy_done, c)) {
		*completion = c->timed;
		return c;
	}
	record_done(c, 0, &(struct times){0});
put:
	put_copy(c);
untouched:
	if (completion->handle)
		shadow_drop(*completion);
	return NULL;
}

/* The runtime has answered: a copy that it refused is handed to the handler to be put away. */
static hsa_status_t submitted(struct copy *c, hsa_status_t status)
{
	if (!c || status == HSA_STATUS_SUCCESS)
		return status;
	record_done(c, -1, &(struct times){0});
	shadow_drop(c->own);
	c->refused = true;
	hsa.core.hsa_signal_store_screlease_fn(c->timed, 0);
	return status;
}

hsa_status_t copies__async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
				hsa_agent_t src_agent, size_t size, uint32_t num_deps,
				const hsa_signal_t *deps, hsa_signal_t completion)
{
	const struct request r = {
		.src_agent = device_id(src_agent),
		.dst_agent = device_id(dst_agent),
		.bytes = size,
		.src = src,
		.dst = dst,
	};
	struct copy *c = begin(&r, &completion);

	return submitted(c, hsa.amd.hsa_amd_memory_async_copy_fn(dst, dst_agent, src, src_agent,
								 size, num_deps, deps, completion));
}

hsa_status_t copies__async_copy_rect(const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,
				     const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,
				     const hsa_dim3_t *range, hsa_agent_t copy_agent,
				     hsa_amd_copy_direction_t dir, uint32_t num_deps,
				     const hsa_signal_t *deps, hsa_signal_t completion)
{
	struct request r = {0};
	struct copy *c;

	if (dst && src && range) {
		uint32_t host = device_cpu_id(), gpu = device_id(copy_agent);

		r.src_agent = dir == hsaHostToDevice || dir == hsaHostToHost ? host : gpu;
		r.dst_agent = dir == hsaDeviceToHost || dir == hsaHostToHost ? host : gpu;
		r.flags = RT_AGENT_F_RECT;
		r.bytes = (uint64_t)range->x * range->y * range->z;
		r.src = src->base;
		r.dst = dst->base;
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
	const struct request r = {
		.src_agent = device_id(src_agent),
		.dst_agent = device_id(dst_agent),
		.bytes = size,
		.src = src,
		.dst = dst,
		.engine = __builtin_ffs(engine), /* a mask of one bit */
		.flags = force_sdma ? RT_AGENT_F_SDMA : 0,
	};
	struct copy *c = begin(&r, &completion);

	return submitted(c, hsa.amd.hsa_amd_memory_async_copy_on_engine_fn(
				    dst, dst_agent, src, src_agent, size, num_deps, deps,
				    completion, engine, force_sdma));
}
#endif

/* ---- the runtime's switch for the times of copies ---- */

static pthread_mutex_t switch_lock = PTHREAD_MUTEX_INITIALIZER;
static bool wanted_by_app, wanted_by_us;

hsa_status_t copies__profiling_enable(bool enable)
{
	hsa_status_t status;

	pthread_mutex_lock(&switch_lock);
	status = hsa.amd.hsa_amd_profiling_async_copy_enable_fn(enable || wanted_by_us);
	if (status == HSA_STATUS_SUCCESS)
		wanted_by_app = enable;
	pthread_mutex_unlock(&switch_lock);
	return status;
}

void copies_profile(bool on)
{
	pthread_mutex_lock(&switch_lock);
	wanted_by_us = on;
	hsa.amd.hsa_amd_profiling_async_copy_enable_fn(wanted_by_app || wanted_by_us);
	pthread_mutex_unlock(&switch_lock);
}

void copies_release(void)
{
	pthread_mutex_lock(&switch_lock);
	wanted_by_app = wanted_by_us = false;
	pthread_mutex_unlock(&switch_lock);
}

void copies_forked(void)
{
	pthread_mutex_init(&unused_lock, NULL);
	pthread_mutex_init(&switch_lock, NULL);
	wanted_by_app = wanted_by_us = false;
}
