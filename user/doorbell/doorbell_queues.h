/* SPDX-License-Identifier: MIT */
/*
 * The queues to which processes without the agent submit by doorbell stores: their numbers, their
 * GPUs, and which of their packets have a record.
 */
#ifndef RTRACE_DOORBELL_DOORBELL_QUEUES_H
#define RTRACE_DOORBELL_DOORBELL_QUEUES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"
#include "user/clock/gpu_clock_reader.h"
#include "user/merge/trace_state.h"

struct dispatch;
struct doorbells;
struct doorbell_queue;

struct doorbells *doorbell_queues__new(struct trace *trace, struct gpuclocks *clocks,
				       void (*unclaimed)(struct dispatch *, void *arg), void *arg);

/* `drop` gets the skipped packets that still wait. */
void doorbell_queues__free(struct doorbells *d, void (*drop)(struct dispatch *));

/*
 * The queue of the packet, made if new: then its GPU is read from the process's mappings. NULL: no
 * memory, or the process has more queues than a sane one.
 */
struct doorbell_queue *doorbell_queues__get(struct doorbells *d, const struct rt_rec_dispatch *rec);

uint32_t doorbell_queues__number(const struct doorbell_queue *q); /* in its process, from 1 */
uint32_t doorbell_queues__gpu_id(const struct doorbell_queue *q); /* the driver's; 0: unknown */
int32_t
doorbell_queues__device(const struct doorbell_queue *q); /* among the machine's, -1: unknown */

/* Reports the queue's device to the sinks, once. */
void doorbell_queues__tell(struct doorbells *d, struct doorbell_queue *q);

/* Is this the first record of the packet of that index? From now on the index is recorded. */
bool doorbell_queues__first(struct doorbell_queue *q, uint64_t index);

/* The packet was skipped and not there: a record will follow, or it counts as unseen. */
void doorbell_queues__missing(struct doorbell_queue *q, uint64_t index, uint64_t ts);

/* When it was skipped and not there; 0: it was not, or its record has come since. */
uint64_t doorbell_queues__missing_since(const struct doorbell_queue *q, uint64_t index);

/*
 * The time since which a packet of the process is missing that may still come, or may have run
 * without a record; UINT64_MAX: none is missing.
 */
uint64_t doorbell_queues__oldest_hole(const struct doorbells *d, pid_t pid, uint64_t now);

/* The packet was skipped at `ts`: it waits for its owner's doorbell store. 0 or -ENOMEM. */
int doorbell_queues__pass(struct doorbells *d, struct doorbell_queue *q, uint64_t index,
			  uint64_t ts, struct dispatch *dispatch);

/* Its owner stores to the doorbell: it waits no longer. NULL: it does not wait. */
struct dispatch *doorbell_queues__claim(struct doorbells *d, struct doorbell_queue *q,
					uint64_t index);

/* No other thread claims the packets skipped before that time: `unclaimed` gets them. */
void doorbell_queues__give_up(struct doorbells *d, uint64_t before);

/* Packets without any record: of all queues, removed ones included. */
uint64_t doorbell_queues__unseen(const struct doorbells *d);

/* The process has ended or runs another program. */
void doorbell_queues__forget(struct doorbells *d, pid_t pid);

#endif
