// SPDX-License-Identifier: MIT
/*
 * Contexts are made, started and stopped.
 */
#include "rocprofiler/service/context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler/service/registration.h"
#include "rocprofiler/service/runtimes.h"

#define CONTEXTS_MAX 4096
#define FIRST_HANDLE 0x1000 /* other handles are of other ranges */

static struct context *contexts[CONTEXTS_MAX];
static uint32_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of changes */

/* The locks may have been held by threads that the child does not have. */
static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
	for (uint32_t i = 0; i < count; i++)
		external__init(&contexts[i]->external);
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

static uint32_t context_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

struct context *context__find(rocprofiler_context_id_t id)
{
	uint64_t index = id.handle - FIRST_HANDLE;

	if (index >= context_count() ||
	    __atomic_load_n(&contexts[index]->ignored, __ATOMIC_ACQUIRE))
		return NULL;
	return contexts[index];
}

/* ---- started, stopped; under the lock ---- */

/* A thread that sees the service counted sees the context run. */
static bool start(struct context *c)
{
	if (c->runs)
		return false;
	__atomic_store_n(&c->runs, 1, __ATOMIC_RELEASE);
	services__count(c, 1);
	return true;
}

static bool stop(struct context *c)
{
	if (!c->runs)
		return false;
	__atomic_store_n(&c->runs, 0, __ATOMIC_RELEASE);
	services__count(c, -1);
	return true;
}

static bool change(struct context *c, bool (*fn)(struct context *c))
{
	bool changed;

	pthread_mutex_lock(&lock);
	changed = fn(c);
	pthread_mutex_unlock(&lock);
	if (changed)
		runtimes__services_changed();
	return changed;
}

void contexts__stop(const struct tool *tool)
{
	for (uint32_t i = 0; i < context_count(); i++)
		if (contexts[i]->tool == tool)
			change(contexts[i], stop);
}

void contexts__ignore(const struct tool *tool)
{
	contexts__stop(tool);
	for (uint32_t i = 0; i < context_count(); i++)
		if (contexts[i]->tool == tool)
			__atomic_store_n(&contexts[i]->ignored, true, __ATOMIC_RELEASE);
}

/* ---- services ---- */

static bool has_service(const struct context *c, const struct service *service)
{
	for (const struct service *s = c->services; s; s = s->next_in_context)
		if (s->kind == service->kind && !s->buffer == !service->buffer)
			return true;
	return false;
}

static void want(struct service *s, const rocprofiler_tracing_operation_t *operations, size_t n)
{
	if (!n)
		memset(s->operations, 0xff, sizeof(s->operations));
	for (size_t i = 0; i < n; i++)
		s->operations[operations[i] / 64] |= 1ULL << operations[i] % 64;
}

/* A context that its tool has started already runs with it at once. */
static rocprofiler_status_t add(struct service_list *lists, struct service *s)
{
	struct context *c = s->context;

	if (has_service(c, s))
		return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
	service__add(lists, s);
	if (c->runs)
		service__count(s, 1);
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t context__can_have(const struct context *c, bool is_kind, bool is_traced)
{
	if (!registration__tool())
		return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
	if (!c)
		return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
	if (!is_kind)
		return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
	return is_traced ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t context__add_service(struct service_list *lists, const struct service *service,
					  const rocprofiler_tracing_operation_t *operations,
					  size_t n, uint32_t operations_end)
{
	rocprofiler_status_t status;
	struct service *s;

	if (n && !operations)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	for (size_t i = 0; i < n; i++)
		if (operations[i] < 0 || (uint32_t)operations[i] >= operations_end)
			return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
	s = malloc(sizeof(*s));
	if (!s)
		return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
	*s = *service;
	want(s, operations, n);
	pthread_mutex_lock(&lock);
	status = add(lists, s);
	pthread_mutex_unlock(&lock);
	if (status)
		free(s);
	return status;
}

/* ---- the interface ---- */

static struct context *make(struct tool *tool)
{
	struct context *c = NULL;

	pthread_mutex_lock(&lock);
	if (count < CONTEXTS_MAX)
		c = calloc(1, sizeof(*c));
	if (c) {
		c->tool = tool;
		c->id.handle = FIRST_HANDLE + count;
		external__init(&c->external);
		contexts[count] = c;
		__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return c;
}

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t *context_id)
{
	struct tool *tool = registration__tool();
	struct context *c;

	if (context_id->handle)
		return ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO;
	if (!tool)
		return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
	c = make(tool);
	if (!c)
		return ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR;
	*context_id = c->id;
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id)
{
	struct context *c = context__find(context_id);

	if (!c)
		return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
	if (registration__finalized() || tool__is_finalized(c->tool))
		return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
	change(c, start);
	return ROCPROFILER_STATUS_SUCCESS;
}

/* A context that does not run is reported as not found, as librocprofiler-sdk 1.0 does. */
rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context_id)
{
	struct context *c = context__find(context_id);

	if (!c)
		return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
	if (change(c, stop) || registration__finalized() > 0)
		return ROCPROFILER_STATUS_SUCCESS;
	return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_context_is_active(rocprofiler_context_id_t context_id, int *status)
{
	struct context *c = context__find(context_id);

	*status = c && context__runs(c);
	return c ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_context_is_valid(rocprofiler_context_id_t context_id, int *status)
{
	struct context *c = context__find(context_id);

	*status = c != NULL;
	return c ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}
