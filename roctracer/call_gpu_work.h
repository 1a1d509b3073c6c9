/* SPDX-License-Identifier: MIT */
/*
 * The work that calls of HIP have given to GPUs, according to their arguments, by the calls'
 * correlation ids. It is for HIP 5 from 5.3.1 on, which reports no bytes for some copies (of
 * hipMemcpyAsync with pinned memory of the host, and in graphs).
 */
#ifndef ROCTRACER_CALL_WORK_H
#define ROCTRACER_CALL_WORK_H

#include <stddef.h>
#include <stdint.h>

struct call_work {
	size_t bytes;
	uint64_t graph; /* graph_work's number; 0: none */
};

/* From any thread; each id once, not 0. */
void call_work__put(uint64_t id, const struct call_work *work);
/* All 0: not known, or long ago. */
struct call_work call_work__get(uint64_t id);

#endif
