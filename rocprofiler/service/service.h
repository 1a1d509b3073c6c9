/* SPDX-License-Identifier: MIT */
/*
 * Services: what contexts want to have reported. Lists, one a kind, are only added to, and are
 * fixed once tools have been initialised. So they are read without a lock.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_SERVICE_H
#define RTRACE_ROCPROFILER_SERVICE_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rocprofiler-sdk/callback_tracing.h>

struct buffer;
struct context;

#define OPERATION_WORDS 8
#define OPERATION_MAX	(OPERATION_WORDS * 64)

#define CALLBACK_KINDS ROCPROFILER_CALLBACK_TRACING_LAST
#define BUFFER_KINDS   ROCPROFILER_BUFFER_TRACING_LAST

struct service {
	struct service *next;		 /* of the kind */
	struct service *next_in_context; /* of both sorts */
	struct context *context;
	uint32_t kind;
	uint64_t operations[OPERATION_WORDS]; /* those that are wanted */
	/* One of: */
	struct {
		rocprofiler_callback_tracing_cb_t function;
		void *arg;
	} callback;
	struct buffer *buffer;
};

struct service_list {
	struct service *first, **end;
	uint32_t active; /* services of active contexts, with those of the kind's ..._EXT */
};

extern struct service_list callback_services[CALLBACK_KINDS];
extern struct service_list buffer_services[BUFFER_KINDS];

/* The kind of the same calls with arguments; NONE: there is none. */
static inline rocprofiler_buffer_tracing_kind_t
service__ext_kind(rocprofiler_buffer_tracing_kind_t kind)
{
	switch (kind) {
	case ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API:
		return ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT;
	case ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API:
		return ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT;
	case ROCPROFILER_BUFFER_TRACING_ROCDECODE_API:
		return ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT;
	default:
		return ROCPROFILER_BUFFER_TRACING_NONE;
	}
}

static inline struct service *service__first(const struct service_list *l)
{
	return __atomic_load_n(&l->first, __ATOMIC_ACQUIRE);
}

static inline struct service *service__next(const struct service *s)
{
	return __atomic_load_n(&s->next, __ATOMIC_ACQUIRE);
}

static inline bool service__has(const struct service *s, uint32_t operation)
{
	return operation < OPERATION_MAX && s->operations[operation / 64] >> operation % 64 & 1;
}

/* Does any context that runs want an operation of these kinds? Either may be NONE. */
static inline bool service__any(rocprofiler_callback_tracing_kind_t callback,
				rocprofiler_buffer_tracing_kind_t buffer)
{
	return __atomic_load_n(&callback_services[callback].active, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&buffer_services[buffer].active, __ATOMIC_RELAXED);
}

/* This operation? A kind ..._EXT is asked for with the other one. */
bool service__wanted(rocprofiler_callback_tracing_kind_t callback,
		     rocprofiler_buffer_tracing_kind_t buffer, uint32_t operation);

/* Adds it to its context and its kind; under the contexts' lock. */
void service__add(struct service_list *lists, struct service *s);

/* Counts one, or all of a context, in the lists of their kinds, or takes that back; under the lock.
 */
void service__count(const struct service *s, int32_t by);
void services__count(const struct context *c, int32_t by);

#endif
