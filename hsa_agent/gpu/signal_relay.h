/* SPDX-License-Identifier: MIT */
/*
 * Completes the application's signal in the place of the GPU, once the GPU has completed ours.
 *
 * For signals that count several operations, and for copies: the runtime keeps a copy's times with
 * the signal and loses them when the application uses the signal again. A relay's own signal can
 * wake a thread: the runtime's handler thread calls us, takes the times, writes the record, and
 * only then the application's signal is completed: a program that has waited for its operation
 * finds it recorded.
 *
 * That thread also runs the application's handlers, and one of them may wait for such an operation,
 * or never come back. So when the thread does not move on, the reaper does its work for what has
 * ended.
 */
#ifndef RTRACE_HSA_AGENT_GPU_SIGNAL_RELAY_H
#define RTRACE_HSA_AGENT_GPU_SIGNAL_RELAY_H

#include "hsa_agent/gpu/queue_internal.h"

struct relay {
	struct relay *next;  /* in the list of unused ones, or of those started */
	struct relay **link; /* started: what points to it */
	hsa_signal_t timed;  /* ours */
	hsa_signal_t own;    /* the application's */
	struct notice notice;
	hsa_agent_t device;
	uint32_t device_id; /* the times are by its clock; 0: the runtime's */
	uint32_t flags;	    /* RT_FLIGHT_* */
	bool cancelled;	    /* there will be no operation */
	bool told;	    /* its end was reported to the application */
	/* Takes the times and reports them. */
	void (*ended)(struct relay *r, hsa_signal_value_t value);
};

/* NULL: no memory, or no signal. */
struct relay *signal_relay__new(hsa_signal_t own);
/* It has not been started. */
void signal_relay__put(struct relay *r);
/* To be called before the operation is submitted with r->timed as completion signal. */
bool signal_relay__start(struct relay *r, void (*ended)(struct relay *r, hsa_signal_value_t value));
/* It was started, and the operation was refused. */
void signal_relay__cancel(struct relay *r);

/*
 * A round of the reaper: does what the runtime's handler thread should have done if that does not
 * get to it. Are there relays in use, so that it must look again soon?
 */
bool signal_relay__reap(void);
/* The runtime goes away: it will not call us for those that are started, or not in time. */
void signal_relay__release(void);
void signal_relay__forked(void);

#endif
