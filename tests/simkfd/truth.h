/* SPDX-License-Identifier: MIT */
/*
 * The truth log (SIMKFD_TRUTH=FILE): what the simulated GPUs really executed, one line a packet.
 *
 *   pid=PID gpu=G queue=Q n=N op=OP kind=KIND kernel=NAME bytes=B grid=X,Y,Z wg=X,Y,Z barrier=0|1
 *   begin=NS end=NS
 *
 * on one line, fields separated by one space, always all of them and in this order.
 *
 *   gpu      index from 0
 *   queue    number of the queue in this process, from 1, never used twice
 *   n        compute queue: the packet's index; copy queue: number of the line, from 0
 *   op       number of the operation on the queue, from 0. The packets that make up one copy of
 *            the API share it: those of a copy queue up to the fence, trap or signal that ends the
 *            operation, and nameless blit kernels up to the one with a completion signal. Every
 *            other packet is an operation by itself
 *   kind     dispatch  a kernel, the application's or HIP's own (__amd_rocclr_*)
 *            blit      one of ROCr's nameless kernels, which copy and fill for it
 *            barrier   barrier-AND, barrier-OR, barrier-value
 *            pm4       an indirect buffer of ROCr's, which does nothing here
 *            copy      by a copy engine                     fill  likewise
 *   kernel   as in the code object, without ".kd"; "-" if there is none
 *   bytes    copied or filled; 0 for the application's kernels
 *   grid wg  work-items; 0,0,0 if it is no kernel
 *   barrier  the packet's barrier bit
 *   begin    and end: CLOCK_BOOTTIME, the very instants that the runtime sees as GPU ticks
 *
 * Packets of a copy queue that move no data (fences, polls, timestamps ...) have no line.
 *
 * A line is in the file before the completion of its operation can be seen, whatever happens to the
 * process afterwards, and is written by one write() in append mode, so processes can share a file.
 */
#ifndef SIMKFD_TRUTH_H
#define SIMKFD_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

struct queue;

struct truth {
	uint64_t n, op;
	const char *kind;
	const char *kernel; /* NULL: none */
	uint64_t bytes;
	uint32_t grid[3];
	uint16_t workgroup[3];
	bool barrier;
	uint64_t begin, end;
};

void truth__write(const struct queue *queue, const struct truth *truth);

/* The pid has changed, in the child of a fork. */
void truth__forget(void);

#endif
