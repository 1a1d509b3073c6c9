/* SPDX-License-Identifier: MIT */
/*
 * A queue of the application, as queue_hooks.c, packet_intercept.c and operations_in_flight.c see
 * it.
 */
#ifndef RTRACE_HSA_AGENT_GPU_QUEUE_INTERNAL_H
#define RTRACE_HSA_AGENT_GPU_QUEUE_INTERNAL_H

#include <pthread.h>

#include "hsa_agent/core/agent_internal.h"

/* When the GPU ran something; 0: not known. */
struct times {
	uint64_t begin, end;
	bool ticks;   /* of the GPU's clock; else by the runtime's */
	bool refused; /* there are none: the runtime has not taken it */
	/* As the runtime converts them: only for a client. */
	uint64_t runtime_begin, runtime_end;
};

/* The receivers of an operation's end. */
struct notice {
	uint64_t op;	 /* its number */
	bool recorded;	 /* for the tracer */
	void *operation; /* what the client has given for it; NULL: nothing */
};

static inline bool notice_anybody(const struct notice *n)
{
	return n->recorded || n->operation;
}

/* A kernel or barrier that the GPU has been given. */
struct op {
	struct notice notice;
	hsa_agent_t device;
	uint32_t device_id;
	hsa_signal_t timed; /* it completes that: ours, or the application's */
	bool own;	    /* the application's: to be looked at by application_signals.c alone */
	bool told;	    /* own: its end has been */
	bool ended;	    /* and there is nothing left to be done for it */
};

struct queue {
	struct queue *next;
	hsa_queue_t *hsa;
	hsa_agent_t device;
	uint32_t device_id, id;
	/* What it is given is recorded. Else it is counted: there is no room for operations, or the
	 * agent is off. */
	bool watched;
	/*
	 * The runtime has one cooperative queue for each GPU and gives it to all that create one:
	 * it is destroyed by the last of its users. They create and destroy it in turn.
	 */
	bool shared;
	uint32_t users;
	struct owners owners; /* if it is watched */

	/* packet_intercept.c: the thread that stores to the doorbell has the lock. */
	pthread_mutex_t lock __attribute__((aligned(64)));
	bool follows;	    /* while recording: packets are looked at before the doorbell store */
	int64_t begun;	    /* packets before that one were reserved before: submitted as ever */
	uint64_t scanned;   /* the packets before that one have been looked at */
	int64_t asked;	    /* the last packet that the application has submitted */
	int64_t rung;	    /* ... and that we have passed on */
	hsa_signal_t ready; /* one of ours, not used yet */

	/*
	 * operations_in_flight.c: two rings with one producer (the thread that has the lock) and
	 * one consumer (the reaper): the operations in flight, and the way back of our signals.
	 */
	uint64_t mask;
	struct op *ops;
	hsa_signal_t *spare;
	uint64_t head __attribute__((aligned(64)));
	uint64_t spare_tail;
	uint64_t tail __attribute__((aligned(64)));
	uint64_t spare_head;
};

/* ---- queue_hooks.c ---- */

/* NULL: it is none of a queue that is known. */
struct queue *queues__by_doorbell(hsa_signal_t signal);

/* ---- packet_intercept.c ---- */

/*
 * Has the application's packets looked at from now on, or not any more. Exact: what is reserved
 * after `agent.watching` was set is looked at, and nothing else.
 */
void dispatch__follow(struct queue *q, bool on);
/* Submits packets that were held back, if their turn has come. */
void dispatch__pass_on(struct queue *q);

/* ---- operations_in_flight.c ---- */

/* 0, or -1 if memory is lacking. `packets`: of the queue. */
int inflight__init(struct queue *q, uint32_t packets);
/*
 * What has not completed never will. `gone`: the queue was destroyed; else the GPU may still write
 * to the signals.
 */
void inflight__release(struct queue *q, bool gone);
/*
 * The next operation to be filled in, and inflight__push to have it looked after. NULL if there are
 * too many. With the lock, both.
 */
struct op *inflight__next(struct queue *q);
void inflight__push(struct queue *q);
/* Has q->ready be a signal that waits to be completed. With the lock. */
bool inflight__make_ready(struct queue *q);
/* Writes the times of what has ended; returns how many operations are still in flight. */
uint64_t inflight__reap(struct queue *q);

/* The times in a signal that an operation has completed. */
void inflight__read_times(const struct notice *n, hsa_agent_t device, hsa_signal_t signal,
			  struct times *times);
/* That operation has ended: reports it with the contents of its signal. */
void inflight__tell_end(const struct op *op);
/* An operation has ended; `value`: of its signal then. */
void inflight__tell_done(const struct notice *n, uint32_t device_id, const struct times *times,
			 hsa_signal_value_t value);
/* ... of which the times will not be known. */
void inflight__tell_untimed(const struct notice *n, uint32_t device_id);

/* ---- application_signals.c ---- */

/* An operation is to be watched that completes that signal of the application. False: its times
 * would not stay apart from those of others, or there is no memory. */
bool shadow__reserve(hsa_signal_t signal);
/* ... this one, which is not with the GPU yet. False: the GPU has had it. */
bool shadow__watch(hsa_signal_t signal, struct op *op);
/* Has it ended? Then that is recorded. */
bool shadow__has_ended(struct op *op);
/* It is not to be watched any more. */
void shadow__forget(struct op *op);
/* Gives the signal the times of another operation, unless it is watched. */
void shadow__stamp(hsa_signal_t signal, uint64_t begin, uint64_t end);

/* ---- copy_hooks.c ---- */

/* What is known of a copy when it is submitted. */
struct copy_request {
	uint32_t agent;		       /* the GPU that does it */
	uint32_t src_agent, dst_agent; /* the owners of the memory */
	uint64_t bytes;
	const void *src, *dst;
	uint32_t engine; /* from 1; 0: the runtime chooses */
	uint16_t flags;	 /* RT_AGENT_F_* */
};

/* By the tracer, or by the client. */
bool copies__are_wanted(void);
/* Counts one that is not recorded, if it should be. */
void copies__lose(void);
/* Reports a copy, and notes the receivers of its end. False: there are none. */
bool copies__tell_submitted(struct notice *n, const struct copy_request *r);

/* ---- client.c ---- */

/* Of this thread. */
struct rtrace_caller client__caller(void);
/* See agent_client.h: the id that is to be released, or 0. */
uint64_t client__hold(uint64_t subscriber_id);
void client__release(uint64_t subscriber_id);
/* What it receives. */
bool client__wants(enum rt_agent_kind kind);
bool client__wants_packets(void);
/*
 * Reports a packet of that kind, or a copy, to it, if it wants that; what is returned goes into the
 * notice. `kernel`: NULL: it is no kernel's.
 */
void *client__packet_submitted(const struct queue *q, enum rt_agent_kind kind, uint64_t index,
			       const hsa_kernel_dispatch_packet_t *kernel);
void *client__copy_submitted(const struct copy_request *r);
/* NULL: it does not want to know. */
void client__ended(void *operation, const struct times *times, bool failed);
void client__packet(const struct queue *q, const void *packet,
		    const hsa_kernel_dispatch_packet_t *kernel);
/* By this thread, at the moment: its function has called the runtime, and that us. */
bool client__is_told_of(const struct queue *q);

#endif
