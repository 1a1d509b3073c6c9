// SPDX-License-Identifier: MIT
/*
 * The lists of services by kind, and how many of them are of contexts that run.
 */
#include "rocprofiler/service/service.h"

#include "rocprofiler/service/context.h"

struct service_list callback_services[CALLBACK_KINDS];
struct service_list buffer_services[BUFFER_KINDS];

static bool has_active(const struct service_list *l, uint32_t operation)
{
	for (const struct service *s = service__first(l); s; s = service__next(s))
		if (context__runs(s->context) && service__has(s, operation))
			return true;
	return false;
}

bool service__wanted(rocprofiler_callback_tracing_kind_t callback,
		     rocprofiler_buffer_tracing_kind_t buffer, uint32_t operation)
{
	rocprofiler_buffer_tracing_kind_t ext = service__ext_kind(buffer);

	if (!service__any(callback, buffer))
		return false;
	return has_active(&callback_services[callback], operation) ||
	       has_active(&buffer_services[buffer], operation) ||
	       (ext && has_active(&buffer_services[ext], operation));
}

void service__add(struct service_list *lists, struct service *s)
{
	struct service_list *l = &lists[s->kind];

	s->next_in_context = s->context->services;
	s->context->services = s;
	if (!l->end)
		l->end = &l->first;
	__atomic_store_n(l->end, s, __ATOMIC_RELEASE);
	l->end = &s->next;
}

static void count(struct service_list *l, int32_t by)
{
	__atomic_add_fetch(&l->active, by, __ATOMIC_RELEASE);
}

void service__count(const struct service *s, int32_t by)
{
	if (!s->buffer) {
		count(&callback_services[s->kind], by);
		return;
	}
	for (uint32_t kind = 1; kind < BUFFER_KINDS; kind++)
		if (kind == s->kind || service__ext_kind(kind) == s->kind)
			count(&buffer_services[kind], by);
}

void services__count(const struct context *c, int32_t by)
{
	for (const struct service *s = c->services; s; s = s->next_in_context)
		service__count(s, by);
}
