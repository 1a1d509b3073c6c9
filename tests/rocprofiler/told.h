/* SPDX-License-Identifier: MIT */
/*
 * What a tool inside of the test received of the test's own operations (fakeops.h).
 */
#ifndef TESTS_ROCPROFILER_TOLD_H
#define TESTS_ROCPROFILER_TOLD_H

#include "tests/rocprofiler/fakeops.h"

#include <pthread.h>
#include <string.h>

static rocprofiler_context_id_t context;
static const rocprofiler_context_id_t none = {0};

#define TOLD_MAX 64

static struct told {
	rocprofiler_callback_tracing_record_t record;
	uint64_t user_data;
	int argument, result;
} told[TOLD_MAX];
static uint32_t n_told;

static inline void remember(rocprofiler_callback_tracing_record_t record,
			    rocprofiler_user_data_t *user_data, void *arg)
{
	const rocprofiler_callback_tracing_hip_api_data_t *payload = record.payload;
	struct told *t = &told[n_told++ % TOLD_MAX];

	*t = (struct told){record, user_data->value, payload->args.hipSetDevice.deviceId,
			   payload->retval.int_retval};
	if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		user_data->value = 1000 + n_told;
}

/* One context that wants all calls reported. */
static inline int make_one(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	want_calls(context, remember, NULL);
	return 0;
}

static inline void start_one(void)
{
	fake_start(make_one);
	CHECK_OK(rocprofiler_start_context(context));
}

#endif
