/* SPDX-License-Identifier: MIT */
/*
 * External correlation ids of a context: what was pushed by threads, and what the tool is asked
 * for.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_EXTERNAL_CORRELATION_H
#define RTRACE_ROCPROFILER_SERVICE_EXTERNAL_CORRELATION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/external_correlation.h>

#define EXTERNAL_BUCKETS 64

struct context;
struct external_thread;

struct external {
	rocprofiler_external_correlation_id_request_cb_t request; /* NULL: no request */
	void *request_arg;
	uint32_t request_kinds;				   /* bits */
	uint32_t used;					   /* something was pushed, ever */
	pthread_mutex_t lock;				   /* of changes */
	struct external_thread *threads[EXTERNAL_BUCKETS]; /* are only added */
	uint32_t main_is_set; /* `main` is what the main thread pushed last */
	uint64_t main;
};

void external__init(struct external *e);

/* By the callback kind, that of requests; NONE: there is no request. */
extern const uint8_t external_request_kinds[ROCPROFILER_CALLBACK_TRACING_LAST];

/* What the thread pushed last. */
rocprofiler_user_data_t external__find(const struct external *e, uint32_t tid);

static inline rocprofiler_user_data_t external__pushed(const struct external *e, uint32_t tid)
{
	if (!__atomic_load_n(&e->used, __ATOMIC_ACQUIRE))
		return (rocprofiler_user_data_t){0};
	return external__find(e, tid);
}

static inline bool external__asks(const struct external *e, uint32_t kind)
{
	return e->request_kinds >> kind & 1;
}

/* That of an operation that begins, which the tool may be asked for. */
rocprofiler_user_data_t external__ask(const struct context *c, uint32_t tid, uint32_t kind,
				      uint32_t operation, uint64_t internal);

static inline rocprofiler_user_data_t external__get(const struct context *c,
						    const struct external *e, uint32_t tid,
						    uint32_t kind, uint32_t operation,
						    uint64_t internal)
{
	return external__asks(e, kind) ? external__ask(c, tid, kind, operation, internal)
				       : external__pushed(e, tid);
}

#endif
