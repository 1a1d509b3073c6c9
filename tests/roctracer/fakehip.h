/* SPDX-License-Identifier: MIT */
/*
 * A HIP library of a few operations. A test determines their calls and GPU work. It has the
 * interface for tools of HIP up to 5.3.0, or, if TRACER is defined, that of HIP from then on.
 */
#ifndef RTRACE_TESTS_FAKEHIP_H
#define RTRACE_TESTS_FAKEHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fake_op {
	FAKE_NONE,
	FAKE_ONE,
	FAKE_TWO,
	FAKE_THREE,
	FAKE_LAUNCH, /* hipModuleLaunchKernel; a function is its name, in the tool's memory */
	FAKE_COPY,   /* hipMemcpy */
	FAKE_OPS
};

/* hip_api_data_t of this HIP. */
struct fake_data {
	uint64_t correlation_id;
	uint32_t phase;
	union {
		struct {
			uint64_t a, b, sum;
		} args;
		char longest[FAKE_LONGEST];
	};
#ifdef TRACER
	uint64_t *phase_data;
#endif
};

/* One call, on this thread; `inside`, if not NULL, is what it does. */
void fakehip_call(enum fake_op op, uint64_t a, uint64_t b, void (*inside)(void *arg), void *arg);

/* Does it look at each call whether a tool wants it reported? */
bool fakehip_looks(void);

/* What a GPU does, as a command of a call. The `inside` of that call submits it. */
struct fake_command {
	uint64_t id; /* up to 5.2; from 5.3 on the correlation id */
	uint32_t op, kind;
	uint64_t begin, end, bytes, queue;
	int device;
	const char *kernel_name; /* from 5.3 on */
	int wanted;
};

void fakehip_submit(struct fake_command *c);
/* It has been done; on any thread. */
void fakehip_done(const struct fake_command *c);

#endif
