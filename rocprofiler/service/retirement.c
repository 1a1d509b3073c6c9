// SPDX-License-Identifier: MIT
/*
 * Counts the uses of correlation ids.
 */
#include "rocprofiler/service/retirement.h"

#include <pthread.h>
#include <stdlib.h>

#include <rocprofiler-sdk/buffer_tracing.h>

#include "rocprofiler/service/buffer.h"
#include "inprocess/kernel_clock.h"
#include "rocprofiler/service/context.h"
#include "rocprofiler/service/service.h"

#define KIND	ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT
#define BUCKETS 1024

struct use {
	struct use *next;
	uint64_t internal;
	uint32_t count;
};

bool retirement_is_wanted;

static struct bucket {
	pthread_mutex_t lock;
	struct use *uses;
} buckets[BUCKETS];

/* A fork's child has what its own calls hold, and no lock that another thread held. */
static void forked(void)
{
	for (uint32_t i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&buckets[i].lock, NULL);
}

void retirement__want(void)
{
	if (__atomic_load_n(&retirement_is_wanted, __ATOMIC_ACQUIRE))
		return;
	forked();
	pthread_atfork(NULL, NULL, forked);
	__atomic_store_n(&retirement_is_wanted, true, __ATOMIC_RELEASE);
}

static struct use **find(struct bucket *b, uint64_t internal)
{
	struct use **at = &b->uses;

	while (*at && (*at)->internal != internal)
		at = &(*at)->next;
	return at;
}

static struct use *make(struct bucket *b, uint64_t internal)
{
	struct use *u = malloc(sizeof(*u));

	if (!u)
		return NULL;
	*u = (struct use){.next = b->uses, .internal = internal};
	b->uses = u;
	return u;
}

void retirement__hold_counted(uint64_t internal)
{
	struct bucket *b = &buckets[internal % BUCKETS];
	struct use *u;

	pthread_mutex_lock(&b->lock);
	u = *find(b, internal);
	if (!u)
		u = make(b, internal);
	if (u)
		u->count++;
	pthread_mutex_unlock(&b->lock);
}

static void tell(uint64_t internal)
{
	rocprofiler_buffer_tracing_correlation_id_retirement_record_t record = {
		.size = sizeof(record),
		.kind = KIND,
		.timestamp = kernel_clock__boot_ns(),
		.internal_correlation_id = internal,
	};

	for (const struct service *s = service__first(&buffer_services[KIND]); s;
	     s = service__next(s))
		if (context__runs(s->context))
			buffer__write(s->buffer, KIND, &record, sizeof(record));
}

/* An id that was held before uses were counted is not known, and gets no record. */
void retirement__release_counted(uint64_t internal)
{
	struct bucket *b = &buckets[internal % BUCKETS];
	struct use **at, *gone = NULL;

	pthread_mutex_lock(&b->lock);
	at = find(b, internal);
	if (*at && !--(*at)->count) {
		gone = *at;
		*at = gone->next;
	}
	pthread_mutex_unlock(&b->lock);
	if (gone)
		tell(internal);
	free(gone);
}
