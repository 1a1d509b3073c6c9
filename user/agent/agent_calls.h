/* SPDX-License-Identifier: MIT */
/*
 * The tracer's side of the spans in an agent's memory (abi/span_ring.h): lists the functions that
 * are wanted, and reads what threads have written.
 *
 * Nothing there is trusted: a record is copied before it is looked at, every size and index is
 * bounded by what the tracer knows itself.
 */
#ifndef RTRACE_AGENT_AGENT_CALLS_H
#define RTRACE_AGENT_AGENT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/api/functions.h"
#include "user/api/span_items.h"

struct agent_spans;

/*
 * Nothing is wanted at first. `area`: RT_SPANS_SIZE bytes that stay mapped as long. `first_corr` is
 * added to the process's own correlation ids, of which AGENT_SPANS_CORRS are taken for good. NULL:
 * no memory.
 */
struct agent_spans *agent_calls__new(void *area, uint64_t first_corr);
void agent_calls__free(struct agent_spans *s);

#define AGENT_SPANS_CORRS (1ULL << 36)

/* How calls of a function are captured, as in span_ring.h. */
struct agent_span_way {
	uint32_t way; /* enum rt_span_way */
	uint8_t pushed;
	uint64_t entry, next, offset;
};

/*
 * The agent is to capture that function, from agent_calls__want on. `fn` must live as long.
 * 0; -ENOSPC: there are too many; -EINVAL: it does not fit the limits of what is captured.
 */
int agent_calls__add(struct agent_spans *s, const struct function *fn,
		     const struct agent_span_way *way);

/* Are all that could cause GPU operations to be shown? */
bool agent_calls__shows_causes(const struct agent_spans *s);

/* Calls are to be captured by the agent, those of functions added since, too; or not any more. */
void agent_calls__want(struct agent_spans *s, bool wanted);

/* Skips the records and losses up to now: they were for another tracer. */
void agent_calls__skip(struct agent_spans *s);

/*
 * A record as the kernel has it, flagged RT_REC_BY_AGENT, without `pid`: a call (RT_REC_SPAN), that
 * the calls of a thread follow (RT_REC_TASK), or that it has ended (RT_REC_EXIT).
 */
typedef void (*agent_span_fn)(const struct rt_rec *rec, void *arg);

/* The most that one drain hands out of one thread, so that no process keeps the others waiting. */
#define AGENT_SPANS_DRAIN_MAX (1u << 20) /* bytes */

/*
 * Hands out complete records. Returns true if all that was there when it was called has been read,
 * and no thread was in the middle of another record.
 */
bool agent_calls__drain(struct agent_spans *s, agent_span_fn fn, void *arg);

/*
 * The end: hands out all that is left, then the calls that threads were in when it was called, as
 * unfinished ones that end at `now`.
 */
void agent_calls__finish(struct agent_spans *s, uint64_t now, agent_span_fn fn, void *arg);

/*
 * The same of one thread, for the calls that began after `since`: those inside of a call that is
 * known from elsewhere to have ended at `now`.
 */
void agent_calls__finish_thread(struct agent_spans *s, uint32_t tid, uint64_t since, uint64_t now,
				agent_span_fn fn, void *arg);

/* Calls that the agent has lost, and records that made no sense. */
uint64_t agent_calls__lost(const struct agent_spans *s);
uint64_t agent_calls__bad(const struct agent_spans *s);

/* The number of places in the process that call these functions and lead to the agent. */
uint64_t agent_calls__places(const struct agent_spans *s);

/* For bpf/agent_calls.h. */
struct rt_agent_calls agent_calls__place(const struct agent_spans *s);

/* The id on the node of a call of the process; 0 of 0, and of none that could be. */
uint64_t agent_calls__corr(const struct agent_spans *s, uint64_t corr);

#endif
