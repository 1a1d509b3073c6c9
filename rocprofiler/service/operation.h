/* SPDX-License-Identifier: MIT */
/*
 * An operation that is traced: a call, a kernel's launch, a copy. The caller has it on its stack,
 * or anywhere if it ends on another thread:
 *
 *	struct operation o OPERATION_GUARDED;
 *
 *	if (!operation__begin(&o, CALLBACK_KIND, BUFFER_KIND, number, 0, &payload))
 *		return real(...);
 *	payload.retval = real(...);
 *	operation__end_call(&o, &payload, sizeof(payload));
 *
 * A tool's function may throw, and so may what is called in between. Guaranteed then: the thread is
 * in the call that it was in before, and not in a tool's function. If the operation is guarded, its
 * memory is freed. The operation's end is not reported, and it is in no buffer. An operation that
 * is left by longjmp() stays the ancestor of others until a call around it ends.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_OPERATION_H
#define RTRACE_ROCPROFILER_SERVICE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>

#include "rocprofiler/service/service.h"

#define OPERATION_ROOM 8	  /* services; more are allocated */
#define OPERATION_ANY  UINT32_MAX /* operation__prepare(): all that have one of the kind */

/* A service that gets the operation. */
struct asked {
	const struct service *service;
	rocprofiler_user_data_t user_data; /* from one callback to the next */
	rocprofiler_user_data_t external;
};

struct operation {
	bool open;   /* began, and has not ended */
	bool pushed; /* it is the call that the thread is in; `outer` is the one around it */
	uint8_t callback_kind, buffer_kind;
	uint32_t number;	   /* OPERATION_ANY: see operation__prepare() */
	uint32_t callbacks, count; /* of `in` and `more`: callbacks first, then buffers */
	rocprofiler_thread_id_t thread_id;
	uint64_t internal, ancestor, outer, outer_ancestor;
	uint64_t begin; /* when it began, if it is to be in a buffer; ns */
	struct asked *more;
	struct asked in[OPERATION_ROOM];
};

#define OPERATION_GUARDED __attribute__((cleanup(operation__abandon)))

/* What all records of operations begin with. */
struct record_head {
	uint64_t size;
	uint32_t kind;
	int32_t operation;
	uint64_t internal;
	rocprofiler_user_data_t external;
};

/*
 * Chooses the services of the contexts that are active now, and calls their callbacks with ENTER.
 * The operation gets a correlation id, and is the thread's current one until it ends. With
 * `internal` it belongs to the operation with that id instead, and has no id of its own.
 * False: no service wants it; it must not be ended.
 */
static inline bool operation__begin(struct operation *o,
				    rocprofiler_callback_tracing_kind_t callback,
				    rocprofiler_buffer_tracing_kind_t buffer, uint32_t number,
				    uint64_t internal, void *payload);

/*
 * Calls the same callbacks with EXIT, even if their contexts were stopped since. Fills in the head
 * of the record and copies it to the buffers; NULL: none. For a kind ..._EXT see below.
 */
void operation__end(struct operation *o, void *payload, void *record, uint32_t size);

/*
 * The same of a call: its record is made here, and that of the kind ..._EXT of the payload, which
 * starts with its size.
 */
void operation__end_call(struct operation *o, void *payload, uint32_t payload_size);

/* Frees what it has and has the thread be where it was; nothing, if it has ended or never began. */
void operation__abandon(struct operation *o);

/* ---- in steps: for operations with other phases ---- */

/* As operation__begin(), but without callbacks or a push. It ends with operation__abandon(). */
bool operation__prepare(struct operation *o, rocprofiler_callback_tracing_kind_t callback,
			rocprofiler_buffer_tracing_kind_t buffer, uint32_t number,
			uint64_t internal);

/* Of another call than the one that the thread is in, and maybe of another thread. */
struct submitter {
	uint64_t internal, ancestor;
	rocprofiler_thread_id_t thread_id;
};

bool operation__prepare_for(struct operation *o, rocprofiler_callback_tracing_kind_t callback,
			    rocprofiler_buffer_tracing_kind_t buffer, uint32_t number,
			    const struct submitter *by);

/* The callbacks that want this number are called. */
void operation__tell(struct operation *o, uint32_t number, rocprofiler_callback_phase_t phase,
		     void *payload);

/* The same where the caller must not be unwound: exceptions are caught and dropped. */
void operation__tell_caught(struct operation *o, uint32_t number,
			    rocprofiler_callback_phase_t phase, void *payload);

/* What was pushed as external correlation id in the callbacks so far counts from now on. */
void operation__update_external(struct operation *o);

/* Buffers of the kind that want this number get the record. */
void operation__record(struct operation *o, uint32_t number, void *record, uint32_t size);

/* ---- the calls that a thread is in ---- */

/* The internal correlation id of the innermost one that is traced; 0: none. */
uint64_t operation__current(void);

/* The same, and that of the one around it. */
void operation__in(uint64_t *internal, uint64_t *ancestor);

bool operation__begin_slow(struct operation *o, rocprofiler_callback_tracing_kind_t callback,
			   rocprofiler_buffer_tracing_kind_t buffer, uint32_t number,
			   uint64_t internal, void *payload);

static inline bool operation__begin(struct operation *o,
				    rocprofiler_callback_tracing_kind_t callback,
				    rocprofiler_buffer_tracing_kind_t buffer, uint32_t number,
				    uint64_t internal, void *payload)
{
	o->open = false;
	return __builtin_expect(service__any(callback, buffer), 0) &&
	       operation__begin_slow(o, callback, buffer, number, internal, payload);
}

#endif
