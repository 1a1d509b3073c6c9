/* SPDX-License-Identifier: MIT */
/*
 * What the examples of roctracer have in common: how its status is checked, how a call of HIP and
 * how a record is printed.
 *
 *   <FUNCTION id(N) correlation_id(C) on-enter|on-exit> ARGUMENTS
 *   <TAB>NAME correlation_id(C) time_ns(BEGIN:END) [device_id(D) queue_id(Q) [bytes(B)]]
 *
 * A pool's thread and those that make calls take turns at stdout.
 */
#ifndef TESTS_ROCTRACER_EXAMPLE_H
#define TESTS_ROCTRACER_EXAMPLE_H

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "roctracer_ext.h"
#include "roctracer_hip.h"

#define ROCTRACER_CALL(call)                                               \
	do {                                                               \
		if (call) {                                                \
			fprintf(stderr, "%s\n", roctracer_error_string()); \
			abort();                                           \
		}                                                          \
	} while (0)

static const hip_api_data_t *example__call(uint32_t domain, uint32_t cid, const void *callback_data)
{
	const hip_api_data_t *data = (const hip_api_data_t *)callback_data;

	printf("<%s id(%u) correlation_id(%" PRIu64 ") %s>", roctracer_op_string(domain, cid, 0),
	       cid, data->correlation_id,
	       data->phase == ACTIVITY_API_PHASE_ENTER ? "on-enter" : "on-exit");
	return data;
}

static void example__print(const roctracer_record_t *record)
{
	printf("\t%s correlation_id(%" PRIu64 ") time_ns(%" PRIu64 ":%" PRIu64 ")",
	       roctracer_op_string(record->domain, record->op, record->kind),
	       record->correlation_id, record->begin_ns, record->end_ns);
	if (record->domain == ACTIVITY_DOMAIN_HIP_OPS)
		printf(" device_id(%d) queue_id(%" PRIu64 ")", record->device_id, record->queue_id);
	if (record->domain == ACTIVITY_DOMAIN_HIP_OPS && record->op == HIP_OP_ID_COPY)
		printf(" bytes(%#zx)", record->bytes);
	printf("\n");
}

static void example__records(const char *begin, const char *end, void *arg)
{
	const roctracer_record_t *record = (const roctracer_record_t *)begin;

	flockfile(stdout);
	printf("\tActivity records:\n");
	while (record < (const roctracer_record_t *)end) {
		example__print(record);
		ROCTRACER_CALL(roctracer_next_record(record, &record));
	}
	funlockfile(stdout);
}

#endif
