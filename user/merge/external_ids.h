/* SPDX-License-Identifier: MIT */
/*
 * External correlation IDs: what an application pushes, by roctracer or rocprofiler, to have it on
 * everything that its thread does until it pops it.
 */
#ifndef RTRACE_MERGE_EXTERNAL_IDS_H
#define RTRACE_MERGE_EXTERNAL_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct external_id {
	uint64_t id;
	uint64_t since;
};

/* Of a thread. */
struct external_stack {
	struct external_id *ids;
	size_t count, capacity;
	size_t beyond; /* pushed beyond what is kept, and not popped: meanwhile there is no ID */
};

/* 0 or -errno; -E2BIG: it is deeper than what is kept. */
int external_ids__push(struct external_stack *s, uint64_t id, uint64_t now);
void external_ids__pop(struct external_stack *s);

/* The ID on top at that time, in *id. false: there was none. */
bool external_ids__at(const struct external_stack *s, uint64_t instant, uint64_t *id);

void external_ids__clear(struct external_stack *s);

/* `to` becomes what `from` is. 0 or -errno. */
int external_ids__copy(struct external_stack *to, const struct external_stack *from);

#endif
