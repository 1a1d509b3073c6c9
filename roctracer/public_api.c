// SPDX-License-Identifier: MIT
/*
 * The public functions: what is enabled, pools, external ids, and when to trace.
 *
 * Changes are made one at a time, under one lock; what must be waited for is waited for when it has
 * been released, as callbacks of the tool may want to change things, too.
 */
#include "inprocess/tsc_clock.h"
#include "roctracer/domains.h"
#include "roctracer/hsa.h"
#include "roctracer/hsa_ops.h"
#include "roctracer/record_pools.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hsa.h"
#include "roctracer/status.h"
#include "roctracer/enabled_operations.h"

#define ALL UINT32_MAX /* domains; operations of a domain */

static struct pool *default_pool;
static roctracer_start_cb_t start_cb;
static roctracer_stop_cb_t stop_cb;

/* ---- what is enabled ---- */

/* Of an operation, or ALL of a domain. */
struct change {
	const char *function;
	uint32_t domain, op;
	bool enable;
	bool records; /* else callbacks */
	activity_rtapi_callback_t callback;
	void *arg;
	struct pool *pool; /* NULL: the default one */
};

static roctracer_status_t find_domain(const struct change *c, struct domain *d)
{
	if (domain__get(c->domain, d))
		return ROCTRACER_STATUS_SUCCESS;
	return fail(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "%s: there is no domain %u",
		    c->function, c->domain);
}

static bool needs_agent(const struct change *c)
{
	return c->domain == ACTIVITY_DOMAIN_HSA_OPS ||
	       (c->domain == ACTIVITY_DOMAIN_HSA_EVT && c->op == HSA_EVT_ID_SUBMIT);
}

static roctracer_status_t check(struct change *c, const struct domain *d)
{
	if (c->op != ALL && c->op >= d->end)
		return fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
			    "%s: domain %u has no operation %u", c->function, c->domain, c->op);
	if (c->enable && needs_agent(c) && !hsa_ops__can_be())
		return fail(ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED,
			    "%s: domain %u needs librtrace-agent.so, which is not where this "
			    "library is",
			    c->function, c->domain);
	if (!c->enable || !d->end)
		return ROCTRACER_STATUS_SUCCESS;
	if (!c->records && !c->callback)
		return fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "%s: no callback",
			    c->function);
	if (!c->records)
		return ROCTRACER_STATUS_SUCCESS;
	if (!c->pool)
		c->pool = default_pool;
	if (!c->pool)
		return fail(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED,
			    "%s: no pool is named and there is no default one", c->function);
	return ROCTRACER_STATUS_SUCCESS;
}

static roctracer_status_t apply_to(const struct change *c, const struct domain *d, uint32_t op)
{
	if (c->records) {
		table__set_pool(d->table, op, c->enable ? c->pool : NULL);
		return ROCTRACER_STATUS_SUCCESS;
	}
	if (table__set_callback(d->table, op, c->enable ? c->callback : NULL, c->arg))
		return ROCTRACER_STATUS_SUCCESS;
	return fail(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "%s: no memory", c->function);
}

/* EXT_API has no operations that can be enabled, and needs no pool: it never had, for programs. */
static roctracer_status_t enable_marks(const struct change *c, const struct domain *d)
{
	struct pool *p = c->pool ? c->pool : default_pool;

	table__set_pool(d->table, ACTIVITY_EXT_OP_MARK, c->enable ? p : NULL);
	return ROCTRACER_STATUS_SUCCESS;
}

static roctracer_status_t apply(const struct change *c, const struct domain *d)
{
	uint32_t first = c->op == ALL ? d->first : c->op;
	uint32_t end = c->op == ALL ? d->end : c->op + 1;
	roctracer_status_t status = ROCTRACER_STATUS_SUCCESS;

	if (!(c->records ? d->has_records : d->has_callbacks))
		return ROCTRACER_STATUS_SUCCESS;
	if (c->domain == ACTIVITY_DOMAIN_EXT_API)
		return enable_marks(c, d);
	for (uint32_t op = first; op < end && !status; op++)
		status = apply_to(c, d, op);
	if (d->engage)
		d->engage();
	return status;
}

/* What was in the way of the change is out of use when this returns. */
static void wait(const struct change *c, const struct domain *d)
{
	uint32_t first = c->op == ALL ? 0 : c->op;
	uint32_t end = c->op == ALL ? d->table->count : c->op + 1;

	if (c->records)
		table__wait_pools(d->table, first, end);
	else
		table__wait_callbacks(d->table, first, end);
}

static roctracer_status_t make_in_one(struct change c)
{
	roctracer_status_t status;
	struct domain d;

	domains__lock();
	status = find_domain(&c, &d);
	if (!status)
		status = check(&c, &d);
	if (!status)
		status = apply(&c, &d);
	domains__unlock();
	if (status)
		return status;
	if (d.settle)
		d.settle();
	wait(&c, &d);
	return ROCTRACER_STATUS_SUCCESS;
}

/* Of all domains those that are not traced are left out. */
static roctracer_status_t make(struct change c)
{
	roctracer_status_t status;

	if (c.records && (c.domain == ALL || c.domain == ACTIVITY_DOMAIN_HSA_OPS))
		hsa_ops__collect();
	if (c.domain != ALL)
		return make_in_one(c);
	for (c.domain = 0; c.domain < ACTIVITY_DOMAIN_NUMBER; c.domain++) {
		status = make_in_one(c);
		if (status && status != ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED)
			return status;
	}
	return ROCTRACER_STATUS_SUCCESS;
}

static roctracer_status_t callbacks(const char *function, uint32_t domain, uint32_t op, bool enable,
				    activity_rtapi_callback_t callback, void *arg)
{
	return make((struct change){.function = function,
				    .domain = domain,
				    .op = op,
				    .enable = enable,
				    .callback = callback,
				    .arg = arg});
}

static roctracer_status_t records(const char *function, uint32_t domain, uint32_t op, bool enable,
				  struct pool *pool)
{
	return make((struct change){.function = function,
				    .domain = domain,
				    .op = op,
				    .enable = enable,
				    .records = true,
				    .pool = pool});
}

/* ---- callbacks ---- */

roctracer_status_t roctracer_enable_op_callback(activity_domain_t domain, uint32_t op,
						activity_rtapi_callback_t callback, void *arg)
{
	return callbacks(__func__, domain, op, true, callback, arg);
}

roctracer_status_t roctracer_enable_domain_callback(activity_domain_t domain,
						    activity_rtapi_callback_t callback, void *arg)
{
	return callbacks(__func__, domain, ALL, true, callback, arg);
}

roctracer_status_t roctracer_enable_callback(activity_rtapi_callback_t callback, void *arg)
{
	return callbacks(__func__, ALL, ALL, true, callback, arg);
}

roctracer_status_t roctracer_disable_op_callback(activity_domain_t domain, uint32_t op)
{
	return callbacks(__func__, domain, op, false, NULL, NULL);
}

roctracer_status_t roctracer_disable_domain_callback(activity_domain_t domain)
{
	return callbacks(__func__, domain, ALL, false, NULL, NULL);
}

roctracer_status_t roctracer_disable_callback(void)
{
	return callbacks(__func__, ALL, ALL, false, NULL, NULL);
}

/* ---- records ---- */

roctracer_status_t roctracer_enable_op_activity_expl(activity_domain_t domain, uint32_t op,
						     roctracer_pool_t *pool)
{
	return records(__func__, domain, op, true, pool);
}

roctracer_status_t roctracer_enable_op_activity(activity_domain_t domain, uint32_t op)
{
	return records(__func__, domain, op, true, NULL);
}

roctracer_status_t roctracer_enable_domain_activity_expl(activity_domain_t domain,
							 roctracer_pool_t *pool)
{
	return records(__func__, domain, ALL, true, pool);
}

roctracer_status_t roctracer_enable_domain_activity(activity_domain_t domain)
{
	return records(__func__, domain, ALL, true, NULL);
}

roctracer_status_t roctracer_enable_activity_expl(roctracer_pool_t *pool)
{
	return records(__func__, ALL, ALL, true, pool);
}

roctracer_status_t roctracer_enable_activity(void)
{
	return records(__func__, ALL, ALL, true, NULL);
}

roctracer_status_t roctracer_disable_op_activity(activity_domain_t domain, uint32_t op)
{
	return records(__func__, domain, op, false, NULL);
}

roctracer_status_t roctracer_disable_domain_activity(activity_domain_t domain)
{
	return records(__func__, domain, ALL, false, NULL);
}

roctracer_status_t roctracer_disable_activity(void)
{
	return records(__func__, ALL, ALL, false, NULL);
}

roctracer_status_t roctracer_next_record(const activity_record_t *record,
					 const activity_record_t **next)
{
	if (!record || !next)
		return fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "%s: NULL", __func__);
	*next = record + 1;
	return ROCTRACER_STATUS_SUCCESS;
}

/* ---- pools ---- */

static roctracer_status_t open_pool(const char *function, const roctracer_properties_t *properties,
				    roctracer_pool_t **result)
{
	roctracer_status_t status;
	struct pool *p;

	if (!properties || !properties->buffer_callback_fun)
		return fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
			    "%s: no properties, or no callback for buffers", function);
	domains__lock();
	if (!result && default_pool)
		status = fail(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED,
			      "%s: there is a default pool already", function);
	else
		status = pool__open(properties, &p);
	if (!status && result)
		*result = p;
	else if (!status)
		default_pool = p;
	domains__unlock();
	if (status == ROCTRACER_STATUS_ERROR || status == ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION)
		fail(status, "%s: no %s", function,
		     status == ROCTRACER_STATUS_ERROR ? "thread" : "memory");
	return status;
}

roctracer_status_t roctracer_open_pool_expl(const roctracer_properties_t *properties,
					    roctracer_pool_t **pool)
{
	return open_pool(__func__, properties, pool);
}

roctracer_status_t roctracer_open_pool(const roctracer_properties_t *properties)
{
	return open_pool(__func__, properties, NULL);
}

static void take_out(struct domain *d, void *pool)
{
	if (!d->has_records)
		return;
	table__remove_pool(d->table, pool);
	if (d->engage)
		d->engage();
}

static void wait_for_writers(struct domain *d, void *arg)
{
	if (d->has_records)
		table__wait_pools(d->table, 0, d->table->count);
}

static roctracer_status_t close_pool(const char *function, struct pool *p)
{
	if (pool__is_a_thread())
		return fail(ROCTRACER_STATUS_ERROR, "%s: not from a pool's callback", function);
	hsa_ops__collect(); /* what has ended has a place in it */
	domains__lock();
	if (!p)
		p = default_pool;
	if (p == default_pool)
		default_pool = NULL;
	if (p)
		domains__each(take_out, p);
	domains__unlock();
	if (p) {
		hsa_ops__settle();
		domains__each(wait_for_writers, NULL);
		pool__close(p);
	}
	return ROCTRACER_STATUS_SUCCESS;
}

roctracer_status_t roctracer_close_pool_expl(roctracer_pool_t *pool)
{
	return close_pool(__func__, pool);
}

roctracer_status_t roctracer_close_pool(void)
{
	return close_pool(__func__, NULL);
}

roctracer_pool_t *roctracer_default_pool_expl(roctracer_pool_t *pool)
{
	roctracer_pool_t *before;

	domains__lock();
	before = default_pool;
	if (pool)
		default_pool = pool;
	domains__unlock();
	return before;
}

roctracer_pool_t *roctracer_default_pool(void)
{
	return roctracer_default_pool_expl(NULL);
}

roctracer_status_t roctracer_flush_activity_expl(roctracer_pool_t *pool)
{
	struct pool *p = pool ? pool : roctracer_default_pool();

	hsa_ops__collect();
	if (p)
		pool__flush(p);
	return ROCTRACER_STATUS_SUCCESS;
}

roctracer_status_t roctracer_flush_activity(void)
{
	return roctracer_flush_activity_expl(NULL);
}

/* ---- what the application provides ---- */

roctracer_status_t roctracer_activity_push_external_correlation_id(activity_correlation_id_t id)
{
	struct thread *t = thread__self();

	if (t && ids__push(&t->external, id))
		return ROCTRACER_STATUS_SUCCESS;
	return fail(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "%s: no memory", __func__);
}

roctracer_status_t
roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id)
{
	struct thread *t = thread_current;
	uint64_t id = t ? ids__top(&t->external) : 0;

	if (last_id)
		*last_id = id;
	if (!t || !t->external.count)
		return fail(ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID,
			    "%s: more were popped than pushed", __func__);
	t->external.count--;
	return ROCTRACER_STATUS_SUCCESS;
}

void roctracer_start(void)
{
	if (__atomic_exchange_n(&table_stopped, false, __ATOMIC_RELAXED) && start_cb)
		start_cb();
}

void roctracer_stop(void)
{
	if (!__atomic_exchange_n(&table_stopped, true, __ATOMIC_RELAXED) && stop_cb)
		stop_cb();
}

void roctracer_mark(const char *message)
{
	struct thread *t = thread__self();
	activity_record_t record = {
		.domain = ACTIVITY_DOMAIN_EXT_API,
		.op = ACTIVITY_EXT_OP_MARK,
	};

	if (!t || !message)
		return;
	record.begin_ns = record.end_ns = clock__now(&t->clock);
	record.process_id = thread__pid();
	record.thread_id = t->link.tid;
	if (table__has_pool(&ext_marks, ACTIVITY_EXT_OP_MARK))
		table__record_op(&ext_marks, t, &record, message);
}

/* ---- the rest ---- */

roctracer_status_t roctracer_set_properties(roctracer_domain_t domain, void *properties)
{
	const roctracer_ext_properties_t *p = properties;

	switch (domain) {
	case ACTIVITY_DOMAIN_HSA_API:
	case ACTIVITY_DOMAIN_HSA_OPS:
	case ACTIVITY_DOMAIN_HSA_EVT:
	case ACTIVITY_DOMAIN_HIP_API:
	case ACTIVITY_DOMAIN_HIP_OPS:
	case ACTIVITY_DOMAIN_KFD_API:
		return ROCTRACER_STATUS_SUCCESS;
	case ACTIVITY_DOMAIN_EXT_API:
		if (!p)
			break;
		start_cb = p->start_cb;
		stop_cb = p->stop_cb;
		return ROCTRACER_STATUS_SUCCESS;
	default:
		return fail(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
			    "%s: domain %u has no properties", __func__, domain);
	}
	return fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "%s: NULL", __func__);
}

roctracer_status_t roctracer_get_timestamp(roctracer_timestamp_t *timestamp)
{
	struct thread *t = thread__self();

	if (!timestamp)
		return fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "%s: NULL", __func__);
	if (!t)
		return fail(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "%s: no memory", __func__);
	*timestamp = hsa__is_initialised() ? clock__now(&t->clock) : 0;
	return ROCTRACER_STATUS_SUCCESS;
}

int roctracer_load(void)
{
	return 1;
}

void roctracer_unload(void)
{
}

void roctracer_flush_buf(void)
{
}
