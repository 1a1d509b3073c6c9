/* SPDX-License-Identifier: MIT */
/*
 * Finds the call that caused a GPU operation.
 *
 * An operation carries the thread and the instant of its submission. The cause is the innermost
 * call on that thread that was open at that instant. Calls arrive when they end, in the order of
 * their ends, so among those that contain the instant the innermost comes first: an operation waits
 * on its thread for the first call that ends after the submission and began before it. When a call
 * without a caller ends and does not contain the instant, none will: the operation was submitted
 * outside of every traced call (for example by a thread of the runtime), and is marked so.
 *
 * The operation is settled when the outermost call has ended, which gives its stream.
 *
 * If a submission's record comes after its call has ended, the call is looked up among the thread's
 * latest calls.
 *
 * Where the agent captures calls, it reports in which of them the operation was submitted. That
 * call is the cause, unless the kernel captures calls of the thread, too: one may be in between.
 */
#ifndef RTRACE_MERGE_CORRELATE_H
#define RTRACE_MERGE_CORRELATE_H

#include "user/event/event.h"
#include "user/merge/processes.h"

/* A GPU operation between its submission and the moment it can be passed to the sinks. */
struct gpu_op {
	uint64_t key[2]; /* agent (a pointer), number of the operation there */
	/*
	 * The innermost and the outermost call that it was submitted in, as its agent reports. The
	 * agent knows the calls that it captures itself; 0: it reports none.
	 */
	uint64_t said_corr, said_root;
	struct event ev;
	bool owner_known;      /* its thread is the one that submitted it */
	bool given_to_workers; /* see runtime_threads.h */
	bool settled;	       /* its cause is known, or known not to be found */
	bool unwanted;	       /* it was submitted while nothing was to be traced */
	bool refused;	       /* the runtime has not taken it: it is none */
	bool ended;	       /* its times are known */
	bool kernel_known;     /* the name of a dispatch is that of its kernel */
	bool found;	       /* it waits among thread.found */
	/* Has ended: when, by the clock of `device` (0: the runtime's), until that has a later
	 * pair. */
	struct agent_view *view;
	uint32_t device;
	uint64_t began, over;
	uint64_t heard;		  /* time of the record of its end */
	struct op_source *source; /* NULL: it was read at its doorbell */
	struct gpu_op *prev_untimed, *next_untimed;
	struct gpu_op *prev_of, *next_of; /* all of the source */
	struct gpu_op *prev, *next;	  /* unsettled or found ones of the thread */
	UT_hash_handle hh;
};

typedef void (*settled_fn)(struct gpu_op *op, void *arg);

/* The operation's cause is what is noted in it, or none. */
void correlate__settle(struct gpu_op *op, settled_fn fn, void *arg);

/* A new operation on its thread. */
void correlate__submit(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg);

/* A new operation where no calls are captured that could have caused it. */
void correlate__submit_alone(struct gpu_op *op, settled_fn fn, void *arg);

/* The operation is not of that thread: it no longer waits there. */
void correlate__withdraw(struct thread *th, struct gpu_op *op);

/*
 * A call has ended: settles what it caused, once the outermost call has ended, as that gives the
 * stream. Returns true if it is the innermost call of an operation.
 */
bool correlate__span(struct thread *th, const struct event *span, settled_fn fn, void *arg);

/* An outermost call of the thread has ended that is not shown: no operation waits for it. */
void correlate__hidden(struct thread *th, uint64_t root, settled_fn fn, void *arg);

/* A call of the thread has ended that is left out: it causes nothing. */
void correlate__left_out(struct thread *th, uint64_t corr, settled_fn fn, void *arg);

/* No call will come for that operation of the thread: it stays as it is. */
void correlate__give_up_one(struct thread *th, struct gpu_op *op, settled_fn fn, void *arg);

/* Nothing more will come from that thread: what is unsettled stays without a cause. */
void correlate__give_up(struct thread *th, settled_fn fn, void *arg);

#endif
