// SPDX-License-Identifier: MIT
/*
 * External correlation ids. A thread's are read without a lock by itself, and changed under the
 * context's by any.
 */
#include "rocprofiler/service/external_correlation.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/raw_syscall.h"
#include "rocprofiler/service/context.h"
#include "rocprofiler/support/tables.h"
#include "rocprofiler/service/thread.h"
#include "rocprofiler/service/tools.h"

#define FIRST_IDS 8

struct external_thread {
	struct external_thread *next;
	uint32_t tid;
	uint32_t is_set; /* `top` is what was pushed last */
	uint64_t top;
	uint32_t count, capacity;
	uint64_t *list;
};

void external__init(struct external *e)
{
	pthread_mutex_init(&e->lock, NULL);
}

/* ---- by thread ---- */

static struct external_thread *find(const struct external *e, uint32_t tid)
{
	struct external_thread *const *bucket = &e->threads[tid % EXTERNAL_BUCKETS];
	struct external_thread *t = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

static struct external_thread *find_or_make(struct external *e, uint32_t tid)
{
	struct external_thread **bucket = &e->threads[tid % EXTERNAL_BUCKETS];
	struct external_thread *t = find(e, tid);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tid = tid;
	t->next = *bucket;
	__atomic_store_n(bucket, t, __ATOMIC_RELEASE);
	__atomic_store_n(&e->used, 1, __ATOMIC_RELEASE);
	return t;
}

/* A thread that sees it set sees the value, or a later one. */
static void show(uint32_t *is_set, uint64_t *value, const struct external_thread *t)
{
	if (t->count)
		__atomic_store_n(value, t->list[t->count - 1], __ATOMIC_RELAXED);
	__atomic_store_n(is_set, t->count != 0, __ATOMIC_RELEASE);
}

static void changed(struct external *e, struct external_thread *t)
{
	show(&t->is_set, &t->top, t);
	if (t->tid == thread__pid())
		show(&e->main_is_set, &e->main, t);
}

static bool push(struct external *e, struct external_thread *t, uint64_t value)
{
	if (t->count == t->capacity) {
		uint32_t capacity = t->capacity ? t->capacity * 2 : FIRST_IDS;
		uint64_t *list = realloc(t->list, capacity * sizeof(*list));

		if (!list)
			return false;
		t->list = list;
		t->capacity = capacity;
	}
	t->list[t->count++] = value;
	changed(e, t);
	return true;
}

static uint64_t pop(struct external *e, struct external_thread *t)
{
	uint64_t value;

	if (!t || !t->count)
		return 0;
	value = t->list[--t->count];
	changed(e, t);
	return value;
}

rocprofiler_user_data_t external__find(const struct external *e, uint32_t tid)
{
	const struct external_thread *t = find(e, tid);
	rocprofiler_user_data_t value = {0};

	if (t && __atomic_load_n(&t->is_set, __ATOMIC_ACQUIRE))
		value.value = __atomic_load_n(&t->top, __ATOMIC_RELAXED);
	else if (__atomic_load_n(&e->main_is_set, __ATOMIC_ACQUIRE))
		value.value = __atomic_load_n(&e->main, __ATOMIC_RELAXED);
	return value;
}

/* ---- requests ---- */

#define REQUEST(kind) \
	[ROCPROFILER_CALLBACK_TRACING_##kind] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_##kind

const uint8_t external_request_kinds[CALLBACK_KINDS] = {
	REQUEST(HSA_CORE_API),	    REQUEST(HSA_AMD_EXT_API),
	REQUEST(HSA_IMAGE_EXT_API), REQUEST(HSA_FINALIZE_EXT_API),
	REQUEST(HIP_RUNTIME_API),   REQUEST(HIP_COMPILER_API),
	REQUEST(MARKER_CORE_API),   REQUEST(MARKER_CONTROL_API),
	REQUEST(MARKER_NAME_API),   REQUEST(MEMORY_COPY),
	REQUEST(KERNEL_DISPATCH),   REQUEST(SCRATCH_MEMORY),
	REQUEST(RCCL_API),	    REQUEST(OMPT),
	REQUEST(MEMORY_ALLOCATION), REQUEST(ROCDECODE_API),
	REQUEST(ROCJPEG_API),	    REQUEST(MARKER_CORE_RANGE_API),
};

static bool ask(const struct context *c, uint32_t tid, uint32_t kind, uint32_t operation,
		uint64_t internal, rocprofiler_user_data_t *value)
{
	const struct external *e = &c->external;

	THREAD_INSIDE(thread_current);
	return !tool__is_out(c->tool) &&
	       !e->request(tid, c->id, kind, operation, internal, value, e->request_arg);
}

rocprofiler_user_data_t external__ask(const struct context *c, uint32_t tid, uint32_t kind,
				      uint32_t operation, uint64_t internal)
{
	rocprofiler_user_data_t value = {0};

	if (ask(c, tid, kind, operation, internal, &value))
		return value;
	return external__pushed(&c->external, tid);
}

static rocprofiler_status_t
get_kinds(const rocprofiler_external_correlation_id_request_kind_t *kinds, size_t count,
	  uint32_t *bits)
{
	*bits = ~1U;
	if (!kinds)
		return ROCPROFILER_STATUS_SUCCESS;
	if (!count)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	*bits = 0;
	for (size_t i = 0; i < count; i++) {
		if (kinds[i] <= ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_NONE ||
		    kinds[i] >= ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST)
			return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
		*bits |= 1U << kinds[i];
	}
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
	rocprofiler_context_id_t context_id,
	const rocprofiler_external_correlation_id_request_kind_t *kinds, size_t kinds_count,
	rocprofiler_external_correlation_id_request_cb_t callback, void *callback_args)
{
	struct context *c = context__find(context_id);
	rocprofiler_status_t status = context__can_have(c, true, true);
	uint32_t bits;

	if (status)
		return status;
	if (c->external.request)
		return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
	status = get_kinds(kinds, kinds_count, &bits);
	if (status)
		return status;
	c->external.request = callback;
	c->external.request_arg = callback_args;
	c->external.request_kinds = bits;
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_query_external_correlation_id_request_kind_name(
	rocprofiler_external_correlation_id_request_kind_t kind, const char **name,
	uint64_t *name_len)
{
	const char *found = tables__request_name(kind);

	if (name)
		*name = found;
	if (name_len)
		*name_len = found ? strlen(found) : 0;
	return found ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
}

/* ---- pushed and popped ---- */

static bool is_thread(rocprofiler_thread_id_t tid)
{
	if (tid == thread__tid())
		return true;
	return tid && tid <= INT32_MAX &&
	       !raw_syscall(SYS_tgkill, thread__pid(), (pid_t)tid, 0, 0, 0, 0);
}

rocprofiler_status_t
rocprofiler_push_external_correlation_id(rocprofiler_context_id_t context,
					 rocprofiler_thread_id_t tid,
					 rocprofiler_user_data_t external_correlation_id)
{
	struct context *c = context__find(context);
	struct external_thread *t;
	bool pushed;

	if (!is_thread(tid))
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	if (!c)
		return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
	pthread_mutex_lock(&c->external.lock);
	t = find_or_make(&c->external, tid);
	pushed = t && push(&c->external, t, external_correlation_id.value);
	pthread_mutex_unlock(&c->external.lock);
	return pushed ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
}

rocprofiler_status_t
rocprofiler_pop_external_correlation_id(rocprofiler_context_id_t context,
					rocprofiler_thread_id_t tid,
					rocprofiler_user_data_t *external_correlation_id)
{
	struct context *c = context__find(context);
	uint64_t value;

	if (!is_thread(tid) && !(c && find(&c->external, tid)))
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	if (!c)
		return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
	pthread_mutex_lock(&c->external.lock);
	value = pop(&c->external, find(&c->external, tid));
	pthread_mutex_unlock(&c->external.lock);
	if (external_correlation_id)
		external_correlation_id->value = value;
	return ROCPROFILER_STATUS_SUCCESS;
}
