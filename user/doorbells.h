/* SPDX-License-Identifier: MIT */
/*
 * The queues whose doorbells are rung in processes without the agent: their numbers, their GPUs,
 * and which of their packets have been heard of.
 */
#ifndef RTRACE_DOORBELLS_H
#define RTRACE_DOORBELLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/events.h"
#include "user/gpuclock.h"
#include "user/trace.h"

struct dispatch;
struct doorbells;
struct doorbell_queue;

struct doorbells *doorbells__new(struct trace *trace, struct gpuclocks *clocks,
				 void (*unclaimed)(struct dispatch *, void *arg), void *arg);

/* `drop` gets what has been passed over and waits. */
void doorbells__free(struct doorbells *d, void (*drop)(struct dispatch *));

/*
 * The queue of the packet, made if new: then the process is asked which GPU it is of. NULL: no
 * memory, or the process has more than a sane one.
 */
struct doorbell_queue *doorbells__get(struct doorbells *d, const struct rt_rec_dispatch *rec);

uint32_t doorbells__number(const struct doorbell_queue *q); /* in its process, from 1 */
uint32_t doorbells__gpu_id(const struct doorbell_queue *q); /* the driver's; 0: unknown */
int32_t doorbells__device(const struct doorbell_queue *q);  /* among the machine's, -1: unknown */

/* Tells the sinks of the queue's device, once. */
void doorbells__tell(struct doorbells *d, struct doorbell_queue *q);

/* Is it the first that is heard of the packet of that index? It counts as heard of from then on. */
bool doorbells__first(struct doorbell_queue *q, uint64_t index);

/* The packet was passed over and not there: it will be heard of, or counts as unseen. */
void doorbells__missing(struct doorbell_queue *q, uint64_t index, uint64_t ts);

/* When it was passed over so; 0: it was not, or has been heard of since. */
uint64_t doorbells__missing_since(const struct doorbell_queue *q, uint64_t index);

/*
 * Since when a packet of the process is missing that may still come, or may have run unheard of;
 * UINT64_MAX: none is.
 */
uint64_t doorbells__oldest_hole(const struct doorbells *d, pid_t pid, uint64_t now);

/* The packet was passed over at that time: it waits for its owner to ring for it. 0 or -ENOMEM. */
int doorbells__pass(struct doorbells *d, struct doorbell_queue *q, uint64_t index, uint64_t ts,
		    struct dispatch *dispatch);

/* Its owner rings for it: it waits no longer. NULL: it does not wait. */
struct dispatch *doorbells__claim(struct doorbells *d, struct doorbell_queue *q, uint64_t index);

/* What was passed over before that time is nobody else's: `unclaimed` gets it. */
void doorbells__give_up(struct doorbells *d, uint64_t before);

/* Packets that were never heard of: of all queues, those that are gone included. */
uint64_t doorbells__unseen(const struct doorbells *d);

/* The process is gone. */
void doorbells__forget(struct doorbells *d, pid_t pid);

#endif
