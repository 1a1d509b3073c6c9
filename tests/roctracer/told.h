/* SPDX-License-Identifier: MIT */
/*
 * A tool of libroctracer64 inside of a test, and what it received of the calls of a HIP library of
 * our own. That library (fakehip.h) knows what was called and done.
 */
#ifndef RTRACE_TESTS_TOLD_H
#define RTRACE_TESTS_TOLD_H

#include "tests/roctracer/tooltest.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/roctracer/fakehip.h"

#define HIP_API	  ACTIVITY_DOMAIN_HIP_API
#define HIP_OPS	  ACTIVITY_DOMAIN_HIP_OPS
#define EXT_API	  ACTIVITY_DOMAIN_EXT_API
#define ROCTX	  ACTIVITY_DOMAIN_ROCTX
#define NO_DOMAIN ACTIVITY_DOMAIN_NUMBER
#define DISPATCH  0
#define COPY	  1

#define TOLD_MAX 4096

struct told {
	uint32_t domain, op, phase;
	uint64_t correlation_id, a, b;
	void *arg;
	pthread_t thread;
};

static struct told told[TOLD_MAX];
static uint32_t n_told;

static inline void remember(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct fake_data *d = data;
	uint32_t i = __atomic_fetch_add(&n_told, 1, __ATOMIC_RELAXED) % TOLD_MAX;

	told[i] = (struct told){domain,	   op,	      d->phase, d->correlation_id,
				d->args.a, d->args.b, arg,	pthread_self()};
}

static activity_record_t records[TOLD_MAX];
static char texts[TOLD_MAX][64];
static uint32_t n_records, n_buffers;
static pthread_t reader;

static inline void keep(const char *begin, const char *end, void *arg)
{
	const activity_record_t *record = (const void *)begin;

	n_buffers++;
	reader = pthread_self();
	while (record < (const activity_record_t *)end) {
		uint32_t i = n_records++ % TOLD_MAX;

		records[i] = *record;
		texts[i][0] = '\0';
		if ((record->domain == HIP_OPS && record->op == DISPATCH && record->kernel_name) ||
		    (record->domain == EXT_API && record->op == ACTIVITY_EXT_OP_MARK))
			snprintf(texts[i], sizeof(texts[i]), "%s", record->kernel_name);
		assert_ok(roctracer_next_record(record, &record));
	}
}

static const roctracer_properties_t properties = {.buffer_size = 0x1000,
						  .buffer_callback_fun = keep};

static inline int start(void **state)
{
	n_told = n_records = n_buffers = 0;
	return roctracer_open_pool(&properties);
}

static inline void call(enum fake_op op, uint64_t a)
{
	fakehip_call(op, a, ~a, NULL, NULL);
}

static inline const activity_record_t *record_of(uint32_t domain, uint64_t correlation_id)
{
	for (uint32_t i = 0; i < n_records; i++)
		if (records[i].domain == domain && records[i].correlation_id == correlation_id)
			return &records[i];
	return NULL;
}

/* Callbacks and records of all calls. */
static inline void enable(void *arg)
{
	assert_ok(roctracer_enable_domain_callback(HIP_API, remember, NULL));
	assert_ok(roctracer_enable_domain_activity(HIP_API));
}

/* A cmocka test with a default pool, which keep() reads. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, disable_everything)

#endif
