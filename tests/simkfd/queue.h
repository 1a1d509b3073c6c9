/* SPDX-License-Identifier: MIT */
/* The user-mode queues and the state of the two kinds of packet processors that serve them. */
#ifndef SIMKFD_QUEUE_H
#define SIMKFD_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/simkfd/truth.h"

#define MAX_QUEUES  256
#define MAX_FLIGHTS 64

struct kfd_ioctl_create_queue_args;
struct kfd_ioctl_update_queue_args;

/* A packet that has begun and not yet been completed. */
struct flight {
	uint64_t signal; /* its completion signal, 0 none */
	struct truth truth;
};

struct aql_state {
	struct flight flights[MAX_FLIGHTS];
	unsigned int flying;
	uint64_t written; /* below `limit`: the packets before it have been seen in the ring */
	uint64_t last_begin, last_end; /* of packets begun, of packets completed */
	uint64_t unrung_since;	       /* when packets without a doorbell were noticed, 0 none */
	bool scratch_asked;	       /* the runtime is to allocate scratch memory */
};

struct sdma_state {
	uint64_t time;	    /* where the queue is on its own time line */
	bool moving;	    /* a copy or fill is in flight: */
	uint32_t length;    /*     its packet's length */
	struct truth truth; /*     and what will be logged when truth.end has come */
	bool op_has_data;   /* the operation has moved something */
};

struct queue {
	bool used;
	atomic_bool running; /* used and not stopped; may be read without the lock */
	int gpu;
	uint32_t slot;	 /* index in the table, of the doorbell, and the driver's id */
	uint32_t number; /* as in the truth log */
	uint64_t (*step)(struct queue *q);

	volatile uint64_t *doorbell;
	uint64_t doorbell_seen; /* the engine thread's own */
	uint64_t ring, ring_size;
	volatile uint64_t *read_pointer, *write_pointer;

	uint64_t read, limit;	/* next packet, and the first not submitted; SDMA: in bytes */
	uint64_t available;	/* when the last of the packets that may run was seen */
	uint64_t blocked_since; /* the next packet waits for a condition, 0 no */
	uint64_t op, lines;	/* for the truth log */
	union {
		struct aql_state aql;
		struct sdma_state sdma;
	};
};

/* 0 or -errno; called with the simulator's lock held. */
int queue__create(struct kfd_ioctl_create_queue_args *args);
int queue__update(const struct kfd_ioctl_update_queue_args *args);
int queue__destroy(uint32_t id);

/*
 * Runs what can be run now. Returns when to look again even if no doorbell rings, or NEVER. Called
 * by the engine with the simulator's lock held.
 */
uint64_t aql__step(struct queue *q);
uint64_t sdma__step(struct queue *q);

/* Takes the queue out of service. */
void queue_stop(struct queue *q);

/* When to look again at a condition that does not hold: soon at first, less and less often later.
 */
uint64_t queue_blocked(struct queue *q, uint64_t now);

/* Drops all queues, in the child of a fork. */
void queue__forget(void);

#endif
