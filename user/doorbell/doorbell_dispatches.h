/* SPDX-License-Identifier: MIT */
/*
 * The dispatch stream from BPF alone: packets that were read at the doorbells of processes without
 * the agent (bpf/doorbell.h) become GPU operations.
 *
 * The contents of a packet are reported at once: kernel, sizes, queue, thread and time of
 * submission. The GPU's times are known only if the queue takes times and the packet has a
 * completion signal, into which the GPU writes them. They are read there
 *
 *  - when another packet with that signal is submitted, by the program that reads this packet
 *    anyway: until then they are those of the previous packet, which has certainly completed, for
 *    its owner uses the signal again;
 *  - when a copy uses the signal, when it is destroyed, and when the process exits;
 *  - and every millisecond from outside, for signals that are not used again soon.
 *
 * The first is exact at any rate and costs no trap. A probe of the re-arming of signals (ROCclr's
 * hsa_signal_silent_store_relaxed) would be one more trap a launch. Looks from outside alone would
 * miss signals that are used again within a millisecond.
 *
 * While a packet below a stored doorbell index is missing, its signal is unknown: times that began
 * since are kept until its record arrives. The GPU may have taken a packet before it was read. Its
 * times, and those of its signal's previous packet, are then reported only if the two can be
 * distinguished.
 *
 * Skipped packets (RT_DISPATCH_PASSED) wait for their owner to store to the doorbell. If no such
 * store follows, they belong to the thread that skipped them.
 */
#ifndef RTRACE_DOORBELL_DOORBELL_DISPATCHES_H
#define RTRACE_DOORBELL_DOORBELL_DISPATCHES_H

#include "abi/bpf_records.h"
#include "user/doorbell/code_objects.h"
#include "user/merge/gpu_operations.h"
#include "user/merge/trace_state.h"

struct dispatches;
struct doorbell_queue;

/* A record in the reorder buffer, with what was read from the process. */
struct dispatch_item {
	struct rt_rec_dispatch rec;
	const char *kernel; /* NULL: not certain */
	bool is_kernel;	    /* there is one at the address, or was */
};

/* All must live as long. `unloads` says what processes have unloaded. */
struct dispatches *doorbell_dispatches__new(struct trace *trace, struct operations *operations,
					    code_unloads_fn *unloads, void *arg);
void doorbell_dispatches__free(struct dispatches *d);

/* As soon as the record is drained, while the process is there: makes the item of it. */
void doorbell_dispatches__drained(struct dispatches *d, const struct rt_rec_dispatch *rec,
				  struct dispatch_item *item);

/* The process executes another program; also call this when the record is drained. */
void doorbell_dispatches__executes(struct dispatches *d, pid_t pid);

/* In the order of time. */
void doorbell_dispatches__submitted(struct dispatches *d, const struct dispatch_item *item);
void doorbell_dispatches__signal(struct dispatches *d, const struct rt_rec_signal *rec);

/* The process has ended or runs another program: what is pending has no times. */
void doorbell_dispatches__process_gone(struct dispatches *d, pid_t pid);

/* Every millisecond: looks at signals. `released`: all records up to that time were passed in. */
void doorbell_dispatches__round(struct dispatches *d, uint64_t released);

/* The end: reports all that is left, as it is, and how good the clocks were. */
void doorbell_dispatches__finish(struct dispatches *d);

#endif
