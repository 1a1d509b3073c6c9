/* SPDX-License-Identifier: MIT */
/*
 * Calls that failed: how many of each function and result, and the first of each with arguments.
 */
#ifndef RTRACE_FAILURES_H
#define RTRACE_FAILURES_H

#include <stddef.h>

#include "user/report/name_table.h"
#include "user/event/event.h"
#include "common/text_buffer.h"

#define FAILURE_EXAMPLES 3

struct failure_example {
	uint64_t at; /* CLOCK_BOOTTIME ns */
	uint32_t pid, tid;
	char *text; /* "hipMalloc(ptr=0x7ffd1234, size=4) = hipErrorOutOfMemory", escaped */
};

struct failure {
	enum ev_domain domain;
	uint32_t function, result; /* names */
	uint64_t calls;
	struct failure_example examples[FAILURE_EXAMPLES]; /* the first */
	unsigned int example_count;
};

struct failures;

struct failures *failures__new(struct names *names);
void failures__free(struct failures *f);

/* Notes the call if it failed. 0 or -ENOMEM. */
int failures__call(struct failures *f, const struct event *ev, uint32_t name);

/* All of them, by domain, the most frequent first; to be freed. NULL: no memory. */
const struct failure **failures__sorted(const struct failures *f, size_t *count);

#endif
