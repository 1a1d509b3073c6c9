/* SPDX-License-Identifier: MIT */
/*
 * Keeps an intercept queue of the runtime from being overfilled.
 *
 * An intercept queue is two queues: an outer one in plain memory, which the application writes to,
 * and the inner one that the GPU reads. On a doorbell the runtime passes packets from the outer to
 * the inner queue and calls the outer packet consumed. So an application that looks at the read
 * index to see whether there is room never finds the queue full; it runs ahead, and the inner queue
 * overflows. Up to ROCm 5.7 the runtime then fails an assertion or reorders packets; later ones put
 * packets aside and pass them on from a thread of their own, where we would take that thread for
 * the one that launched the kernel.
 *
 * With the inner queue known, the application can be told a read index that counts the packets that
 * the GPU has not taken yet. It then waits exactly where it would have waited without us.
 */
#ifndef RTRACE_AGENT_ROOM_H
#define RTRACE_AGENT_ROOM_H

#include <stdint.h>

#include "hsa_agent/core.h"

struct room {
	const amd_queue_t *outer;
	const amd_queue_t *inner; /* NULL: not known */
	uint64_t size;
	bool asked;
	uint64_t stuck_at; /* read index of the inner queue when a wait was given up, + 1 */
};

/*
 * Finds the inner queue of an intercept queue. 0, or -ENOENT if it has to be asked for. To ask is
 * possible from ROCm 6.0 on, from within an interceptor.
 */
int room_init(struct room *room, const hsa_queue_t *queue);
void room_ask(struct room *room, hsa_amd_queue_intercept_packet_writer writer);

/*
 * The outer packets [index, index + count) are about to be passed on: how many packets may be added
 * to them without taking the room of those that wait behind.
 */
uint64_t room_for_more(const struct room *room, uint64_t index, uint64_t count);

/*
 * Waits for the GPU to make room for one more packet. Gives up when the GPU takes nothing for a
 * while, as it may be waiting for the very thread that we would hold up. Returns as room_for_more.
 */
uint64_t room_make(struct room *room, uint64_t index, uint64_t count);

/* For a runtime that cannot put packets aside: waits until `count` fit. */
void room_wait(const struct room *room, uint64_t index, uint64_t count);

/* What to tell the application when the outer queue's read index is `read`. */
uint64_t room_read_index(const struct room *room, uint64_t read);

#endif
