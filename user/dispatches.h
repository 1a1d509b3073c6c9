/* SPDX-License-Identifier: MIT */
/*
 * The dispatch stream from BPF alone: packets that were read at the doorbells of processes without
 * the agent (bpf/dispatch.h) become GPU operations.
 *
 * What a packet says is told at once: kernel, sizes, queue, thread and time of submission. When
 * the GPU ran it is known only if its queue takes times and it has a completion signal, which the
 * GPU writes them into. They are read there
 *
 *  - when another packet with that signal is submitted, by the program that reads this packet
 *    anyway: until then they are those of the packet before, and that it has completed is sure, for
 *    its owner uses the signal again;
 *  - when a copy uses the signal, when it is destroyed, and when the process exits;
 *  - and every millisecond from outside, for signals that are not used again soon.
 *
 * The first is exact at any rate and costs no trap. To probe the re-arming of signals (ROCclr's
 * hsa_signal_silent_store_relaxed) would be one more trap a launch, and to look from outside alone
 * would miss what is used again within a millisecond.
 *
 * While a packet that somebody has rung past is missing, nobody knows which signal it has: times
 * that began since wait until it is heard of. Of one that was taken before it was read, and of who
 * had its signal before, times are told if they can be told apart.
 *
 * Packets that were passed over (RT_DISPATCH_PASSED) wait for their owner to ring for them; when
 * nobody does, they are of who passed them over.
 */
#ifndef RTRACE_DISPATCHES_H
#define RTRACE_DISPATCHES_H

#include "bpf/events.h"
#include "user/operations.h"
#include "user/trace.h"

struct dispatches;
struct doorbell_queue;

/* A record on its way through the reorder buffer, with what was asked of the process. */
struct dispatch_item {
	struct rt_rec_dispatch rec;
	const char *kernel; /* NULL: unknown */
};

/* Both must live as long. */
struct dispatches *dispatches__new(struct trace *trace, struct operations *operations);
void dispatches__free(struct dispatches *d);

/* As soon as the record is drained, while the process is there: makes the item of it. */
void dispatches__drained(struct dispatches *d, const struct rt_rec_dispatch *rec,
			 struct dispatch_item *item);

/* The process was about to load or unload code; also to be told when it is drained. */
void dispatches__code_changed(struct dispatches *d, const struct rt_rec *rec);

/* In the order of time. */
void dispatches__submitted(struct dispatches *d, const struct dispatch_item *item);
void dispatches__signal(struct dispatches *d, const struct rt_rec_signal *rec);

/* The process has ended or runs another program: what is pending has no times. */
void dispatches__process_gone(struct dispatches *d, pid_t pid);

/* Every millisecond: looks at signals. `released`: all records up to that time were handed in. */
void dispatches__round(struct dispatches *d, uint64_t released);

/* The end: tells all that is left, as it is, and how good the clocks were. */
void dispatches__finish(struct dispatches *d);

#endif
