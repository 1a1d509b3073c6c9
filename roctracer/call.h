/* SPDX-License-Identifier: MIT */
/*
 * Reports a call that a wrapper makes: to the callback, and as a record.
 */
#ifndef ROCTRACER_CALL_H
#define ROCTRACER_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct table;

/* How the data begins that a tool is given of a call: hsa_api_data_t, kfd_api_data_t. */
struct call_data {
	uint64_t correlation_id; /* 0: the call was not wanted when it began */
	uint32_t phase;
};

/* The library's own of a call, on the stack of the thread that makes it. All 0 at first. */
struct call {
	uint64_t begin_ns;   /* 0: no record was wanted when it began */
	uint64_t phase_data; /* what the tool's phase_data points to */
	uint8_t told;	     /* what table__begin() returned */
};

/* The call begins now; without `callback` only a record is made of it. */
void call__begin(const struct table *t, uint32_t op, struct call_data *data, struct call *c,
		 bool callback);
/* It has ended. */
void call__end(const struct table *t, uint32_t op, struct call_data *data, const struct call *c);

/* Sets for the wrappers, by operation, whether its calls are wanted. True: some are wanted. */
bool call__set_wanted(const struct table *t, uint8_t *wanted);

#endif
