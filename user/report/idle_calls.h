/* SPDX-License-Identifier: MIT */
/*
 * What the host did while a GPU had nothing to do: waits of GPUs against the calls of threads.
 *
 * A wait is attributed when the calls of its thread are known that far. Calls are forgotten when no
 * wait can need them any more, or when there are too many.
 */
#ifndef RTRACE_IDLE_CALLS_H
#define RTRACE_IDLE_CALLS_H

#include <stdbool.h>

#include "user/report/gpu_idle.h"

struct idle_calls;

struct idle_calls *idle_calls__new(size_t limit);
void idle_calls__free(struct idle_calls *c);

/* The thread's number; 0 is shared by those for which there is no memory. */
uint32_t idle_calls__thread(struct idle_calls *c, uint32_t pid, uint32_t tid);

int idle_calls__add(struct idle_calls *c, uint32_t pid, uint32_t tid, uint64_t begin, uint64_t end,
		    uint32_t name);

/* Is it time to attribute what can be? */
bool idle_calls__is_full(const struct idle_calls *c);

/* A time in the middle of those of the calls that are kept. */
uint64_t idle_calls__middle(const struct idle_calls *c);

/* The device had nothing to do from `begin` to `end`, when the thread submitted something. */
int idle_calls__wait(struct idle_calls *c, uint32_t thread, uint32_t device, uint64_t begin,
		     uint64_t end);

/*
 * Attributes the waits that can be, all if it is the end, and makes room. No wait of a device that
 * is not among these begins before `settled`.
 */
int idle_calls__settle(struct idle_calls *c, struct idle_device *devices, size_t count,
		       uint64_t settled, bool final);

#endif
